import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { promises as dns } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, jest, test } from '@jest/globals';
import { repeatableMethods } from '@tessera/proto/services';
import { testUnless } from '../../../test/support/unless.ts';
import { until } from '../../../test/support/until.ts';
import { failures } from '../errors/index.ts';
import { connect, type GrpcServer, type GrpcTls, type Handlers, implement, serveGrpc } from './index.ts';
import { maxMessageBytes } from './security.ts';

const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
afterAll(() => rmSync(folder, { recursive: true }));
function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
const secret = 'a secret between services that is long enough';
const socket = `unix:${join(folder, 'keys.sock')}`;

function serve(listen: string, options: { tls?: GrpcTls; delayMs?: number; onCall?: () => void } = {}): Promise<GrpcServer> {
  return serveGrpc({
    listen,
    secret,
    tls: options.tls,
    services: [
      implement('revocation.v1.Revocations', {
        list: async ({ cursor }) => {
          options.onCall?.();
          if (options.delayMs !== undefined) await later(options.delayMs);
          return { revocations: [], scopes: [], cursor };
        },
      }),
    ],
  });
}
function client(url: string, tls?: GrpcTls) {
  return connect({ service: 'revocation.v1.Revocations', url, secret, self: 'rbac', tls });
}

test('a server that stops finishes its calls, and clients find it again over a socket file left behind', async () => {
  const arrived = Promise.withResolvers<void>();
  const first = await serve(socket, { delayMs: 100, onCall: arrived.resolve });
  const revocations = client(socket);
  const inFlight = revocations.list({ cursor: 'a' });
  await arrived.promise;
  await first.stop(15_000);
  expect((await inFlight).cursor).toBe('a');
  await expect(revocations.list({ cursor: 'b' }, { timeoutMs: 15_000 })).rejects.toMatchObject({ kind: 'unavailable' });
  writeFileSync(socket.slice('unix:'.length), '');
  const second = await serve(socket);
  await until(async () => (await revocations.list({ cursor: 'c' }).catch(() => undefined)) !== undefined);
  revocations.close();
  await second.stop(500);
});

test('a server that stops ends calls that take longer than it may wait', async () => {
  const arrived = Promise.withResolvers<void>();
  const server = await serve(socket, { delayMs: 20_000, onCall: arrived.resolve });
  const revocations = client(socket);
  const refused = expect(revocations.list({ cursor: '' }, { timeoutMs: 60_000 })).rejects.toMatchObject({ kind: 'unavailable' });
  await arrived.promise;
  const startedAt = Date.now();
  await server.stop(100);
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  await refused;
  revocations.close();
});

/** A CA and a certificate of localhost by it; nothing where openssl is not installed. */
function makeTls(name: string, service = 'rbac'): GrpcTls | undefined {
  const file = (suffix: string) => join(folder, `${name}.${suffix}`);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    openssl('req', '-x509', ...key, '-keyout', file('ca.key'), '-out', file('ca'), '-subj', `/CN=${name} CA`, '-days', '1');
    openssl('req', ...key, '-keyout', file('key'), '-out', file('csr'), '-subj', `/CN=${service}`);
    writeFileSync(file('ext'), 'subjectAltName=DNS:localhost');
    const by = ['-CA', file('ca'), '-CAkey', file('ca.key'), '-CAcreateserial', '-extfile', file('ext')];
    openssl('x509', '-req', '-in', file('csr'), ...by, '-out', file('crt'), '-days', '1');
  } catch {
    return undefined;
  }
  return { GRPC_TLS_CA: file('ca'), GRPC_TLS_KEY: file('key'), GRPC_TLS_CERT: file('crt') };
}

const [ours, foreign] = [makeTls('ours'), makeTls('foreign')];
const withoutCertificates = (ours === undefined || foreign === undefined) && 'NOT RUN: needs openssl';
testUnless(withoutCertificates)('with certificates, both sides must show one of the same authority', async () => {
  if (ours === undefined || foreign === undefined) throw new Error('no certificates');
  const server = await serve('localhost:0', { tls: ours });
  const [good, plain, stranger] = [
    client(server.address, ours),
    client(server.address),
    client(server.address, { ...foreign, GRPC_TLS_CA: ours.GRPC_TLS_CA }),
  ];
  expect((await good.list({ cursor: 'x' })).cursor).toBe('x');
  await expect(plain.list({ cursor: 'x' })).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(stranger.list({ cursor: 'x' })).rejects.toMatchObject({ kind: 'unavailable' });
  for (const each of [good, plain, stranger]) each.close();
  await server.stop(500);
});

testUnless(withoutCertificates)('with certificates, the secret alone opens nothing in the name of another service', async () => {
  if (ours === undefined) throw new Error('no certificates');
  const server = await serve('localhost:0', { tls: ours });
  const identity = connect({ service: 'revocation.v1.Revocations', url: server.address, secret, self: 'identity', tls: ours });
  const rbac = client(server.address, ours);
  await expect(identity.list({ cursor: 'x' })).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await rbac.list({ cursor: 'x' })).cursor).toBe('x');
  for (const each of [identity, rbac]) each.close();
  await server.stop(500);
});

test('of two replicas behind one name, one stops the moment the other is back, and no call fails', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = jest.spyOn(dns, 'lookup').mockImplementation((async () => addresses) as never);
  let first = await serve('127.0.0.1:0');
  const port = first.address.split(':')[1];
  let second = await serve(`127.0.0.2:${port}`);
  const revocations = client(`replicas.test:${port}`);
  let isDone = false;
  const calls: Promise<string>[] = [];
  const calling = (async () => {
    for (; !isDone; await later(50)) calls.push(revocations.list({ cursor: '' }).then(() => 'answered', String));
  })();
  // Long enough for the longest pause between two attempts to connect.
  for (let times = 0; times < 2; times += 1) {
    await first.stop(500);
    await later(1_000);
    first = await serve(`127.0.0.1:${port}`);
    await second.stop(500);
    await later(1_000);
    second = await serve(`127.0.0.2:${port}`);
  }
  isDone = true;
  await calling;
  expect(calls.length).toBeGreaterThan(20);
  expect((await Promise.all(calls)).filter((outcome) => outcome !== 'answered')).toStrictEqual([]);
  revocations.close();
  lookup.mockRestore();
  for (const each of [first, second]) await each.stop(500);
});

test('of two replicas in a list both are called, and one that is gone costs no call', async () => {
  const called = [0, 0];
  const count = (replica: 0 | 1) => ({ onCall: () => (called[replica] = (called[replica] ?? 0) + 1) });
  const [first, second] = [await serve('127.0.0.1:0', count(0)), await serve('127.0.0.1:0', count(1))];
  const revocations = client(`${first.address},${second.address}`);
  await until(async () => {
    await revocations.list({ cursor: '' });
    return called.every((calls) => calls > 0);
  });
  await first.stop(500);
  const before = called[1] ?? 0;
  for (let times = 0; times < 10; times += 1) expect((await revocations.list({ cursor: 'x' })).cursor).toBe('x');
  expect((called[1] ?? 0) - before).toBe(10);
  revocations.close();
  await second.stop(500);
});

/** Passes connections on to the server, and can cut them. */
async function startProxy(target: string) {
  const sockets = new Set<Socket>();
  const port = Number(target.split(':')[1]);
  const proxy = createServer((incoming) => {
    const outgoing = connectSocket(port, '127.0.0.1');
    for (const each of [incoming, outgoing]) sockets.add(each.on('error', () => undefined));
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  assert.ok(typeof address === 'object' && address !== null);
  const cut = (): void => {
    for (const each of sockets) each.destroy();
    sockets.clear();
  };
  const close = (): void => {
    cut();
    proxy.close();
  };
  return { url: `127.0.0.1:${address.port}`, cut, close };
}

/** A server whose calls all go to `onCall`. */
function serveTenancy(onCall: () => Promise<void>): Promise<GrpcServer> {
  const after =
    <Response>(response: Response) =>
    async () => {
      await onCall();
      return response;
    };
  const handlers: Handlers<'tenancy.v1.Tenancy'> = {
    listAccounts: after({ accounts: [] }),
    closeAccounts: after({}),
    listMemberships: after({ organizations: [], projects: [] }),
    listPlaces: after({ isHere: false, customers: [], isGranted: false, canSignUp: false }),
    signUpOrganization: after({ organization: { organizationId: '', name: '', slug: '' }, isMade: false }),
    listOrganizations: after({ organizations: [] }),
    listPeople: after({ userIds: [], totalCount: 0 }),
    filterPeople: after({ userIds: [] }),
    getScopes: after({ exists: [] }),
    listSetUpDomains: after({ domains: [] }),
    claimSetUpDomain: after({ id: '', domain: '', status: '', recordName: '', recordValue: '' }),
    checkSetUpDomain: after({ id: '', domain: '', status: '', recordName: '', recordValue: '' }),
    nameScopes: after({ names: [] }),
    removePerson: after({ removed: true }),
    holdPlace: after({}),
    findDomainOwner: after({}),
    getAdmission: after({ isOpen: false, isDomainProven: false, isMember: false, hasProvenDomain: false, hasLeft: false, isFull: false }),
    admitMember: after({ outcome: 'closed' }),
    getSessionPolicy: after({ requireSecondFactor: false }),
  };
  return serveGrpc({ listen: '127.0.0.1:0', secret, services: [implement('tenancy.v1.Tenancy', handlers)] });
}

test('a call whose connection breaks is sent once more, if the proto file marks its method', async () => {
  let calls = 0;
  const server = await serveTenancy(async () => {
    calls += 1;
    if (calls > 1) return;
    proxy.cut();
    await later(20_000);
  });
  const proxy = await startProxy(server.address);
  const tenancy = connect({ service: 'tenancy.v1.Tenancy', url: proxy.url, secret, self: 'identity', timeoutMs: 15_000 });
  expect(await tenancy.listAccounts({ userIds: [] })).toStrictEqual({ accounts: [] });
  expect(calls).toBe(2);
  calls = 0;
  await expect(tenancy.removePerson({ scope: { tenant: 'organization', id: 'o' }, userId: 'u', hard: false })).rejects.toMatchObject({
    kind: 'unavailable',
  });
  await later(300);
  expect(calls).toBe(1);
  tenancy.close();
  proxy.close();
  await server.stop(0);
});

test('a call that the service itself answers with `unavailable` is not sent again', async () => {
  let calls = 0;
  const server = await serveTenancy(async () => {
    calls += 1;
    throw failures.unavailable('rbac');
  });
  const tenancy = connect({ service: 'tenancy.v1.Tenancy', url: server.address, secret, self: 'identity', timeoutMs: 15_000 });
  await expect(tenancy.listAccounts({ userIds: [] })).rejects.toEqual(
    expect.objectContaining({ kind: 'unavailable', params: { service: 'rbac' } }),
  );
  expect(calls).toBe(1);
  tenancy.close();
  await server.stop(500);
});

test('no method that makes a change twice when it is called twice is marked as repeatable', () => {
  const methods = new Set(repeatableMethods().map(({ service, method }) => `${service}/${method}`));
  const changes = [
    ...['CreateAccount', 'CloseAccounts', 'RemovePerson'].map((method) => `tenancy.v1.Tenancy/${method}`),
    ...['ChangeMemberRole', 'EndMembership', 'EndMemberships', 'SetSubjectRoles'].map((method) => `rbac.v1.Roles/${method}`),
  ];
  expect(changes.filter((method) => methods.has(method))).toStrictEqual([]);
  for (const method of ['rbac.v1.Authorization/IsAuthorized', 'keys.v1.Keys/SignMany', 'events.v1.Inbox/Deliver'])
    expect(methods.has(method)).toStrictEqualFor(method, true);
});

test('a message that is too long fails alone, and the longest possible one is served', async () => {
  const held = Promise.withResolvers<void>();
  const tooLong = '-'.repeat(maxMessageBytes + 1);
  const server = await serveGrpc({
    listen: '127.0.0.1:0',
    secret,
    services: [
      implement('revocation.v1.Revocations', {
        list: async ({ cursor }) => {
          if (cursor === 'held') await held.promise;
          return { revocations: [], scopes: [], cursor: cursor === 'long' ? tooLong : cursor };
        },
      }),
    ],
  });
  const revocations = client(server.address);
  const list = (cursor: string) => revocations.list({ cursor }, { timeoutMs: 30_000 });
  const others = Array.from({ length: 8 }, () => list('held'));
  for (const cursor of [tooLong, 'long']) await expect(list(cursor)).rejects.toMatchObject({ kind: 'internal' });
  const longest = tooLong.slice(0, -100);
  expect((await list(longest)).cursor).toHaveLength(longest.length);
  held.resolve();
  for (const { cursor } of await Promise.all(others)) expect(cursor).toBe('held');
  revocations.close();
  await server.stop(500);
});
