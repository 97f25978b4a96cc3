import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { errors } from 'undici';
import { startGateway } from '../testing/gateway.ts';
import { allServicesAt } from '../testing/service.ts';
import { ConnectError } from './failure.ts';
import { createUpstream, type Replica, type Retry, tryReplicas } from './upstream.ts';

function createReplicas(t: TestContext, count: number) {
  const urls = Array.from({ length: count }, (_, index) => `http://127.0.0.1:${index + 1}`).join(',');
  const upstream = createUpstream('rbac', urls, { connectMs: 1_000, responseMs: 1_000 });
  t.after(() => upstream.close());
  return upstream;
}

const refused = () => new ConnectError(new Error('ECONNREFUSED'));
const lost = () => new errors.SocketError('other side closed');

test('replicas take turns, and one that is down is tried last', async (t) => {
  const upstream = createReplicas(t, 3);
  const numberOf = (replica: Replica) => upstream.replicas.indexOf(replica);
  const order = () => upstream.inTurn().map(numberOf);
  assert.deepEqual(
    [order(), order(), order(), order()],
    [
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ],
  );
  const [first] = upstream.replicas;
  assert.ok(first);
  first.downUntilMs = performance.now() + 60_000;
  const seen = Array.from({ length: 4 }, order);
  assert.deepEqual(seen, [
    [1, 2, 0],
    [2, 1, 0],
    [1, 2, 0],
    [2, 1, 0],
  ]);
});

test('a replica that is known to be down is tried before a request is refused', async (t) => {
  const upstream = createReplicas(t, 2);
  const [first, second] = upstream.replicas;
  let restarting: Replica | undefined = first;
  const send = async (replica: Replica): Promise<string> => {
    if (replica === restarting) throw refused();
    return 'answered';
  };
  // The first replica restarts and is back within its second of rest, then the second one restarts.
  for (let times = 0; times < 4; times += 1) assert.equal(await tryReplicas(upstream, 'if-not-sent', send), 'answered');
  restarting = second;
  for (let times = 0; times < 4; times += 1) assert.equal(await tryReplicas(upstream, 'if-not-sent', send), 'answered');
});

test('a request is sent again only where that can do nothing twice', async (t) => {
  const attemptsOf = async (replicas: number, retry: Retry, failure: () => Error) => {
    let attempts = 0;
    const sent = tryReplicas(createReplicas(t, replicas), retry, async () => {
      attempts += 1;
      throw failure();
    });
    await assert.rejects(sent, { kind: failure === refused ? 'unavailable' : 'bad-gateway' });
    return attempts;
  };
  assert.equal(await attemptsOf(3, 'if-lost', lost), 3);
  assert.equal(await attemptsOf(1, 'if-lost', lost), 2);
  assert.equal(await attemptsOf(3, 'if-not-sent', lost), 1);
  assert.equal(await attemptsOf(3, 'if-not-sent', refused), 3);
  assert.equal(await attemptsOf(3, 'never', refused), 1);
});

/** Accepts connections, and ends each of them in the middle of its first request. */
async function startResetting(t: TestContext): Promise<{ readonly server: Server; readonly received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (head) => {
      if (!String(head).includes('_service')) received.push(String(head).split(' HTTP')[0] ?? '');
      socket.resetAndDestroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { server, received };
}

test('a request whose connection was reset may have been received: a POST is not sent again', async (t) => {
  const { server, received } = await startResetting(t);
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = `http://127.0.0.1:${address.port}`;
  const base = await startGateway(t, { ...allServicesAt(url), RBAC_HTTP_URL: `${url},${url}` });
  assert.equal((await fetch(`${base}/api/roles`, { method: 'POST' })).status, 502);
  assert.deepEqual(received, ['POST /api/roles']);
  assert.equal((await fetch(`${base}/api/roles`)).status, 502);
  assert.deepEqual(received.slice(1), ['GET /api/roles', 'GET /api/roles']);
});

test('a request that waits for a connection times out like one that was sent', async (t) => {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const base = await startGateway(t, { ...allServicesAt(`http://127.0.0.1:${address.port}`), GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '1' });
  const statuses = await Promise.all(Array.from({ length: 150 }, async () => (await fetch(`${base}/api/me`)).status));
  assert.deepEqual(new Set(statuses), new Set([504]));
});
