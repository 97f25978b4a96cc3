import { expect, test } from '@jest/globals';
import { settingsOf } from './options.ts';
import { returnAddress } from './return-to.ts';
import { baseUrl, secret, startApplication } from './testing/application.ts';

test('options that are missing or unsafe are named when they are first needed, not when a build loads them', async () => {
  const { openBrowser, optionsOf } = await startApplication();
  for (const [more, message] of [
    [{ issuer: '' }, 'needs the option issuer'],
    [{ issuer: 'http://iam.example.com' }, 'issuer must be an https address'],
    [{ baseUrl: 'app.example.com' }, 'baseUrl is no address'],
    [{ baseUrl: 'http://app.example.com' }, 'baseUrl must be an https address'],
    [{ baseUrl: 'https://app.example.com/a' }, 'baseUrl is an origin'],
    [{ secret: 'short' }, 'openssl rand -base64 32'],
    [{ secret: [] }, 'openssl rand -base64 32'],
    [{ secret: [secret, 'short'] }, 'openssl rand -base64 32'],
    [{ path: '/auth/' }, 'path starts with /'],
  ] as const)
    expect(() => settingsOf(optionsOf(more))).toThrow(message);
  const broken = openBrowser({ clientSecret: '' });
  await expect(broken.tessera.auth()).rejects.toThrow('needs the option clientSecret');
});

test('a person comes back to this application only', () => {
  for (const good of ['/', '/a/b?c=d#e', '/a%2F..%2Fb', '/?next=https://evil.example'])
    expect(returnAddress(good, baseUrl)).toStrictEqualFor(good, `${baseUrl}${good}`);
  for (const bad of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'app.example.com.evil.example',
    '@evil.example',
    '',
    null,
    `/${'a'.repeat(3_000)}`,
  ])
    expect(returnAddress(bad, baseUrl)).toStrictEqualFor(bad, `${baseUrl}/`);
  // Whatever the path, the address is whole, and of this origin.
  for (const odd of ['/.//evil.example', '/%2F/evil.example', '/..//evil.example'])
    expect(new URL(returnAddress(odd, baseUrl)).origin).toStrictEqualFor(odd, baseUrl);
});
