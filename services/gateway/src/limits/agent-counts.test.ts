/** Apps that act for people: limits of their own, and counts that identity is told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { definitionOf, type Implementation, serveGrpc } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../test/support/until.ts';
import { startGateway, startProxy, testSecret } from '../testing/gateway.ts';
import { startKeys } from '../testing/keys.ts';
import { allServicesAt, startService } from '../testing/service.ts';
import { createAgentCounts } from './agent-counts.ts';
import type { Agent } from './caller.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

type Report = Parameters<Parameters<typeof createAgentCounts>[0]['send']>[0];

/** identity, of which one method is asked. */
async function startIdentity(): Promise<{ readonly url: string; readonly reports: Report[] }> {
  const reports: Report[] = [];
  const countAgentRequests = async (report: Report) => {
    reports.push(report);
    return {};
  };
  const unused = () => Promise.reject(new Error('the gateway does not call this'));
  const others = Object.keys(definitionOf('identity.v1.Identity')).map((method) => [method, unused]);
  const handlers = { ...Object.fromEntries(others), countAgentRequests } as unknown as Implementation['handlers'];
  const door = await serveGrpc({
    listen: '127.0.0.1:0',
    secret: testSecret,
    services: [{ name: 'identity.v1.Identity', handlers, door: undefined }],
  });
  cleanup.defer(() => door.stop());
  return { url: door.address, reports };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('what an app asks for a person over REST and GraphQL is told to identity, with what was refused, and of nobody else', async () => {
  const [keys, identity] = [await startKeys(cleanup), await startIdentity()];
  const refusal = { data: null, errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] };
  const service = await startService(cleanup, (app) => {
    app.get('/api/roles', (_request, reply) => reply.code(403).send({}));
    app.post('/graphql', () => refusal);
  });
  const userId = newId();
  const [token, forged] = [keys.lent('app_1', userId), `${keys.lent('app_1', userId).slice(0, -8)}AAAAAAAA`];
  {
    await using gateway = new AsyncDisposableStack();
    const grpc = { KEYS_GRPC_URL: keys.url, IDENTITY_GRPC_URL: identity.url };
    const base = await startGateway(gateway, { ...allServicesAt(service.url), ...grpc });
    for (const one of [token, keys.lent('app_2', userId), token, forged, keys.session(), keys.apiKey()]) {
      await fetch(`${base}/api/me`, bearer(one));
    }
    expect((await fetch(`${base}/api/roles`, bearer(token))).status).toBe(403);
    const { headers } = bearer(token);
    const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"query":"{ me { id } }"}' };
    expect(await (await fetch(`${base}/graphql`, posted)).json()).toStrictEqual(refusal);
    expect(identity.reports).toStrictEqual([]);
  }
  const of = { userId, placeId: keys.placeId };
  expect(identity.reports.flatMap(({ counts }) => counts).map((count) => ({ ...count }))).toStrictEqual([
    { clientId: 'app_1', ...of, requests: 4, refused: 2 },
    { clientId: 'app_2', ...of, requests: 1, refused: 0 },
  ]);
});

test('an app has limits for a person and for all, which the 429 names; who is over theirs uses up nothing of the others’', async () => {
  const keys = await startKeys(cleanup);
  const limits = { SECURITY_RATE_LIMIT_AGENT_PERSON_MAX: '2', SECURITY_RATE_LIMIT_AGENT_MAX: '4' };
  const base = await startProxy(cleanup, { SECURITY_ENABLE_RATE_LIMIT: 'true', KEYS_GRPC_URL: keys.url, ...limits });
  const ask = async (token: string) => {
    const answer = await fetch(`${base}/api/me`, bearer(token));
    const body = (await answer.json()) as { extensions?: { limit: string; hint: string } };
    return answer.status === 200 ? 200 : [answer.status, body.extensions?.limit, /SECURITY_\w+/.exec(body.extensions?.hint ?? '')?.[0]];
  };
  const [ada, bob, carl] = [newId(), newId(), newId()];
  const ofPerson = [429, 'agent-person', 'SECURITY_RATE_LIMIT_AGENT_PERSON_MAX'];
  const ofAgent = [429, 'agent', 'SECURITY_RATE_LIMIT_AGENT_MAX'];
  // A new token is no new count.
  const answers = [];
  for (let index = 0; index < 6; index += 1) answers.push(await ask(keys.lent('app', ada)));
  expect(answers).toStrictEqual([200, 200, ofPerson, ofPerson, ofPerson, ofPerson]);
  expect([await ask(keys.lent('app', bob)), await ask(keys.lent('app', bob)), await ask(keys.lent('app', carl))]).toStrictEqual([
    200,
    200,
    ofAgent,
  ]);
  expect([await ask(keys.lent('other', ada)), await ask(keys.session()), await ask(keys.apiKey())]).toStrictEqual([200, 200, 200]);
});

test('memory is bounded, a report has 500 counts, and while identity is away one call fails and nothing waits', async () => {
  const sent: number[] = [];
  let isAway = false;
  const agentOf = (key: string): Agent => ({ clientId: 'app', userId: key, placeId: 'o:p', key: 'app', keyOfPerson: `app ${key}` });
  const counts = createAgentCounts({
    callers: { agentOf },
    send: async (report) => {
      sent.push(report.counts.length);
      if (isAway) throw new Error('away');
    },
    logger: { warn: () => undefined },
    everyMs: 20,
    mostKeys: 600,
  });
  for (let person = 0; person < 700; person += 1) counts.answered({}, `person ${person}`, 200);
  await until(() => sent.length === 2);
  expect(sent).toStrictEqual([500, 100]);
  expect(counts.totals).toStrictEqual({ allowed: 700, refused: 0, limited: 0, untold: 100 });
  isAway = true;
  for (let person = 0; person < 600; person += 1) counts.answered({ isRefused: true }, `person ${person}`, person === 0 ? 429 : 200);
  await until(() => sent.length === 3);
  await sleep(50);
  expect(sent).toStrictEqual([500, 100, 500]);
  expect(counts.totals).toStrictEqual({ allowed: 700, refused: 599, limited: 1, untold: 700 });
  await counts.stop();
});
