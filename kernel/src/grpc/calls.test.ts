import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ChannelOptions, Client, credentials, Metadata, Server, ServerCredentials, type ServiceError, status } from '@grpc/grpc-js';
import type { Answer, Call } from '@tessera/proto/types/call.v1';
import { until } from '../../../tools/testing/until.ts';
import { failures } from '../errors/index.ts';
import { createCallStreams } from './calls-client.ts';
import { CALLS, definitionOf, OPEN_PATH } from './contract.ts';
import { CREDENTIAL_HEADER, createCredentialIssuer } from './credential.ts';
import { connect, type GrpcServer, implement, serveGrpc } from './index.ts';
import { MAX_MESSAGE_BYTES } from './security.ts';

const secret = 'a secret between services, long enough';
const path = '/revocation.v1.Revocations/List';
const issue = createCredentialIssuer(secret, 'rbac');
const list = definitionOf('revocation.v1.Revocations')['list'] as {
  readonly requestSerialize: (request: { readonly cursor: string }) => Buffer;
  readonly responseDeserialize: (wire: Buffer) => { readonly cursor: string };
};

const tooLong = '-'.repeat(MAX_MESSAGE_BYTES + 1);

type Behaviour = { readonly name?: string; readonly hold?: Promise<unknown>; readonly onCall?: () => void };

function serve({ name = '', hold, onCall }: Behaviour = {}): Promise<GrpcServer> {
  return serveGrpc({
    listen: '127.0.0.1:0',
    secret,
    services: [
      implement('revocation.v1.Revocations', {
        list: async ({ cursor }) => {
          onCall?.();
          if (cursor === 'hold') await hold;
          if (cursor === 'missing') throw failures.notFound('Cursor');
          if (cursor === 'long') return { revocations: [], cursor: tooLong };
          return { revocations: [], cursor: `${name}${cursor}` };
        },
      }),
    ],
  });
}

function clientOf(t: TestContext, url: string) {
  const client = connect({ service: 'revocation.v1.Revocations', url, secret, self: 'rbac', isHot: true });
  t.after(() => client.close());
  return client;
}

function opening(credential = issue(OPEN_PATH)): Metadata {
  const metadata = new Metadata();
  metadata.set(CREDENTIAL_HEADER, credential);
  return metadata;
}

/** A stream of calls as no client of ours would speak on it. */
function openRaw(t: TestContext, address: string, metadata = opening()) {
  const client = new Client(address, credentials.createInsecure());
  t.after(() => client.close());
  const { requestSerialize, responseDeserialize } = definitionOf(CALLS)['open'] as {
    requestSerialize: (call: Call) => Buffer;
    responseDeserialize: (wire: Buffer) => Answer;
  };
  const stream = client.makeBidiStreamRequest<Call, Answer>(OPEN_PATH, requestSerialize, responseDeserialize, metadata);
  t.after(() => stream.cancel());
  const answers: Answer[] = [];
  const ended = new Promise<status>((resolve) => stream.on('status', ({ code }) => resolve(code)));
  stream.on('data', (answer: Answer) => answers.push(answer)).on('error', () => {});
  const call = (given: Partial<Call> & { readonly cursor?: string }): void => {
    const { cursor = '', ...rest } = given;
    const request = list.requestSerialize({ cursor });
    stream.write({ id: 1, method: path, credential: issue(path), requestId: 'r', timeoutMs: 5_000, request, ...rest });
  };
  return { stream, answers, ended, call };
}

test('a thousand calls at once get each its own answer or failure', async (t) => {
  const server = await serve();
  t.after(() => server.stop(500));
  const client = clientOf(t, server.address);
  const asked = Array.from({ length: 1_000 }, (_, at) => (at % 10 === 0 ? 'missing' : `${at}`));
  const settled = await Promise.allSettled(asked.map((cursor) => client.list({ cursor }, { timeoutMs: 30_000 })));
  for (const [at, result] of settled.entries()) {
    if (at % 10 === 0) assert.ok(result.status === 'rejected' && result.reason.kind === 'not-found');
    else assert.ok(result.status === 'fulfilled' && result.value.cursor === `${at}`, String(at));
  }
});

test('a request or an answer that is too long fails alone, and the longest there may be is served', async (t) => {
  const release = Promise.withResolvers<void>();
  const server = await serve({ hold: release.promise });
  t.after(() => server.stop(500));
  const client = clientOf(t, server.address);
  const ask = (cursor: string) => client.list({ cursor }, { timeoutMs: 30_000 });
  const others = Array.from({ length: 8 }, () => ask('hold'));
  for (const cursor of [tooLong, 'long']) await assert.rejects(ask(cursor), { kind: 'internal' });
  const longest = tooLong.slice(0, -100);
  assert.equal((await ask(longest)).cursor.length, longest.length);
  release.resolve();
  for (const { cursor } of await Promise.all(others)) assert.equal(cursor, 'hold');
});

test('each call shows a credential for its own method, and so does the stream', async (t) => {
  const server = await serve();
  t.after(() => server.stop(500));
  for (const credential of ['', issue(path), createCredentialIssuer('another secret, also long enough......', 'rbac')(OPEN_PATH)])
    assert.equal(await openRaw(t, server.address, opening(credential)).ended, status.UNAUTHENTICATED);
  const { answers, call, stream, ended } = openRaw(t, server.address);
  call({ id: 1 });
  call({ id: 2, credential: '' });
  call({ id: 3, credential: issue(OPEN_PATH) });
  call({ id: 4, credential: issue('/keys.v1.Keys/Sign') });
  call({ id: 5, method: '/keys.v1.Keys/Sign' });
  call({ id: 6, method: OPEN_PATH, credential: issue(OPEN_PATH) });
  call({ id: 7, request: Buffer.from([0xff]) });
  stream.end();
  assert.equal(await ended, status.OK);
  const told = answers.sort((a, b) => a.id - b.id).map(({ failure }) => failure?.code ?? status.OK);
  const { OK, UNAUTHENTICATED, UNIMPLEMENTED, INTERNAL } = status;
  assert.deepEqual(told, [OK, UNAUTHENTICATED, UNAUTHENTICATED, UNAUTHENTICATED, UNIMPLEMENTED, UNIMPLEMENTED, INTERNAL]);
});

test('a server that stops answers what it was asked, sends callers elsewhere and does not wait for them', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = await serve({ hold: release.promise, onCall: arrived.resolve });
  const client = clientOf(t, server.address);
  const onItsWay = client.list({ cursor: 'hold' }, { timeoutMs: 30_000 });
  await arrived.promise;
  const beganAt = performance.now();
  const stopped = server.stop(60_000);
  setTimeout(release.resolve, 200);
  assert.equal((await onItsWay).cursor, 'hold');
  await stopped;
  assert.ok(performance.now() - beganAt < 5_000, 'no stream is waited for');
  await assert.rejects(client.list({ cursor: '' }), { kind: 'unavailable' });
});

test('a server that stops says so on streams that nobody asks on, and on those that are opened meanwhile', async (t) => {
  const release = Promise.withResolvers<void>();
  const server = await serve({ hold: release.promise });
  const { answers, call, stream, ended } = openRaw(t, server.address);
  call({ id: 1, cursor: 'early' });
  await until(() => answers.length === 1);
  call({ id: 2, cursor: 'hold' });
  const stopped = server.stop(60_000);
  await until(() => answers.some(({ id }) => id === 0));
  call({ id: 3, cursor: 'late' });
  await until(() => answers.some(({ id }) => id === 3));
  release.resolve();
  stream.end();
  assert.equal(await ended, status.OK);
  assert.ok(answers.some(({ id, response }) => id === 2 && response !== undefined));
  await stopped;
});

/** Streams to all of these servers behind one name, each in turn. */
function streamsTo(t: TestContext, servers: readonly { readonly address: string }[], lifetimeMs?: number) {
  const options: ChannelOptions = { 'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }) };
  const channel = new Client(`ipv4:${servers.map(({ address }) => address).join(',')}`, credentials.createInsecure(), options);
  const streams = createCallStreams(channel, (of) => opening(issue(of)), lifetimeMs);
  t.after(() => {
    streams.close();
    channel.close();
  });
  return async (cursor = ''): Promise<string> => {
    const request = list.requestSerialize({ cursor });
    const answer = await streams.call({ method: path, credential: issue(path), requestId: 'r', timeoutMs: 30_000, request });
    return list.responseDeserialize(answer).cursor;
  };
}

test('all replicas are asked, and when one dies what it was asked is lost at once and the others go on', async (t) => {
  const held = Promise.withResolvers<void>();
  const first = await serve({ name: 'first ', hold: new Promise(() => {}), onCall: () => held.resolve() });
  const second = await serve({ name: 'second ', hold: Promise.resolve() });
  t.after(() => second.stop(500));
  const ask = streamsTo(t, [first, second]);
  const seen = new Set<string>();
  await until(async () => seen.add(await ask()).size === 2);
  const asked = Promise.allSettled(Array.from({ length: 8 }, () => ask('hold')));
  await first.stop(0);
  const lost = (await asked).flatMap((result) => (result.status === 'rejected' ? [(result.reason as ServiceError).code] : []));
  assert.ok(lost.length > 0 && lost.every((code) => code === status.UNAVAILABLE), String(lost));
  for (let n = 0; n < 8; n += 1) assert.equal(await ask('x').catch(() => ask('x')), 'second x');
});

test('streams that waited for the first connection do not stay with it', async (t) => {
  const servers = await Promise.all(['first', 'second'].map((name) => serve({ name })));
  t.after(() => Promise.all(servers.map((server) => server.stop(500))));
  const ask = streamsTo(t, servers, 3_600_000);
  const seen = new Set(await Promise.all(Array.from({ length: 8 }, () => ask())));
  await until(async () => seen.add(await ask()).size === 2);
});

test('a client finds its server again on the same address', async (t) => {
  const first = await serve();
  const client = clientOf(t, first.address);
  assert.equal((await client.list({ cursor: 'a' })).cursor, 'a');
  await first.stop(0);
  await assert.rejects(client.list({ cursor: 'b' }), { kind: 'unavailable' });
  const again = await serveGrpc({
    listen: first.address,
    secret,
    services: [implement('revocation.v1.Revocations', { list: async ({ cursor }) => ({ revocations: [], cursor }) })],
  });
  t.after(() => again.stop(500));
  await until(async () => (await client.list({ cursor: 'c' }).catch(() => undefined)) !== undefined);
});

/** A server of before call.v1, or one whose streams are looked at. */
async function serveRaw(t: TestContext, open?: (stream: NodeJS.ReadWriteStream) => void): Promise<{ readonly address: string }> {
  const server = new Server();
  server.addService(definitionOf('revocation.v1.Revocations'), {
    list: (_call: unknown, answer: (error: null, response: object) => void) => answer(null, { revocations: [], cursor: 'alone' }),
  });
  if (open !== undefined) server.addService(definitionOf(CALLS), { open });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  t.after(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}` };
}

test('a server that is older than streams is asked as it was before', async (t) => {
  const client = clientOf(t, (await serveRaw(t)).address);
  for (const cursor of ['a', 'b']) assert.equal((await client.list({ cursor })).cursor, 'alone');
});

test('a stream that breaks is asked for again, whatever it broke of', async (t) => {
  for (const code of [status.INTERNAL, status.RESOURCE_EXHAUSTED, status.CANCELLED]) {
    let opened = 0;
    const { address } = await serveRaw(t, (stream) => {
      opened += 1;
      if (opened === 1) stream.emit('error', { code, details: 'broken' });
      const answer = ({ id }: Call) => stream.write({ id, response: Buffer.alloc(0) } as unknown as string);
      stream.on('error', () => {}).on('data', answer);
    });
    assert.deepEqual(await clientOf(t, address).list({ cursor: '' }), { revocations: [], cursor: '' });
  }
});

test('whoever does not answer in time is not asked again on that stream', async (t) => {
  const opened: NodeJS.ReadWriteStream[] = [];
  const { address } = await serveRaw(t, (stream) => opened.push(stream.on('error', () => {}).resume()));
  const client = clientOf(t, address);
  for (let n = 1; n <= 6; n += 1) {
    await assert.rejects(client.list({ cursor: '' }, { timeoutMs: 100 }), { kind: 'timeout' });
    assert.equal(opened.length, n);
  }
});

test('a stream is replaced when it has lived long enough, and ends when its last call is answered', async (t) => {
  let [opened, ended] = [0, 0];
  const held: (() => void)[] = [];
  const { address } = await serveRaw(t, (stream) => {
    opened += 1;
    stream.on('data', ({ id, method }: Call) => {
      const answer = () => stream.write({ id, response: Buffer.from(method) } as unknown as string);
      if (method === 'hold') held.push(answer);
      else answer();
    });
    stream.on('error', () => {});
    stream.on('end', () => {
      ended += 1;
      stream.end();
    });
  });
  const channel = new Client(address, credentials.createInsecure());
  const streams = createCallStreams(channel, (of) => opening(issue(of)), 100);
  t.after(() => channel.close());
  const call = (method: string) =>
    streams.call({ method, credential: '', requestId: 'r', timeoutMs: 30_000, request: Buffer.alloc(0) }).then(String);
  const onItsWay = call('hold');
  await until(() => held.length === 1);
  for (let n = 0; n < 3; n += 1) assert.equal(await call('x'), 'x');
  await until(() => ended === 3);
  assert.equal(opened, 4);
  assert.equal(await call('y'), 'y');
  assert.equal(opened, 5, 'not on the one that waits for its last answer');
  held[0]?.();
  assert.equal(await onItsWay, 'hold');
  await until(() => ended === 5);
});
