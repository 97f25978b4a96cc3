import { expect, test } from '@jest/globals';
import { until } from '../../../../test/support/until.ts';
import { startProxy } from '../testing/gateway.ts';

const path = '/.well-known/jwks.json';
const rotation = '/api/signing-keys/rotate';

/** A gateway whose service keys answers as `state` says. */
async function startWith(cleanup: AsyncDisposableStack, overrides: Readonly<Record<string, string>> = {}) {
  const state = { first: [] as { kid: string }[], asked: 0, isDown: false, kid: 'first', until: Promise.resolve() };
  const base = await startProxy(cleanup, overrides, (app) => {
    const answer = (kid: string) => ({ keys: [{ kid }], etag: kid });
    app.get(path, async (_request, reply) => {
      state.asked += 1;
      const { kid } = state;
      await state.until;
      if (state.isDown) return reply.code(503).send({ error: 'down' });
      return reply.header('etag', `"${kid}"`).header('cache-control', 'public, max-age=3600').send(answer(kid));
    });
    app.get('/acc/:account/prj/:project/.well-known/jwks.json', () => ({ keys: state.first }));
    app.get('/org/:organization/prj/:project/.well-known/jwks.json', (_request, reply) => {
      state.asked += 1;
      return reply.code(404).send({ error: 'no project' });
    });
  });
  const ask = (headers: Record<string, string> = {}, at = path) => fetch(`${base}${at}`, { headers });
  const post = (at: string) => fetch(`${base}${at}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  return { base, state, ask, post };
}

test('a key set is answered from memory while keys is down, with the same headers', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { state, ask, post } = await startWith(cleanup);
  const before = await ask();
  state.isDown = true;
  await post(rotation);
  const after = await ask();
  expect([after.status, await after.text()]).toStrictEqual([200, await before.text()]);
  for (const name of ['etag', 'cache-control', 'content-type']) expect(after.headers.get(name)).toBe(before.headers.get(name));
  expect((await ask({ 'if-none-match': 'W/"first"' })).status).toBe(304);
  expect((await ask({}, '/org/a/prj/b/.well-known/jwks.json')).status).toBe(404);
});

test('many clients cost one request to keys, and a change shows at once', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { state, ask, post } = await startWith(cleanup);
  await Promise.all(Array.from({ length: 50 }, () => ask()));
  expect(state.asked).toBeLessThanOrEqual(2);
  state.kid = 'second';
  await post(rotation);
  expect(await (await ask()).json()).toMatchObject({ keys: [{ kid: 'second' }] });
});

test('the first keys of a project show at once: they come with its first token', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { state, ask } = await startWith(cleanup);
  const read = async () => (await ask({}, '/acc/a/prj/b/.well-known/jwks.json')).json();
  expect(await read()).toStrictEqual({ keys: [] });
  state.first = [{ kid: 'first' }];
  expect(await read()).toStrictEqual({ keys: [{ kid: 'first' }] });
});

test('what changes no document has none fetched again: a sign-in, a token, a decision, a new role', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { state, ask, post } = await startWith(cleanup);
  for (const at of ['/api/auth/login', '/oauth/token', '/api/auth/is-authorized', '/access/v1/evaluation', '/api/roles'])
    await until(async () => {
      await ask();
      const [before, startedAt] = [state.asked, performance.now()];
      await post(at);
      await ask();
      // A document is fresh for a second, which a busy machine may take for this.
      return state.asked === before && performance.now() - startedAt < 1_000;
    });
});

test('what was read before a change and arrives after it is remembered no longer than the change', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { state, ask, post } = await startWith(cleanup);
  const change = () => post(rotation);
  const kidOf = async () => ((await (await ask()).json()) as { keys: { kid: string }[] }).keys[0]?.kid;
  const held = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.until = promise;
    const before = state.asked;
    const answer = kidOf();
    await until(() => state.asked > before);
    state.until = Promise.resolve();
    return { answer, release: resolve };
  };
  const early = await held();
  state.kid = 'second';
  await change();
  early.release();
  expect(await early.answer).toBe('first');
  expect(await kidOf()).toBe('second');
  // It arrives after what was read later.
  await change();
  const late = await held();
  state.kid = 'third';
  await change();
  expect(await kidOf()).toBe('third');
  late.release();
  expect(await late.answer).toBe('second');
  expect(await kidOf()).toBe('third');
});

test('reads count in a limit of their own, whether remembered or not, and everything else in the global one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { base, ask } = await startWith(cleanup, { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '1' });
  // What is no read goes to the service.
  const statuses = [];
  for (const method of ['POST', 'DELETE']) statuses.push((await fetch(`${base}${path}`, { method })).status === 429);
  expect(statuses).toStrictEqual([false, true]);
  for (let times = 0; times < 8; times += 1) expect((await ask()).status).toBe(200);
  const unknown = [];
  for (let times = 0; times < 4; times += 1) unknown.push((await ask({}, `/org/a/prj/${times}/.well-known/jwks.json`)).status);
  expect(unknown).toStrictEqual([404, 404, 429, 429]);
  expect((await ask()).status).toBe(429);
});
