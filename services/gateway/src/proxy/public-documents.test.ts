import { expect, test } from '@jest/globals';
import { startProxy } from '../testing/gateway.ts';

const path = '/.well-known/jwks.json';

/** A gateway whose service keys answers as `state` says. */
async function startWith(cleanup: AsyncDisposableStack, overrides: Readonly<Record<string, string>> = {}) {
  const state = { asked: 0, isDown: false, kid: 'first' };
  const base = await startProxy(cleanup, overrides, (app) => {
    const answer = (etag: string) => ({ keys: [{ kid: state.kid }], etag });
    app.get(path, (_request, reply) => {
      state.asked += 1;
      if (state.isDown) return reply.code(503).send({ error: 'down' });
      return reply.header('etag', `"${state.kid}"`).header('cache-control', 'public, max-age=3600').send(answer(state.kid));
    });
    app.get('/org/:organization/prj/:project/.well-known/jwks.json', (_request, reply) => {
      state.asked += 1;
      return reply.code(404).send({ error: 'no project' });
    });
  });
  const ask = (headers: Record<string, string> = {}, at = path) => fetch(`${base}${at}`, { headers });
  return { base, state, ask };
}

test('a key set is answered from memory while keys is down, with the same headers', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base, state, ask } = await startWith(cleanup);
  const before = await ask();
  state.isDown = true;
  await fetch(`${base}/api/roles`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  const after = await ask();
  expect([after.status, await after.text()]).toStrictEqual([200, await before.text()]);
  for (const name of ['etag', 'cache-control', 'content-type']) expect(after.headers.get(name)).toBe(before.headers.get(name));
  expect((await ask({ 'if-none-match': 'W/"first"' })).status).toBe(304);
  expect((await ask({}, '/org/a/prj/b/.well-known/jwks.json')).status).toBe(404);
});

test('many clients cost one request to keys, and a change shows at once', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base, state, ask } = await startWith(cleanup);
  await Promise.all(Array.from({ length: 50 }, () => ask()));
  expect(state.asked).toBeLessThanOrEqual(2);
  state.kid = 'second';
  await fetch(`${base}/api/signing-keys/rotate`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect(await (await ask()).json()).toMatchObject({ keys: [{ kid: 'second' }] });
});

test('what is remembered counts in no limit, and what is not counts', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask } = await startWith(cleanup, { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '3' });
  const statuses = [];
  for (let times = 0; times < 10; times += 1) statuses.push((await ask()).status);
  expect(statuses).toStrictEqual(statuses.map(() => 200));
  const unknown = [];
  for (let times = 0; times < 4; times += 1) unknown.push((await ask({}, `/org/a/prj/${times}/.well-known/jwks.json`)).status);
  expect(unknown).toStrictEqual([404, 404, 429, 429]);
  expect((await ask()).status).toBe(200);
});
