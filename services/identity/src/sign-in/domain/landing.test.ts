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

test('a landing is a page, and no endpoint of ours, however its path is spelled', () => {
  const frontend = 'https://app.example.com';
  for (const path of [
    '/api',
    '/api/me',
    '/graphql',
    '/oauth/authorize',
    '/API/me',
    '/x/../api/me',
    '/%61pi/me',
    '/api%2Fme',
    '/%',
    '/org/a/prj/b/oauth/token',
  ])
    for (const redirect of [path, frontend + path]) expect(readLanding(redirect, frontend, frontend)).toStrictEqualFor(redirect, undefined);
  for (const path of ['/', '/settings?tab=login', '/apiary', '/org/acme', '/console/me', '/auth/callback'])
    expect(readLanding(path, frontend, frontend)).toStrictEqual({ kind: 'frontend', url: frontend + path });
});

test('a frontend of its own may have such a page: endpoints are at the address of the product', () => {
  const url = 'https://app.example.com/oauth/callback';
  expect(readLanding('/oauth/callback', 'https://app.example.com', 'https://id.example.com')).toStrictEqual({ kind: 'frontend', url });
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
