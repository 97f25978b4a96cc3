import { expect, test } from '@jest/globals';
import { createMemoryCache } from '../ground/cache/memory.ts';
import { digest } from '../ground/tokens/digest.ts';
import { deriveKeys } from '../ground/tokens/opaque-token.ts';
import { createFlowStore } from './flow.ts';

const sealKey = deriveKeys('a secret of identity', 'flow');
const flow = { userId: 'u', codeVerifier: 'a PKCE verifier' };

/** A shared cache, as an attacker with access to Redis sees it. */
function exposedCache() {
  const values = new Map<string, string>();
  const set = async (key: string, value: string) => void values.set(key, value);
  const take = async (key: string) => {
    const value = values.get(key);
    values.delete(key);
    return value;
  };
  const has = async (key: string) => values.has(key);
  return { values, cache: { set, take, has } };
}

test('a flow is taken once', async () => {
  const flows = createFlowStore(createMemoryCache(), sealKey, 'code', 60);
  const key = await flows.remember(flow);
  expect(await flows.take(key)).toEqual(flow);
  expect(await flows.take(key)).toBeUndefined();
});

test('the store keeps neither the flow nor its key in clear', async () => {
  const { values, cache } = exposedCache();
  const key = await createFlowStore(cache, sealKey, 'code', 60).remember(flow);
  const [stored] = [...values];
  expect(stored?.[0]).not.toContain(key);
  expect(Buffer.from(stored?.[1] ?? '', 'base64url').toString('latin1')).not.toContain(flow.codeVerifier);
});

test('a flow that was written into the store by hand is unknown', async () => {
  const { values, cache } = exposedCache();
  const flows = createFlowStore(cache, sealKey, 'code', 60);
  for (const forged of [JSON.stringify(flow), '', 'AAAA', Buffer.from(JSON.stringify(flow)).toString('base64url')]) {
    values.set(`oauth:code:${digest('chosen')}`, forged);
    expect(await flows.take('chosen')).toBeUndefined();
  }
});

test('a flow that was moved to another key, another kind or another secret is unknown', async () => {
  const { values, cache } = exposedCache();
  const flows = createFlowStore(cache, sealKey, 'code', 60);
  await flows.remember(flow);
  const [sealed = ''] = values.values();
  values.set(`oauth:code:${digest('chosen')}`, sealed);
  expect(await flows.take('chosen')).toBeUndefined();
  const key = await flows.remember(flow);
  const [[at = '', value = ''] = []] = [...values].slice(-1);
  values.set(at.replace(':code:', ':platform:'), value);
  expect(await createFlowStore(cache, sealKey, 'platform', 60).take(key)).toBeUndefined();
  expect(await createFlowStore(cache, deriveKeys('another secret', 'flow'), 'code', 60).take(key)).toBeUndefined();
});

test('what was kept before a secret was rotated is read while the old one is still named', async () => {
  const cache = createMemoryCache();
  const key = await createFlowStore(cache, deriveKeys('the old secret', 'flow'), 'code', 60).remember(flow);
  const keys = deriveKeys('the new secret, the old secret', 'flow');
  expect(await createFlowStore(cache, keys, 'code', 60).take(key)).toEqual(flow);
});
