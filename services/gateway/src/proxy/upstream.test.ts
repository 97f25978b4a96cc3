import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { errors } from 'undici';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt, listen } from '../testing/service.ts';
import { ConnectError } from './failure.ts';
import { createUpstream, type Replica, type Retry, tryReplicas } from './upstream.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

function createReplicas(cleanup: AsyncDisposableStack, count: number) {
  const urls = Array.from({ length: count }, (_, index) => `http://127.0.0.1:${index + 1}`).join(',');
  const upstream = createUpstream('rbac', urls, { connectMs: 1_000, responseMs: 1_000 });
  cleanup.defer(() => upstream.close());
  return upstream;
}

const refused = () => new ConnectError(new Error('ECONNREFUSED'));
const lost = () => new errors.SocketError('other side closed');

test('replicas take turns, and one that is down is tried last', async () => {
  const upstream = createReplicas(cleanup, 3);
  const numberOf = (replica: Replica) => upstream.replicas.indexOf(replica);
  const order = () => upstream.inTurn().map(numberOf);
  expect([order(), order(), order(), order()]).toStrictEqual([
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 1, 2],
  ]);
  const [first] = upstream.replicas;
  assert.ok(first);
  first.downUntilMs = performance.now() + 60_000;
  const seen = Array.from({ length: 4 }, order);
  expect(seen).toStrictEqual([
    [1, 2, 0],
    [2, 1, 0],
    [1, 2, 0],
    [2, 1, 0],
  ]);
});

test('a replica that is known to be down is tried before a request is refused', async () => {
  const upstream = createReplicas(cleanup, 2);
  const [first, second] = upstream.replicas;
  let restarting: Replica | undefined = first;
  const send = async (replica: Replica): Promise<string> => {
    if (replica === restarting) throw refused();
    return 'answered';
  };
  // The first replica restarts and is back within its second of rest, then the second one restarts.
  for (let times = 0; times < 4; times += 1) expect(await tryReplicas(upstream, 'if-not-sent', send)).toBe('answered');
  restarting = second;
  for (let times = 0; times < 4; times += 1) expect(await tryReplicas(upstream, 'if-not-sent', send)).toBe('answered');
});

test('a request is sent again only where that can do nothing twice', async () => {
  const attemptsOf = async (replicas: number, retry: Retry, failure: () => Error) => {
    let attempts = 0;
    const sent = tryReplicas(createReplicas(cleanup, replicas), retry, async () => {
      attempts += 1;
      throw failure();
    });
    await expect(sent).rejects.toMatchObject({ kind: failure === refused ? 'unavailable' : 'bad-gateway' });
    return attempts;
  };
  expect(await attemptsOf(3, 'if-lost', lost)).toBe(2);
  expect(await attemptsOf(1, 'if-lost', lost)).toBe(2);
  expect(await attemptsOf(3, 'if-lost', refused)).toBe(3);
  expect(await attemptsOf(3, 'if-not-sent', lost)).toBe(1);
  expect(await attemptsOf(3, 'if-not-sent', refused)).toBe(3);
});

/** Accepts connections, and ends each of them in the middle of its first request. */
async function startResetting(cleanup: AsyncDisposableStack): Promise<{ readonly url: string; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      if (!String(head).includes('_service')) received.push(String(head).split(' HTTP')[0] ?? '');
      socket.resetAndDestroy();
    });
  });
  const url = await listen(cleanup, server);
  return { url, received };
}

test('a request whose connection was reset may have been received: a POST is not sent again', async () => {
  const { url, received } = await startResetting(cleanup);
  const base = await startGateway(cleanup, { ...allServicesAt(url), RBAC_HTTP_URL: `${url},${url}` });
  expect((await fetch(`${base}/api/roles`, { method: 'POST' })).status).toBe(502);
  expect(received).toStrictEqual(['POST /api/roles']);
  expect((await fetch(`${base}/api/roles`)).status).toBe(502);
  expect(received.slice(1)).toStrictEqual(['GET /api/roles', 'GET /api/roles']);
});

test('a request that waits for a connection times out like one that was sent', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume());
  const url = await listen(cleanup, server);
  const base = await startGateway(cleanup, { ...allServicesAt(url), GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1' });
  const statuses = await Promise.all(Array.from({ length: 150 }, async () => (await fetch(`${base}/api/me`)).status));
  expect(new Set(statuses)).toStrictEqual(new Set([504]));
});
