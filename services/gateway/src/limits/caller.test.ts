import { afterAll, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { createLocalCounter } from '@tessera/kernel/quota';
import { createMetrics } from '@tessera/kernel/telemetry';
import type { Claims } from '@tessera/kernel/tokens';
import Fastify from 'fastify';
import { trustNoProxy } from '../edge/address.ts';
import { parseCorsPolicy } from '../edge/cors.ts';
import { installEdge } from '../edge/edge.ts';
import { createCallers } from './caller.ts';
import { installLimits } from './hook.ts';
import { createLayer } from './layers.ts';
import { createLimiter } from './limits.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

function claims(scope: Claims['scope'], sub = 'ada'): Claims {
  return {
    sub,
    aud: 'a',
    iss: 'i',
    exp: 1,
    iat: 1,
    jti: 'j',
    type: 'session',
    ...(scope === undefined ? {} : { scope }),
  };
}
const robot = (credentialId: string, jti: string): Claims => ({
  ...claims({ tenant: 'organization', id: credentialId }, 'robot'),
  jti,
  type: 'apiKey',
  service: { credentialId, generation: 'g', elevated: [] },
});
const ofProject = (sub: string) => claims({ tenant: 'organizationProjectUser', id: `org:${sub}:${sub}` }, sub);
const machine = (clientId: string, jti: string): Claims => ({ ...ofProject(clientId), jti, type: 'apiKey', roleId: 'role', clientId });
/** The token of a person's app. */
const lent = (sub: string, jti: string): Claims => ({ ...ofProject(sub), jti, type: 'projectApp', aud: 'client', scopes: [] });
/** A key's tokens have its own id. */
const key = (jti: string): Claims => ({ ...ofProject(jti), sub: 'ada', jti, type: 'apiKey', roleId: 'role' });
const tokens: Readonly<Record<string, Claims>> = {
  'service-1': robot('c1', 't1'),
  'service-2': robot('c1', 't2'),
  'other-service': robot('c2', 't3'),
  'app-1': machine('a1', 't4'),
  'app-2': machine('a1', 't5'),
  'other-app': machine('a2', 't6'),
  'lent-1': lent('carl', 't7'),
  'lent-2': lent('carl', 't8'),
  'other-lent': lent('dora', 't9'),
  'key-1': key('k1'),
  'key-2': key('k2'),
  ada: claims({ tenant: 'organizationProjectUser', id: 'org:project:ada' }),
  bob: claims({ tenant: 'organizationProjectUser', id: 'org:project:bob' }, 'bob'),
  other: claims({ tenant: 'organizationProjectUser', id: 'org:other:ada' }),
  unscoped: claims(undefined),
};

async function limitedApp(cleanup: AsyncDisposableStack, ofCredential?: number) {
  const app = Fastify();
  const verify = async (token: string): Promise<Claims> => {
    const found = tokens[token];
    if (found === undefined) throw failures.unauthenticated();
    return found;
  };
  installEdge(
    app,
    { trustedProxies: trustNoProxy, cors: parseCorsPolicy(''), responseDefaults: new Map() },
    { metrics: createMetrics({ service: 'gateway', enabled: false }), accessLog: undefined },
  );
  const limiter = createLimiter({
    counter: createLocalCounter(),
    layers: {
      global: createLayer('global', 1_000, 60),
      auth: createLayer('auth', 1_000, 60),
      public: createLayer('public', 1_000, 60),
      tenant: createLayer('tenant', 2, 60),
      credential: ofCredential === undefined ? undefined : createLayer('credential', ofCredential, 60),
      agent: undefined,
      agentOfPerson: undefined,
    },
    callers: createCallers({ verify }),
    isTrusted: () => false,
  });
  installLimits(app, limiter);
  app.get('/api/me', () => 'me');
  cleanup.defer(() => app.close());
  return async (token?: string) =>
    (await app.inject({ url: '/api/me', headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).statusCode;
}

test('all users of a tenant count in one limit, and another tenant has its own', async () => {
  const ask = await limitedApp(cleanup);
  expect([await ask('ada'), await ask('bob'), await ask('ada'), await ask('bob')]).toStrictEqual([200, 200, 429, 429]);
  expect([await ask('other'), await ask('unscoped'), await ask('unscoped'), await ask('unscoped')]).toStrictEqual([200, 200, 200, 429]);
});

test('each further token of a service account, or of an app, counts in the limit of its credential', async () => {
  const ask = await limitedApp(cleanup, 1);
  for (const kind of ['service', 'app', 'lent']) {
    const statuses = [await ask(`${kind}-1`), await ask(`${kind}-2`), await ask(`other-${kind}`)];
    expect([kind, ...statuses]).toStrictEqual([kind, 200, 429, 200]);
  }
  expect([await ask('key-1'), await ask('key-1'), await ask('key-2')]).toStrictEqual([200, 429, 200]);
});

test('a request with a forged token or none counts for no tenant', async () => {
  const ask = await limitedApp(cleanup);
  for (let tries = 0; tries < 5; tries += 1) expect([await ask('forged'), await ask()]).toStrictEqual([200, 200]);
  expect(await ask('ada')).toBe(200);
});
