import { afterAll, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { startProxy } from '../testing/gateway.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

const project = '/org/0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11/prj/0198c5f4-7d2a-7c3e-9b1f-2a6d4e8f0c11/oauth';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A client is known when its secret is `right`. */
function routes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  for (const path of [`${project}/token`, `${project}/introspect`, `${project}/revoke`, '/oauth/token'])
    app.post(path, async (request, reply) => {
      const basic = Buffer.from(String(request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
      const isWrong = basic.endsWith(':wrong') || String(request.body).includes('client_secret=wrong');
      return reply.code(isWrong ? 401 : String(request.body).includes('broken') ? 400 : 200).send({});
    });
  app.post('/api/auth/login', async () => ({}));
  app.post('/api/auth/device', async () => ({}));
}

const start = (overrides: Readonly<Record<string, string>> = {}) =>
  startProxy(cleanup, { SECURITY_ENABLE_RATE_LIMIT: 'true', ...overrides }, routes);

const basicOf = (id: string, secret: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` });
async function ask(base: string, path: string, headers: object = {}, body = 'a=b'): Promise<number> {
  const response = await fetch(base + path, { method: 'POST', headers: { ...form, ...headers }, body });
  await response.arrayBuffer();
  return response.status;
}
async function repeat(times: number, act: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1) statuses.push(await act());
  return statuses;
}

test('failed client authentication counts in the auth layer, whichever way it is sent, and then ends', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_AUTH_MAX: '4' });
  const failures = [
    ...(await repeat(2, () => ask(base, `${project}/token`, basicOf('app', 'wrong')))),
    await ask(base, `${project}/introspect`, {}, 'client_id=app&client_secret=wrong'),
    await ask(base, '/oauth/token', basicOf('tool', 'wrong')),
  ];
  expect(failures).toStrictEqual([401, 401, 401, 401]);
  expect(await ask(base, `${project}/revoke`, basicOf('app', 'right'))).toBe(429);
  // A guess of a secret is an attempt like one of a password.
  expect(await ask(base, '/api/auth/login', { 'content-type': 'application/json' }, '{}')).toBe(429);
});

test('the codes of devices are guessed as often as passwords, and no more', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_AUTH_MAX: '2' });
  const guess = () => ask(base, '/api/auth/device', { 'content-type': 'application/json' }, '{"userCode":"BCDF-GHJK"}');
  expect(await repeat(3, guess)).toStrictEqual([200, 200, 429]);
  expect(await ask(base, `${project}/device`, {}, 'client_id=native')).toBe(429);
});

test('people who sign in do not use up what clients may do', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_AUTH_MAX: '2' });
  const login = () => ask(base, '/api/auth/login', { 'content-type': 'application/json' }, '{}');
  expect(await repeat(3, login)).toStrictEqual([200, 200, 429]);
  expect(await ask(base, `${project}/token`, {}, 'client_id=spa&grant_type=authorization_code')).toBe(200);
});

test('a client that authenticates is counted by itself, not by its address', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_MAX: '3', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '5' });
  const first = () => ask(base, `${project}/token`, basicOf('first', 'right'));
  expect(await repeat(6, first)).toStrictEqual([200, 200, 200, 200, 200, 429]);
  expect(await ask(base, `${project}/introspect`, basicOf('second', 'right'))).toBe(200);
  // The address has its whole limit left.
  const open = () => ask(base, `${project}/token`, {}, 'client_id=spa');
  expect(await repeat(4, open)).toStrictEqual([200, 200, 200, 429]);
});

test('… and so is one that authenticates in the body', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_MAX: '3', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '5' });
  const post = () => ask(base, `${project}/token`, {}, 'client_id=poster&client_secret=right');
  expect(await repeat(5, post)).toStrictEqual([200, 200, 200, 200, 200]);
  const assertion = `x.${Buffer.from(JSON.stringify({ iss: 'signer' })).toString('base64url')}.y`;
  expect(await repeat(4, () => ask(base, `${project}/token`, {}, `client_assertion=${assertion}`))).toStrictEqual([200, 200, 200, 200]);
  const bearer = () => ask(base, '/oauth/token', {}, `client_id=machine&assertion=${assertion}`);
  expect(await repeat(4, bearer)).toStrictEqual([200, 200, 200, 200]);
});

test('the name of another client, without its secret, uses up nothing of that client', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_MAX: '1', SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '5' });
  const broken = (name = 'victim') => ask(base, `${project}/token`, basicOf(name, 'guess'), 'broken');
  expect(await repeat(3, broken)).toStrictEqual([400, 400, 400]);
  expect(await ask(base, `${project}/token`, basicOf('victim', 'wrong'))).toBe(401);
  expect(await ask(base, `${project}/token`, basicOf('victim', 'right'))).toBe(200);
  // What was not proven is counted by address, whatever name it gives.
  expect([await broken('another'), await broken('third')]).toStrictEqual([400, 429]);
});

test('a client has one count, however its name is written', async () => {
  const base = await start({ SECURITY_RATE_LIMIT_CREDENTIAL_MAX: '2' });
  const spelled = ['first', '%66irst', 'f%69rst'];
  const answers = [];
  for (const name of spelled) answers.push(await ask(base, `${project}/token`, basicOf(name, 'right')));
  expect(answers).toStrictEqual([200, 200, 429]);
});
