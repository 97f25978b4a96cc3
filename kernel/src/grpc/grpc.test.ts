import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from '@jest/globals';
import { definitionOf } from '@tessera/proto/services';
import { AppError, failures } from '../errors/index.ts';
import { requestContext, startTracing } from '../telemetry/index.ts';
import { createCredentialIssuer, createCredentialVerifier } from './credential.ts';
import { type Call, connect, implement, serveGrpc } from './index.ts';

const secret = 'a secret between services that is long enough';
const scope = { tenant: 'organization', id: 'o' };
const calls: Call[] = [];
const logged: object[] = [];

const authorization = implement('rbac.v1.Authorization', {
  isAuthorized: async ({ resource, subject, noCache, targetJson }, call) => {
    calls.push(call);
    if (resource === 'Refused')
      throw new AppError('conflict', 'errors.test', { params: { n: 3 }, extensions: { field: 'ü' }, cause: 'private' });
    if (resource === 'Broken') throw new Error('SELECT * FROM secrets');
    if (resource === 'Slow') await new Promise((resolve) => setTimeout(resolve, 500));
    return { authorized: true, reason: JSON.stringify({ subject, noCache, targetJson }) };
  },
  isAuthorizedMany: async ({ checks }) => ({ decisions: checks.map(({ action }) => ({ authorized: false, reason: action })) }),
  listPermissions: async () => ({ permissions: [], consistencyToken: '' }),
  findSubjects: async () => ({ ids: [], nextCursor: '' }),
  findActions: async () => ({ actions: [], nextCursor: '' }),
  findResources: async () => ({ resources: [], nextCursor: '' }),
});
const signer = implement('keys.v1.Keys', {
  sign: async () => ({ token: 't', kid: 'k', expiresAt: 4_102_444_800_000 }),
  signMany: async () => ({ responses: [] }),
  listPublishedKeys: async () => ({ keys: [] }),
  signIdToken: async () => ({ signature: '' }),
  findLiveApiKeys: async ({ ids }) => ({ ids }),
  listKeySubjects: async () => ({ subjects: [] }),
  countApiKeys: async () => ({ count: 0 }),
  getVerificationKey: async ({ kid }) => Promise.reject(failures.notFound(kid)),
  getVerificationKeys: async () => ({ keys: [] }),
});

const server = await serveGrpc({
  listen: '127.0.0.1:0',
  secret,
  services: [authorization, signer],
  logger: { error: (fields) => logged.push(fields) },
});
afterAll(async () => server.stop(500));

function check(resource: string) {
  return {
    subject: { type: 'session', userId: 'u', tokenId: 't', scopes: [] },
    scope,
    resource,
    action: 'Read',
    targetJson: '',
    noCache: false,
  };
}

const common = { url: server.address, secret, self: 'tenancy' };
const rbac = connect({ ...common, service: 'rbac.v1.Authorization' });
const keys = connect({ ...common, service: 'keys.v1.Keys' });

describe('a call', () => {
  afterAll(() => {
    rbac.close();
    keys.close();
  });

  test('leaves unset optional fields out and fills in all others', async () => {
    const { reason, ...rest } = await rbac.isAuthorized(check('Role'));
    expect(JSON.parse(reason)).toStrictEqual({
      subject: { type: 'session', userId: 'u', tokenId: 't', scopes: [] },
      noCache: false,
      targetJson: '',
    });
    expect(rest).toStrictEqual({ authorized: true });
  });

  test('carries 64-bit integers as numbers', async () => {
    const scope = { tenant: 'system', id: '' };
    const request = { scope, type: 'session', subject: 's', tokenId: 't', audience: '', lifetimeSeconds: 900, claimsJson: '{}' };
    expect((await keys.sign(request)).expiresAt).toBe(4_102_444_800_000);
  });

  test('carries the request id, the trace and the caller', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await requestContext.run({ requestId: 'request-1', traceparent }, () => rbac.isAuthorized(check('Role')));
    const call = calls.at(-1);
    expect([call?.caller, call?.requestId, call?.traceparent]).toStrictEqual(['tenancy', 'request-1', traceparent]);
    expect(call && call.deadline.getTime() - Date.now() < 2_001).toBeTruthy();
  });

  test('makes a span for a call within a trace, and none for a poll, which has none', async () => {
    const bodies: string[] = [];
    const collector = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString('latin1')));
      request.on('end', () => response.end('{}'));
    }).listen(0);
    const { port } = collector.address() as { port: number };
    const tracing = await startTracing({ service: 'rbac', endpoint: `http://127.0.0.1:${port}` });
    await rbac.isAuthorized(check('Role'));
    const traceId = '0af7651916cd43dd8448eb211c80319d';
    await requestContext.run({ requestId: 'r', traceparent: `00-${traceId}-b7ad6b7169203331-01` }, () => rbac.isAuthorized(check('Role')));
    await tracing.stop();
    collector.close();
    expect(bodies.join('').match(/"traceId":"[0-9a-f]+"/g)).toStrictEqual([`"traceId":"${traceId}"`, `"traceId":"${traceId}"`]);
  });

  test('rebuilds an AppError with its kind, key, params and extensions, without its cause', async () => {
    const error = await rbac.isAuthorized(check('Refused')).catch((reason: unknown) => reason);
    assert.ok(error instanceof AppError);
    expect([error.kind, error.key, error.params, error.extensions]).toStrictEqual(['conflict', 'errors.test', { n: 3 }, { field: 'ü' }]);
    expect(JSON.stringify(error.cause)).not.toContain('private');
  });

  test('hides an unknown error from the caller, and the server logs it', async () => {
    const before = logged.length;
    const error = await rbac.isAuthorized(check('Broken')).catch((reason: unknown) => reason);
    assert.ok(error instanceof AppError && error.kind === 'internal');
    expect(JSON.stringify(error.cause)).not.toContain('secrets');
    expect(logged.length - before).toBe(1);
  });

  test('fails with timeout or unavailable and the name of the service', async () => {
    await expect(rbac.isAuthorized(check('Slow'), { timeoutMs: 50 })).rejects.toEqual(
      expect.objectContaining({ kind: 'timeout', params: { service: 'rbac' } }),
    );
    const nobody = connect({ service: 'rbac.v1.Roles', url: '127.0.0.1:1', secret, self: 'tenancy' });
    await expect(nobody.getRoles({ scope, roleIds: [] })).rejects.toEqual(
      expect.objectContaining({ kind: 'unavailable', params: { service: 'rbac' } }),
    );
    nobody.close();
  });
});

type RawOptions = { service?: 'rbac.v1.Authorization' | 'keys.v1.Keys'; request?: object; serialize?: (request: object) => Buffer };
function raw(credential: string | undefined, method: string, options: RawOptions = {}): Promise<status> {
  const { service = 'rbac.v1.Authorization', request = check('Role'), serialize } = options;
  const client = new Client(server.address, credentials.createInsecure());
  const metadata = new Metadata();
  if (credential !== undefined) metadata.set('x-tessera-service', credential);
  const definition = definitionOf(service)[method];
  assert.ok(definition);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      definition.path,
      serialize ?? definition.requestSerialize,
      definition.responseDeserialize,
      request,
      metadata,
      (error: ServiceError | null) => {
        client.close();
        resolve(error?.code ?? status.OK);
      },
    );
  });
}

test('a call needs a credential that is genuine, not expired and made for its method', async () => {
  const path = '/rbac.v1.Authorization/IsAuthorized';
  const now = Date.now();
  const genuine = createCredentialIssuer(secret, 'tenancy')(path);
  expect(await raw(genuine, 'isAuthorized')).toBe(status.OK);
  const refused = {
    missing: undefined,
    empty: '',
    'another secret': createCredentialIssuer('another secret, also long enough......', 'tenancy')(path),
    'another caller': genuine.replace('tenancy', 'gateway'),
    'another method': createCredentialIssuer(secret, 'tenancy')('/rbac.v1.Authorization/ListPermissions'),
    expired: createCredentialIssuer(secret, 'tenancy', () => now - 62_000)(path),
    'from the future': createCredentialIssuer(secret, 'tenancy', () => now + 20_000)(path),
    'cut short': genuine.slice(0, -4),
  };
  for (const [name, credential] of Object.entries(refused))
    expect(await raw(credential, 'isAuthorized')).toStrictEqualFor(name, status.UNAUTHENTICATED);
});

test('a request without a message field that is not optional is refused', async () => {
  const credential = createCredentialIssuer(secret, 'tenancy')('/keys.v1.Keys/Sign');
  const request = { type: 'session', subject: 's', tokenId: 't', audience: '', lifetimeSeconds: 900, claimsJson: '{}' };
  expect(await raw(credential, 'sign', { request, service: 'keys.v1.Keys' })).toBe(status.INTERNAL);
});

test('a message is not decoded before its credential is known (F17)', async () => {
  const path = '/rbac.v1.Authorization/IsAuthorized';
  const garbage = (credential?: string) => raw(credential, 'isAuthorized', { serialize: () => Buffer.from('0aff', 'hex') });
  expect(await garbage()).toBe(status.UNAUTHENTICATED);
  expect(await garbage(createCredentialIssuer('another secret, also long enough......', 'tenancy')(path))).toBe(status.UNAUTHENTICATED);
  expect(await garbage(createCredentialIssuer(secret, 'tenancy')(path))).toBe(status.INTERNAL);
});

test('while a secret is rotated the first value signs and all are accepted', async () => {
  const [old, next] = ['an old secret, also long enough........', 'a new secret, also long enough.........'];
  const verify = createCredentialVerifier(`${next}, ${old}`);
  for (const secrets of [old, next, `${old},${next}`])
    expect(verify(createCredentialIssuer(secrets, 'tenancy')('/a'), '/a')).toBe('tenancy');
  expect(createCredentialVerifier(old)(createCredentialIssuer(`${next},${old}`, 'tenancy')('/a'), '/a')).toBeUndefined();
  expect(createCredentialVerifier(old)(createCredentialIssuer(`${old},${next}`, 'tenancy')('/a'), '/a')).toBe('tenancy');
});

test('a refused credential is a fault of our own: the caller is told that the service is unavailable', async () => {
  await using cleanup = new AsyncDisposableStack();
  const stranger = connect({
    service: 'rbac.v1.Authorization',
    url: server.address,
    secret: 'another secret, also long enough......',
    self: 'tenancy',
  });
  cleanup.defer(() => stranger.close());
  await expect(stranger.isAuthorized(check('Role'))).rejects.toMatchObject({ kind: 'unavailable', params: { service: 'rbac' } });
});

test('a credential is reused for some seconds only', () => {
  let now = 1_000_000;
  const issue = createCredentialIssuer(secret, 'tenancy', () => now);
  const verify = createCredentialVerifier(secret, () => now);
  const first = issue('/p');
  now += 2_000;
  expect(issue('/p')).toBe(first);
  now += 4_000;
  expect(issue('/p')).not.toBe(first);
  expect(verify(first, '/p')).toBe('tenancy');
  now += 60_000;
  expect(verify(first, '/p')).toBeUndefined();
});

test('a cached credential still expires, and is valid for no other method and no other spelling', () => {
  let now = 1_000_000;
  const verify = createCredentialVerifier(secret, () => now);
  const credential = createCredentialIssuer(secret, 'tenancy', () => now)('/a');
  expect(verify(credential, '/a')).toBe('tenancy');
  expect(verify(credential, '/a')).toBe('tenancy');
  expect(verify(credential, '/b')).toBeUndefined();
  expect(verify(`${credential}x`, '/a')).toBeUndefined();
  now += 59_000;
  expect(verify(credential, '/a')).toBe('tenancy');
  now += 2_000;
  expect(verify(credential, '/a')).toBeUndefined();
});
