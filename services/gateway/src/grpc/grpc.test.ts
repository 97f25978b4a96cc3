import { readFileSync } from 'node:fs';
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { type Arrival, type Call, connect, definitionOf, implement, serveGrpc } from '@tessera/kernel/grpc';
import { testUnless } from '../../../../test/support/unless.ts';
import { until } from '../../../../test/support/until.ts';
import { choosePort } from '../../../../tools/stack/ports.ts';
import { makeCertificate, withoutOpenssl } from '../testing/certificate.ts';
import { testSecret as secret, startGateway } from '../testing/gateway.ts';
import { allServicesAt, startService } from '../testing/service.ts';

type Seen = { readonly call: Call; readonly arrival: Arrival };

/** A replica of rbac: applications need a token, and services a credential. */
async function startRbac(cleanup: AsyncDisposableStack, name = 'rbac', delayMs = 0) {
  const seen: Seen[] = [];
  const services: Call[] = [];
  const rbac = implement<'rbac.v1.Authorization', { arrival: Arrival }>(
    'rbac.v1.Authorization',
    {
      isAuthorized: async ({ resource }, call) => {
        if (call.application === undefined) services.push(call);
        else seen.push({ call, arrival: call.application.arrival });
        if (resource === 'Limited') throw failures.rateLimited(7);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        return { authorized: true, reason: name };
      },
      isAuthorizedMany: async ({ checks }) => ({ decisions: checks.map(() => ({ authorized: false, reason: name })) }),
      listPermissions: async () => ({ permissions: [], consistencyToken: name }),
      findSubjects: async () => ({ ids: [], nextCursor: '' }),
      findActions: async () => ({ actions: [], nextCursor: '' }),
      findResources: async () => ({ resources: [], nextCursor: '' }),
    },
    {
      admit: async (arrival) => {
        if (!arrival.authorization?.startsWith('Bearer ')) throw failures.unauthenticated();
        return { arrival };
      },
    },
  );
  const server = await serveGrpc({ listen: '127.0.0.1:0', secret, services: [rbac] });
  cleanup.defer(() => server.stop(100));
  return { seen, services, ...server };
}

type Given = { readonly env?: Readonly<Record<string, string>>; readonly credentials?: ChannelCredentials; readonly host?: string };

async function openGateway(cleanup: AsyncDisposableStack, rbacUrls: string, given: Given = {}) {
  const { env = {}, credentials: channel = credentials.createInsecure(), host = '127.0.0.1' } = given;
  const { url } = await startService(cleanup);
  const port = await choosePort(0, '127.0.0.1');
  await startGateway(cleanup, { ...allServicesAt(url), RBAC_GRPC_URL: rbacUrls, GATEWAY_GRPC_LISTEN: `${host}:${port}`, ...env });
  const address = `${host}:${port}`;
  const client = new Client(address, channel);
  cleanup.defer(() => client.close());
  const call = (path: string, request: Buffer, headers: Readonly<Record<string, string>> = {}, timeoutMs = 10_000) => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new Promise<{ code: string; details?: string; metadata?: Metadata; answer?: Buffer | undefined }>((resolve) => {
      const done = (error: ServiceError | null, answer?: Buffer) =>
        resolve(
          error === null ? { code: 'OK', answer } : { code: status[error.code] ?? '', details: error.details, metadata: error.metadata },
        );
      const asIs = (bytes: Buffer) => bytes;
      client.makeUnaryRequest(path, asIs, asIs, request, metadata, { deadline: Date.now() + timeoutMs }, done);
    });
  };
  const isAuthorized = definitionOf('rbac.v1.Authorization')['isAuthorized'];
  if (isAuthorized === undefined) throw new Error('no such method');
  const ask = async (headers: Readonly<Record<string, string>> = { authorization: 'Bearer t' }, resource = 'Role', timeoutMs?: number) => {
    const { answer, ...rest } = await call(
      isAuthorized.path,
      isAuthorized.requestSerialize({ resource, action: 'Query' }),
      headers,
      timeoutMs,
    );
    return { ...rest, ...(answer && isAuthorized.responseDeserialize(answer)) } as { code: string; reason?: string; metadata?: Metadata };
  };
  return { address, call, ask };
}

test('passes the token, the deadline and the ids of a call on, and rbac’s answer back', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { ask } = await openGateway(cleanup, rbac.address, { env: { SECURITY_TRUST_PROXY: '1' } });
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const headers = { authorization: 'Bearer t', 'x-request-id': 'request-1', traceparent, 'x-forwarded-for': '203.0.113.9' };
  expect(await ask(headers, 'Role', 5_000)).toMatchObject({ code: 'OK', authorized: true, reason: 'rbac' });
  const [{ call, arrival } = { call: undefined, arrival: undefined }] = rbac.seen;
  expect(arrival).toMatchObject({ authorization: 'Bearer t', carrier: 'gateway', forwardedFor: '203.0.113.9' });
  expect(call).toMatchObject({ caller: 'application', requestId: 'request-1', traceparent });
  expect(Number(call?.deadline) - Date.now()).toBeLessThanOrEqual(5_000);
  const limited = await ask(undefined, 'Limited');
  expect([limited.code, limited.metadata?.get('retry-after')]).toStrictEqual(['RESOURCE_EXHAUSTED', ['7']]);
});

test('never lends its own trust: no call from outside arrives as that of a service', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { ask, call, address } = await openGateway(cleanup, rbac.address);
  for (const headers of [{}, { authorization: '' }, { 'x-tessera-service': 'gateway.1.AAAA' }, { 'x-tessera-carrier': 'gateway.1.AAAA' }])
    expect((await ask(headers)).code).toBe('UNAUTHENTICATED');
  // Not even the holder of the inner secret is a service here.
  const inside = connect({ service: 'rbac.v1.Authorization', url: address, secret, self: 'identity' });
  cleanup.defer(() => inside.close());
  await expect(inside.listPermissions({})).rejects.toMatchObject({ kind: 'unavailable' });
  for (const path of ['/rbac.v1.Roles/EndMembership', '/keys.v1.Keys/Sign', '/events.v1.Inbox/Deliver', '/identity.v1.Identity/GetUsers'])
    expect((await call(path, Buffer.alloc(0), { authorization: 'Bearer t' })).code).toBe('UNIMPLEMENTED');
  expect(rbac.services).toStrictEqual([]);
});

test('asks another replica when one is down', async () => {
  await using cleanup = new AsyncDisposableStack();
  const [one, two] = [await startRbac(cleanup, 'one'), await startRbac(cleanup, 'two')];
  const { ask } = await openGateway(cleanup, `127.0.0.1:1,${one.address},${two.address}`);
  const reasons = async () => new Set(await Promise.all(Array.from({ length: 12 }, async () => (await ask()).reason)));
  expect(await reasons()).toStrictEqual(new Set(['one', 'two']));
  await one.stop(100);
  expect(await reasons()).toStrictEqual(new Set(['two']));
  await two.stop(100);
  expect((await ask()).code).toBe('UNAVAILABLE');
});

test('ends a call at its deadline', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup, 'slow', 2_000);
  const { ask } = await openGateway(cleanup, rbac.address);
  const startedAt = performance.now();
  expect((await ask(undefined, 'Role', 300)).code).toBe('DEADLINE_EXCEEDED');
  expect(performance.now() - startedAt).toBeLessThan(1_500);
});

test('counts calls like requests, and says when to come back', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { ask } = await openGateway(cleanup, rbac.address, { env: { SECURITY_ENABLE_RATE_LIMIT: 'true', SECURITY_RATE_LIMIT_MAX: '5' } });
  for (let count = 0; count < 5; count += 1) expect((await ask()).code).toBe('OK');
  const refused = await ask();
  expect(refused.code).toBe('RESOURCE_EXHAUSTED');
  expect(Number(refused.metadata?.get('retry-after')[0])).toBeGreaterThan(800);
  expect(rbac.seen).toHaveLength(5);
});

test('refuses large messages before they reach rbac', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { call } = await openGateway(cleanup, rbac.address);
  const { code } = await call('/rbac.v1.Authorization/IsAuthorizedMany', Buffer.alloc(3 * 1_024 * 1_024), { authorization: 'Bearer t' });
  expect(code).toBe('RESOURCE_EXHAUSTED');
});

test('health follows the readiness of rbac, and needs no token', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { call } = await openGateway(cleanup, rbac.address);
  const check = async () => (await call('/grpc.health.v1.Health/Check', Buffer.alloc(0))).answer?.toString('hex');
  await until(async () => (await check()) === '0801');
});

testUnless(withoutOpenssl)('speaks TLS with the gateway’s certificate, and asks for none', async () => {
  await using cleanup = new AsyncDisposableStack();
  const rbac = await startRbac(cleanup);
  const { cert, key } = makeCertificate(cleanup);
  const { ask } = await openGateway(cleanup, rbac.address, {
    env: { GATEWAY_TLS_CERT: cert, GATEWAY_TLS_KEY: key },
    credentials: credentials.createSsl(readFileSync(cert)),
    host: 'localhost',
  });
  expect(await ask()).toMatchObject({ code: 'OK', reason: 'rbac' });
});
