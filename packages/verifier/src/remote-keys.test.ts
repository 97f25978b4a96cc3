import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { errors } from 'jose';
import { KeysUnavailable } from './errors.ts';
import { createRemoteKeys, type RemoteKeysOptions } from './remote-keys.ts';

const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const { d: _, ...ellipticJwk } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
function published(kid: string, members: object = {}) {
  return { ...jwk, kid, use: 'sig', alg: 'RS256', ...members };
}

function setUp(respond: () => Response, options: Partial<RemoteKeysOptions> = {}) {
  const clock = { ms: 0 };
  const requests: { url: string; cacheControl: string | null; init: RequestInit | undefined }[] = [];
  const keys = createRemoteKeys('https://iam.example', {
    defaultMaxAgeSeconds: 100,
    longestMaxAgeSeconds: 1_000,
    staleIfErrorSeconds: 0,
    cooldownSeconds: 5,
    timeoutMs: 1_000,
    fetch: async (url, init) => {
      requests.push({ url: String(url), cacheControl: new Headers(init?.headers).get('cache-control'), init });
      return respond();
    },
    nowMs: () => clock.ms,
    ...options,
  });
  const find = (kid: string) => Promise.resolve(keys({ alg: 'RS256', kid }, { payload: '', signature: '' }));
  return { find, clock, requests };
}

describe('how long a key set is used', () => {
  for (const [name, headers, seconds] of [
    ['a key set is used for the max-age of Cache-Control', { 'cache-control': 'public, max-age=60' }, 60],
    ['the age in caches on the way counts', { 'cache-control': 'public, max-age=60', age: '20' }, 40],
    ['without max-age the default holds', {}, 100],
    ['a max-age above the upper bound is cut', { 'cache-control': 'max-age=99999999' }, 1_000],
  ] as const)
    test(name, async () => {
      const { find, clock, requests } = setUp(() => Response.json({ keys: [published('k')] }, { headers }));
      expect(await find('k')).toBeTruthy();
      clock.ms = seconds * 1_000 - 1;
      expect(await find('k')).toBeTruthy();
      expect(requests).toHaveLength(1);
      clock.ms = seconds * 1_000;
      expect(await find('k')).toBeTruthy();
      expect(requests).toHaveLength(2);
      expect(requests.map(({ cacheControl }) => cacheControl)).toStrictEqual([null, null]);
    });
});

describe('the request for a key set', () => {
  test('goes to the address below the issuer and has a time limit', async () => {
    const { find, requests } = setUp(() => Response.json({ keys: [published('k')] }));
    await find('k');
    expect(requests[0]?.url).toBe('https://iam.example/.well-known/jwks.json');
    expect(requests[0]?.init?.signal).toBeTruthy();
  });

  test('never follows a redirect', async () => {
    const { find, requests } = setUp(() => new Response('', { status: 302, headers: { location: 'https://evil.example/jwks.json' } }));
    await expect(find('k')).rejects.toThrow(KeysUnavailable);
    expect(requests[0]?.init?.redirect).toBe('manual');
    expect(requests).toHaveLength(1);
  });

  test('fails for a body that is too large', async () => {
    const { find } = setUp(() => Response.json({ keys: [published('k')], padding: 'x'.repeat(300_000) }));
    await expect(find('k')).rejects.toThrow(KeysUnavailable);
  });

  test('is repeated only after the cooldown when it failed or its body is no key set', async () => {
    for (const respond of [() => new Response('', { status: 500 }), () => Response.json({}), () => new Response('no JSON')]) {
      const { find, clock, requests } = setUp(respond);
      for (let index = 0; index < 10; index += 1) await expect(find('k')).rejects.toThrow(KeysUnavailable);
      expect(requests).toHaveLength(1);
      clock.ms = 5_000;
      await expect(find('k')).rejects.toThrow(KeysUnavailable);
      expect(requests).toHaveLength(2);
    }
  });

  test('for an unknown kid bypasses caches, and a failure keeps the last key set', async () => {
    const state = { isDown: false };
    const respond = () => (state.isDown ? new Response('', { status: 500 }) : Response.json({ keys: [published('k')] }));
    const { find, requests } = setUp(respond, { cooldownSeconds: 0.05 });
    await find('k');
    await pause(60);
    state.isDown = true;
    await expect(find('unknown')).rejects.toThrow(errors.JWKSNoMatchingKey);
    expect(requests.map(({ cacheControl }) => cacheControl)).toStrictEqual([null, 'no-cache']);
    expect(await find('k')).toBeTruthy();
  });
});

test('keys for encryption, for other algorithms and of other kinds are never selected', async () => {
  const others = [
    published('enc', { use: 'enc' }),
    published('ps', { alg: 'PS256' }),
    { ...ellipticJwk, kid: 'ec' },
    { kty: 'oct', kid: 'oct', k: 'AAAA' },
    { kid: 'none' },
  ];
  const { find } = setUp(() => Response.json({ keys: [...others, published('k')] }));
  expect(await find('k')).toBeTruthy();
  for (const kid of ['enc', 'ps', 'ec', 'oct', 'none'])
    expect(await find(kid).catch((error: unknown) => error)).toStrictEqualFor(kid, expect.any(errors.JWKSNoMatchingKey));
});
