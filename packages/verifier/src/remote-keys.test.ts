import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
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
    ...{ defaultMaxAgeSeconds: 100, longestMaxAgeSeconds: 1_000, staleIfErrorSeconds: 0, cooldownSeconds: 5, timeoutMs: 1_000 },
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
  ] as const) {
    it(name, async () => {
      const { find, clock, requests } = setUp(() => Response.json({ keys: [published('k')] }, { headers }));
      assert.ok(await find('k'));
      clock.ms = seconds * 1_000 - 1;
      assert.ok(await find('k'));
      assert.equal(requests.length, 1);
      clock.ms = seconds * 1_000;
      assert.ok(await find('k'));
      assert.equal(requests.length, 2);
      assert.deepEqual(
        requests.map(({ cacheControl }) => cacheControl),
        [null, null],
      );
    });
  }
});

describe('the request for a key set', () => {
  it('goes to the address below the issuer and has a time limit', async () => {
    const { find, requests } = setUp(() => Response.json({ keys: [published('k')] }));
    await find('k');
    assert.equal(requests[0]?.url, 'https://iam.example/.well-known/jwks.json');
    assert.ok(requests[0]?.init?.signal);
  });

  it('never follows a redirect', async () => {
    const { find, requests } = setUp(() => new Response('', { status: 302, headers: { location: 'https://evil.example/jwks.json' } }));
    await assert.rejects(find('k'), KeysUnavailable);
    assert.equal(requests[0]?.init?.redirect, 'manual');
    assert.equal(requests.length, 1);
  });

  it('fails for a body that is too large', async () => {
    const { find } = setUp(() => Response.json({ keys: [published('k')], padding: 'x'.repeat(300_000) }));
    await assert.rejects(find('k'), KeysUnavailable);
  });

  it('is repeated only after the cooldown when it failed or its body is no key set', async () => {
    for (const respond of [() => new Response('', { status: 500 }), () => Response.json({}), () => new Response('no JSON')]) {
      const { find, clock, requests } = setUp(respond);
      for (let index = 0; index < 10; index += 1) await assert.rejects(find('k'), KeysUnavailable);
      assert.equal(requests.length, 1);
      clock.ms = 5_000;
      await assert.rejects(find('k'), KeysUnavailable);
      assert.equal(requests.length, 2);
    }
  });

  it('for an unknown kid bypasses caches, and a failure keeps the last key set', async () => {
    const state = { isDown: false };
    const respond = () => (state.isDown ? new Response('', { status: 500 }) : Response.json({ keys: [published('k')] }));
    const { find, requests } = setUp(respond, { cooldownSeconds: 0.05 });
    await find('k');
    await pause(60);
    state.isDown = true;
    await assert.rejects(find('unknown'), errors.JWKSNoMatchingKey);
    assert.deepEqual(
      requests.map(({ cacheControl }) => cacheControl),
      [null, 'no-cache'],
    );
    assert.ok(await find('k'));
  });
});

it('keys for encryption, for other algorithms and of other kinds are never selected', async () => {
  const others = [
    published('enc', { use: 'enc' }),
    published('ps', { alg: 'PS256' }),
    { ...ellipticJwk, kid: 'ec' },
    { kty: 'oct', kid: 'oct', k: 'AAAA' },
    { kid: 'none' },
  ];
  const { find } = setUp(() => Response.json({ keys: [...others, published('k')] }));
  assert.ok(await find('k'));
  for (const kid of ['enc', 'ps', 'ec', 'oct', 'none']) await assert.rejects(find(kid), errors.JWKSNoMatchingKey, kid);
});
