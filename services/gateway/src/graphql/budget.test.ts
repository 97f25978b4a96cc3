import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { until } from '../../../../test/support/until.ts';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Not the gateway's own request for the schema, which it sends at its start and periodically. */
function isQuery({ body }: FastifyRequest): boolean {
  return !String((body as { query: string }).query).includes('_service');
}

/** A gateway whose services all answer GraphQL like this. */
async function startWith(cleanup: AsyncDisposableStack, answer: Answer) {
  const received: FastifyRequest[] = [];
  const service = await startService(cleanup, (app) => {
    app.post('/graphql', (request, reply) => {
      if (isQuery(request)) received.push(request);
      return answer(request, reply);
    });
  });
  const base = await startGateway(cleanup, { ...allServicesAt(service.url), GATEWAY_SUBGRAPH_TIMEOUT_SECONDS: '60' });
  const ask = async (query: string, signal?: AbortSignal) => {
    const body = JSON.stringify({ query });
    const headers = { 'content-type': 'application/json', 'x-tessera-rows': '1000000' };
    const response = await fetch(`${base}/graphql`, { method: 'POST', headers, body, ...(signal ? { signal } : {}) });
    return (await response.json()) as { data: unknown; errors?: { extensions: { code: string; translationKey: string } }[] };
  };
  return { ask, received };
}

/** The user of the plan's first fetch, and what other services add to them. */
function partOf(request: FastifyRequest, more: object): object {
  const user = { __typename: 'User', id: '1', name: 'Ada', scope: { tenant: 'account', id: 'a' }, ...more };
  return String((request.body as { query: string }).query).includes('_entities') ? { data: { _entities: [user] } } : { data: { me: user } };
}

const planned = '{ me { name organizations { id } roles { id } } }';
const refused = { data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT', translationKey: 'errors.answerTooLarge' } }] };

test('the services of one request share its rows', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, received } = await startWith(cleanup, (request, reply) => {
    void reply.header('x-tessera-rows', '15000');
    return partOf(request, { organizations: [], roles: [] });
  });
  expect(await ask(planned)).toMatchObject(refused);
  expect(received.map(({ headers }) => headers['x-tessera-rows'])).toStrictEqual(['20000', '5000', '5000']);
});

test('no service is asked further once one has refused', async () => {
  await using cleanup = new AsyncDisposableStack();
  const { ask, received } = await startWith(cleanup, (request, reply) => {
    void reply.header('x-tessera-rows', '20001');
    return partOf(request, {});
  });
  expect(await ask(planned)).toMatchObject(refused);
  expect(received).toHaveLength(1);
});

test('the services of one request share its bytes, in a plan and without one', async () => {
  await using cleanup = new AsyncDisposableStack();
  const name = 'x'.repeat(3 * 1024 * 1024);
  const { ask } = await startWith(cleanup, (request) => partOf(request, { name, organizations: [{ id: name }], roles: [{ id: name }] }));
  expect(await ask(planned)).toMatchObject(refused);
  const { ask: askOne } = await startWith(cleanup, (request) => partOf(request, { name: name.repeat(3) }));
  expect(await askOne('{ me { name } }')).toMatchObject(refused);
});

test('a client that disconnects ends the request to the service', async () => {
  await using cleanup = new AsyncDisposableStack();
  const client = new AbortController();
  const endings: string[] = [];
  const { ask } = await startWith(cleanup, async (request, reply) => {
    if (!isQuery(request)) return partOf(request, {});
    reply.raw.once('close', () => endings.push(reply.raw.writableFinished ? 'answered' : 'aborted'));
    client.abort();
    await Promise.race([once(reply.raw, 'close'), sleep(10_000, undefined, { ref: false })]);
    return partOf(request, {});
  });
  await expect(ask('{ me { name } }', client.signal)).rejects.toThrow();
  await until(() => endings.length > 0);
  expect(endings).toStrictEqual(['aborted']);
});

test('a service that has refused ends the requests that were sent at the same time', async () => {
  await using cleanup = new AsyncDisposableStack();
  let ended = 0;
  const { ask } = await startWith(cleanup, async (request, reply) => {
    const query = String((request.body as { query: string }).query);
    if (!query.includes('_entities')) return partOf(request, {});
    if (query.includes('roles')) {
      void reply.header('x-tessera-rows', '20001');
      return partOf(request, { roles: [] });
    }
    reply.raw.once('close', () => {
      ended += reply.raw.writableFinished ? 0 : 1;
    });
    await sleep(2_000);
    return partOf(request, { organizations: [] });
  });
  const startedMs = performance.now();
  expect(await ask(planned)).toMatchObject(refused);
  expect(performance.now() - startedMs).toBeLessThan(1_500);
  await sleep(200);
  expect(ended).toBe(1);
});
