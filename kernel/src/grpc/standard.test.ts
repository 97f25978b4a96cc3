import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { protoPath } from 'grpc-health-check';
import { until } from '../../../test/support/until.ts';
import { failures } from '../errors/index.ts';
import { type GrpcServer, implement, serveGrpc } from './index.ts';

const reflectionProto = join(
  dirname(createRequire(import.meta.url).resolve('@grpc/reflection')),
  '../proto/grpc/reflection/v1/reflection.proto',
);
const loaded = loadSync([protoPath, reflectionProto], { enums: String, defaults: true, oneofs: true });
function method(service: string, name: string): MethodDefinition<object, object> {
  const found = (loaded[service] as ServiceDefinition)[name];
  if (found === undefined) throw new Error(`no method ${name}`);
  return found;
}

const secret = 'a secret between services, long enough';
let isReady = false;
let server: GrpcServer;
let client: Client;
beforeAll(async () => {
  const authorization = implement(
    'rbac.v1.Authorization',
    {
      isAuthorized: async () => ({ authorized: true, reason: '' }),
      isAuthorizedMany: async () => ({ decisions: [] }),
      listPermissions: async () => ({ permissions: [], consistencyToken: '' }),
      findSubjects: async () => ({ ids: [], nextCursor: '' }),
      findActions: async () => ({ actions: [], nextCursor: '' }),
      findResources: async () => ({ resources: [], nextCursor: '' }),
    },
    {
      admit: async ({ authorization: given }) => {
        if (given !== 'Bearer good') throw failures.unauthenticated();
        return {};
      },
    },
  );
  const catalogue = implement('rbac.v1.Catalogue', {
    checkActions: async () => ({ verdicts: [] }),
    describeActions: async () => ({ descriptions: [] }),
    findResourceServer: async () => ({ identifier: '', slugs: [] }),
  });
  server = await serveGrpc({ listen: '127.0.0.1:0', secret, services: [authorization, catalogue], isReady: async () => isReady });
  client = new Client(server.address, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await server.stop(100);
});

function check(service: string): Promise<string> {
  const { path, requestSerialize, responseDeserialize } = method('grpc.health.v1.Health', 'Check');
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error: ServiceError | null, answer?: object) =>
      resolve(error === null ? String(answer && 'status' in answer && answer.status) : (status[error.code] ?? '')),
    );
  });
}

function watch(service: string) {
  const { path, requestSerialize, responseDeserialize } = method('grpc.health.v1.Health', 'Watch');
  const seen: string[] = [];
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service });
  call.on('data', (answer: { status: string }) => seen.push(answer.status));
  call.on('error', () => undefined);
  return { seen, end: () => call.cancel() };
}

test('health says SERVING when the service is ready, to watchers too, without a credential', async () => {
  const [whole, one, unknown] = [watch(''), watch('rbac.v1.Authorization'), watch('nobody.v1.Nothing')];
  await until(() => one.seen.length === 1 && unknown.seen.length === 1);
  expect(await check('')).toBe('NOT_SERVING');
  isReady = true;
  await until(() => one.seen.at(-1) === 'SERVING' && whole.seen.at(-1) === 'SERVING');
  expect([await check(''), await check('rbac.v1.Catalogue'), await check('nobody.v1.Nothing')]).toStrictEqual([
    'SERVING',
    'SERVING',
    'NOT_FOUND',
  ]);
  isReady = false;
  await until(() => one.seen.at(-1) === 'NOT_SERVING');
  expect([whole.seen.at(-1), unknown.seen]).toStrictEqual(['NOT_SERVING', ['SERVICE_UNKNOWN']]);
  for (const { end } of [whole, one, unknown]) end();
});

function reflect(token: string | undefined, requests: readonly object[]): Promise<{ code: string; answers: readonly object[] }> {
  const { path, requestSerialize, responseDeserialize } = method('grpc.reflection.v1.ServerReflection', 'ServerReflectionInfo');
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  const answers: object[] = [];
  call.on('data', (answer: object) => answers.push(answer));
  for (const request of requests) call.write(request);
  call.end();
  return new Promise((resolve) => {
    call.on('error', () => undefined);
    call.on('status', ({ code }) => resolve({ code: status[code] ?? '', answers }));
  });
}

test('reflection shows the contract for applications, and no inner one', async () => {
  const asked = [
    { listServices: '*' },
    { fileContainingSymbol: 'rbac.v1.Authorization' },
    ...['rbac.v1.Roles', 'rbac.v1.Catalogue', 'keys.v1.Keys', 'constructor', '__proto__'].map((name) => ({ fileContainingSymbol: name })),
  ];
  const { code, answers } = await reflect('good', asked);
  expect(code).toBe('OK');
  expect(answers[0]).toMatchObject({ listServicesResponse: { service: [{ name: 'rbac.v1.Authorization' }] } });
  expect(JSON.stringify(answers[1])).toContain('fileDescriptorProto');
  expect(JSON.stringify(answers.slice(2))).not.toContain('CheckActions');
  for (const answer of answers.slice(2, 5)) expect(answer).toHaveProperty('errorResponse');
});

test('reflection needs the credential of the port’s services, and answers so many questions only', async () => {
  expect((await reflect(undefined, [{ listServices: '*' }])).code).toBe('UNAUTHENTICATED');
  expect((await reflect('bad', [{ listServices: '*' }])).code).toBe('UNAUTHENTICATED');
  const many = Array.from({ length: 1_000 }, () => ({ listServices: '*' }));
  const { code, answers } = await reflect('good', many);
  expect([code, answers.length <= 100]).toStrictEqual(['RESOURCE_EXHAUSTED', true]);
});
