import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { KeysUnavailable } from './errors.ts';
import { createKeySet, type KeySetOptions } from './key-set.ts';

const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
function published(kid: string, members: object = {}) {
  return { ...jwk, kid, use: 'sig', alg: 'RS256', ...members };
}

function setUp(answer: (init: RequestInit | undefined) => Response, options: Partial<KeySetOptions> = {}) {
  const clock = { ms: 0 };
  const asked: (RequestInit | undefined)[] = [];
  const keySet = createKeySet('https://iam.example', {
    ...{ defaultMaxAgeSeconds: 100, longestMaxAgeSeconds: 1_000, staleIfErrorSeconds: 0, cooldownSeconds: 5, timeoutMs: 1_000 },
    fetch: async (_url, init) => {
      asked.push(init);
      return answer(init);
    },
    nowMs: () => clock.ms,
    ...options,
  });
  return { keySet, clock, asked };
}

describe('how long a key set is believed', () => {
  for (const [name, headers, seconds] of [
    ['as long as Cache-Control says', { 'cache-control': 'public, max-age=60' }, 60],
    ['less what it has aged in caches on the way', { 'cache-control': 'public, max-age=60', age: '20' }, 40],
    ['as configured where nothing is said', {}, 100],
    ['never longer than configured', { 'cache-control': 'max-age=99999999' }, 1_000],
  ] as const) {
    it(name, async () => {
      const { keySet, clock, asked } = setUp(() => Response.json({ keys: [published('k')] }, { headers }));
      assert.ok(await keySet.find('k'));
      clock.ms = seconds * 1_000 - 1;
      assert.ok(await keySet.find('k'));
      assert.equal(asked.length, 1);
      clock.ms = seconds * 1_000;
      assert.ok(await keySet.find('k'));
      assert.equal(asked.length, 2);
    });
  }

  it('anew when the issuer says that it is still the same', async () => {
    const headers = { etag: '"1"', 'cache-control': 'max-age=60' };
    const { keySet, clock, asked } = setUp((init) =>
      new Headers(init?.headers).get('if-none-match') === '"1"'
        ? new Response(null, { status: 304, headers })
        : Response.json({ keys: [published('k')] }, { headers }),
    );
    for (const ms of [0, 60_000, 119_999]) {
      clock.ms = ms;
      assert.ok(await keySet.find('k'));
    }
    assert.equal(asked.length, 2);
  });
});

describe('what is read', () => {
  it('is no redirect, and in time', async () => {
    const { keySet, asked } = setUp(() => Response.json({ keys: [published('k')] }));
    await keySet.find('k');
    assert.equal(asked[0]?.redirect, 'error');
    assert.ok(asked[0]?.signal);
  });

  it('is no more than a key set can be', async () => {
    const { keySet } = setUp(() => Response.json({ keys: [published('k')], padding: 'x'.repeat(300_000) }));
    await assert.rejects(keySet.find('k'), KeysUnavailable);
  });

  it('leaves out what signs nothing: keys for encryption, for other algorithms, of other kinds', async () => {
    const others = [
      published('enc', { use: 'enc' }),
      published('ps', { alg: 'PS256' }),
      { kty: 'oct', kid: 'oct', k: 'AAAA' },
      { kid: 'none' },
    ];
    const { keySet } = setUp(() => Response.json({ keys: [...others, published('k')] }));
    assert.ok(await keySet.find('k'));
    for (const kid of ['enc', 'ps', 'oct', 'none']) assert.equal(await keySet.find(kid), undefined, kid);
  });

  it('is asked for again only after the cooldown when it could not be read', async () => {
    const { keySet, clock, asked } = setUp(() => new Response('', { status: 500 }));
    for (let index = 0; index < 10; index += 1) await assert.rejects(keySet.find('k'), KeysUnavailable);
    assert.equal(asked.length, 1);
    clock.ms = 5_000;
    await assert.rejects(keySet.find('k'), KeysUnavailable);
    assert.equal(asked.length, 2);
  });
});
