import { expect, test } from '@jest/globals';
import { array, assert as check, constantFrom, oneof, property, string, webUrl } from 'fast-check';
import { isLoopback, redirectUriFault } from '../../apps/domain/redirect-uri.ts';
import { readLanding } from './landing.ts';

const frontends = ['https://app.example.com', 'https://example.com/app', 'http://127.0.0.1:3000'];
const pieces = [
  '/',
  '//',
  '\\',
  '@',
  ':',
  '.',
  '..',
  '#',
  '?',
  '%2f',
  '%5c',
  'https:',
  'http:',
  'javascript:',
  'evil.example',
  'app.example.com',
];
const bits = oneof(
  constantFrom(...pieces, ...frontends, '127.0.0.1', 'localhost', '[::1]', '\t', '\n', '\u3002', '\u2044'),
  string({ maxLength: 3 }),
);
const anything = oneof(
  array(bits, { maxLength: 8 }).map((parts) => parts.join('')),
  webUrl(),
);

test('whatever is asked for, a landing is a page of the frontend or on this machine', () => {
  for (const frontendUrl of frontends)
    check(
      property(anything, (redirect) => {
        const landing = readLanding(redirect, frontendUrl, 'https://app.example.com');
        if (landing === undefined) return;
        const [url, frontend] = [new URL(landing.url), new URL(frontendUrl)];
        if (landing.kind === 'cli') expect(url.protocol === 'http:' && isLoopback(url)).toStrictEqualFor(landing.url, true);
        else
          expect(
            url.origin === frontend.origin && `${url.pathname}/`.startsWith(`${frontend.pathname}/`.replace('//', '/')),
          ).toStrictEqualFor(landing.url, true);
      }),
      { numRuns: 3_000 },
    );
});

const hosted = 'https://id.example.com';

test('at the product’s own address a landing is one of the pages that take an outcome, spelt as it is', () => {
  for (const path of ['/auth/callback', '/auth/confirmed', '/auth/callback?return_to=/console/me/sign-in', '/x/../auth/callback'])
    for (const redirect of [path, hosted + path])
      expect(readLanding(redirect, hosted, hosted)).toStrictEqual({ kind: 'frontend', url: new URL(path, hosted).href });
});

const refusedAtTheProduct = {
  'an endpoint': ['/api', '/api/me', '/graphql', '/oauth/authorize', '/org/a/prj/b/oauth/token', '/.well-known/jwks.json', '/health'],
  'another page': [
    '/',
    '',
    '/console',
    '/console/me',
    '/auth',
    '/auth/',
    '/auth/sign-in',
    '/auth/program',
    '/auth/logout',
    '/assets/app.js',
  ],
  'another spelling': ['/AUTH/callback', '/auth/Callback', '/auth/callback/', '/%61uth/callback', '/auth%2Fcallback', '/auth/callback%00'],
  'a longer path': ['/auth/callback/x', '/auth/callback;x', '/auth/callback%2F..%2F..%2Fapi', '/auth/callbacks', '/x/auth/callback'],
  'dot segments': ['/auth/callback/../../api/me', '/auth/callback/%2e%2e/program', '/auth/./callback/..', '/..//auth/callback', '/%2e/api'],
  'two slashes': ['//auth/callback', '///auth/callback', '/auth//callback', '//id.example.com/auth/callback'],
  'a backslash': ['/\\auth/callback', '\\auth\\callback', '/auth\\callback', '/auth/callback\\..\\api'],
  'a control or a space': [
    '/auth/callback\n',
    '/auth/\tcallback',
    ' /auth/callback',
    '/auth/callback\u0000',
    '/auth/callback\u202e',
    '/auth/\u200bcallback',
  ],
  'a fragment': ['/auth/callback#', '/auth/callback#code', '#/auth/callback'],
  'a path without a slash': ['auth/callback', './auth/callback', '?x=/auth/callback', '.'],
  'a broken escape': ['/auth/callback%', '/auth/callback%2', '/auth/callback%zz', '/%'],
};
for (const [what, redirects] of Object.entries(refusedAtTheProduct))
  test(`at the product’s own address no landing is ${what}`, () => {
    for (const redirect of redirects) expect(readLanding(redirect, hosted, hosted)).toStrictEqualFor(redirect, undefined);
    for (const path of redirects.filter((redirect) => redirect.startsWith('/')))
      expect(readLanding(hosted + path, hosted, hosted)).toStrictEqualFor(hosted + path, undefined);
  });

test('no other origin is the product’s, however it is written', () => {
  const addresses = [
    'http://id.example.com/auth/callback',
    'https://id.example.com:8443/auth/callback',
    'https://id.example.com.evil.example/auth/callback',
    'https://id.example.com@evil.example/auth/callback',
    'https://evil.example@id.example.com/auth/callback',
    'https://:x@id.example.com/auth/callback',
    'https://evil.example/id.example.com/auth/callback',
    'https://id\u3002example.com.evil.example/auth/callback',
    'https://id.example.com./auth/callback',
    'https:id.example.com.evil.example/auth/callback',
    'javascript:/auth/callback',
    'data:,/auth/callback',
    'blob:https://id.example.com/auth/callback',
    'file:///auth/callback',
    'ftp://127.0.0.1/auth/callback',
    'https://127.0.0.1/auth/callback',
    'http://127.0.0.1.evil.example/',
    'http://user@127.0.0.1/',
    'http://0.0.0.0/',
    'http://[::ffff:127.0.0.1]/',
  ];
  for (const address of addresses) expect(readLanding(address, hosted, hosted)).toStrictEqualFor(address, undefined);
  for (const address of ['HTTPS://ID.Example.COM:443/auth/callback', 'https:/id.example.com/auth/callback'])
    expect(readLanding(address, hosted, hosted)).toStrictEqualFor(address, { kind: 'frontend', url: `${hosted}/auth/callback` });
});

test('a product on this machine is no command line of it, by none of its names', () => {
  const local = 'http://127.0.0.1:3000';
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.1', '2130706433', '0x7f.1'])
    for (const path of ['/', '/api/me', '/oauth/authorize'])
      expect(readLanding(`http://${host}:3000${path}`, local, local)).toStrictEqualFor(host + path, undefined);
  expect(readLanding('http://localhost:4000/', local, local)).toStrictEqual({ kind: 'cli', url: 'http://localhost:4000/' });
});

test('a frontend of its own has the pages below its path, and none that a server could read as another path', () => {
  const [frontend, own] = ['https://app.example.com/app', 'https://id.example.com/app'];
  for (const path of ['', '/', '/settings?tab=login', '/oauth/callback', '/api/auth/callback', '/caf%C3%A9'])
    for (const [frontendUrl, appUrl] of [
      [frontend, hosted],
      [own, hosted],
    ] as const)
      expect(readLanding(frontendUrl + path, frontendUrl, appUrl)).toStrictEqualFor(frontendUrl + path, {
        kind: 'frontend',
        url: frontendUrl + path,
      });
  for (const path of ['/../api', '/..%2fapi', '/%2e%2e%2fapi', '/..%5capi', '/%252e%252e%252fapi', '/x//y', '/%', '2', '/x%00'])
    for (const frontendUrl of [frontend, own])
      expect(readLanding(frontendUrl + path, frontendUrl, hosted)).toStrictEqualFor(frontendUrl + path, undefined);
  for (const redirect of ['https://id.example.com/', 'https://id.example.com/api/me', 'https://id.example.com/auth/callback'])
    expect(readLanding(redirect, own, hosted)).toStrictEqualFor(redirect, undefined);
});

test('whatever an app registers, its addresses are https, loopback, or a private scheme, and have no fragment', () => {
  check(
    property(anything, (address) => {
      if (redirectUriFault(address) !== undefined) return;
      const url = new URL(address);
      expect(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) || url.protocol.includes('.')).toStrictEqualFor(
        address,
        true,
      );
      expect(address.includes('#')).toBe(false);
    }),
    { numRuns: 5_000 },
  );
});
