/** The doctor before a real stack, and with each part taken away. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Level } from '../../../packages/cli/src/doctor/finding.ts';
import { examine, type Report } from '../../../tools/doctor/doctor.ts';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import type { Service } from '../../../tools/services.ts';
import { natsVersion, startNats } from '../../../tools/stack/nats.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { testUnless } from '../../support/unless.ts';

let own: Awaited<ReturnType<typeof startOwnStack>>;
beforeAll(async () => {
  own = await startOwnStack();
});
afterAll(() => own.close());

function examineService(service: Service, changes: Readonly<Record<string, string>> = {}): Promise<Report> {
  return examine({ environment: { ...own.stack.env(service), ...changes }, services: [service], timeoutMs: 2_000 });
}

function messages({ findings }: Report, level: Level): readonly string[] {
  return findings.flatMap((finding) => (finding.level === level ? [`${finding.check} ${finding.subject}: ${finding.message}`] : []));
}

describe('a stack that works', () => {
  test('has no error, and each service reaches its database and its peers', async () => {
    for (const service of ['identity', 'tenancy', 'rbac', 'keys', 'gateway'] as const) {
      const report = await examineService(service);
      expect(messages(report, 'error')).toStrictEqualFor(service, []);
      expect(report.exitCode).toStrictEqualFor(service, 2);
    }
    expect(messages(await examineService('rbac'), 'ok')).toEqual(
      expect.arrayContaining([
        'grpc keys: answers rbac',
        'grpc identity: answers rbac',
        'postgres rbac: every migration has run',
        'clock postgres of rbac: its clock agrees with the one here',
      ]),
    );
    expect(messages(await examineService('gateway'), 'ok')).toEqual(
      expect.arrayContaining(['http tenancy: is ready', 'http tenancy: accepts this INTERNAL_AUTH_SECRET', 'grpc keys: answers gateway']),
    );
  });

  test('names what is unsafe for production, and never a value', async () => {
    const secret = 'tessera-secret-tessera-secret-tessera';
    const gateway = await examineService('gateway', { INTERNAL_AUTH_SECRET: secret, SECURITY_CORS_ORIGIN: '*' });
    const unsafe = messages(gateway, 'unsafe').join('\n');
    for (const part of ['NODE_ENV', 'APP_URL is not https', 'SECURITY_ENABLE_RATE_LIMIT', 'SECURITY_CORS_ORIGIN', 'looks made up'])
      expect(unsafe).toContain(part);
    expect(JSON.stringify(gateway)).not.toContain(secret);
    const identity = messages(await examineService('identity'), 'unsafe').join('\n');
    for (const part of ['EMAIL_PROVIDER is outbox', 'TOKEN_BCRYPT_ROUNDS', 'STORAGE_PROVIDER']) expect(identity).toContain(part);
  });
});

describe('a part that does not work', () => {
  test('a variable that the service would refuse at its start', async () => {
    const report = await examineService('keys', { KEYS_ENCRYPTION_KEY: 'too short', KEYS_TYPING_ERROR: '1' });
    expect(messages(report, 'error')).toStrictEqual([
      'configuration keys: KEYS_ENCRYPTION_KEY must be 32 bytes in base64, or several such keys separated by commas',
      'configuration keys: KEYS_TYPING_ERROR is not known: docs/configuration.md has every variable that begins with KEYS_',
    ]);
    expect(report.exitCode).toBe(1);
  });

  test('an environment without a service', async () => {
    expect(messages(await examine({ environment: {} }), 'error')).toStrictEqual([
      expect.stringContaining('IDENTITY_HTTP_URL for the gateway'),
    ]);
  });

  test('another INTERNAL_AUTH_SECRET than the peers have', async () => {
    const INTERNAL_AUTH_SECRET = 'y5Jw0sQ8mZ2xK7vT4bN9cR1pL6dF3hG0';
    const gateway = await examineService('gateway', { INTERNAL_AUTH_SECRET });
    expect(messages(gateway, 'error')).toContain('http rbac: does not accept this INTERNAL_AUTH_SECRET from gateway');
    const rbac = await examineService('rbac', { INTERNAL_AUTH_SECRET });
    expect(messages(rbac, 'error').filter((message) => message.startsWith('grpc'))).toHaveLength(3);
  });

  test('a database that refuses the password, one that is away, and one that never answers', async () => {
    const url = new URL(own.stack.databaseUrls.tenancy);
    url.password = 'wrong';
    const refused = await examineService('tenancy', { TENANCY_DATABASE_URL: url.href });
    expect(messages(refused, 'error')).toStrictEqual([expect.stringMatching(/^postgres tenancy: cannot be used: 28P01|password/)]);
    const away = await examineService('tenancy', { TENANCY_DATABASE_URL: 'postgres://x:hunter2@127.0.0.1:1/tessera' });
    expect(messages(away, 'error')).toStrictEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(JSON.stringify(away)).not.toContain('hunter2');
    await using silent = await listenSilently();
    const late = await examineService('tenancy', { TENANCY_DATABASE_URL: `postgres://x:y@127.0.0.1:${silent.port}/tessera` });
    expect(messages(late, 'error')).toStrictEqual([expect.stringMatching(/^postgres tenancy: cannot be used/)]);
  });

  test('a migration that has not run, a login above the policies, and one that is not bootstrapped', async () => {
    const admin = own.stack.adminDatabaseUrl ?? '';
    await withClient(admin, (client) =>
      client.query(`UPDATE rbac.migrations SET name = '999_newer' WHERE name = (SELECT max(name) FROM rbac.migrations)`),
    );
    expect(messages(await examineService('rbac'), 'error')).toStrictEqual([
      expect.stringMatching(/^postgres rbac: 1 migrations are pending/),
    ]);
    const rbac = await examineService('rbac', { RBAC_DATABASE_URL: admin });
    expect(messages(rbac, 'unsafe')).toContain('postgres rbac: the login is a superuser or has BYPASSRLS, so no policy holds it');
    const foreign = new URL(admin);
    foreign.pathname = '/postgres';
    expect(messages(await examineService('keys', { KEYS_DATABASE_URL: foreign.href }), 'error')).toStrictEqual([
      'postgres keys: has no schema keys: run deploy/bootstrap.sql',
    ]);
  });

  test('Redis and NATS that are away', async () => {
    const report = await examineService('identity', {
      CACHE_STRATEGY: 'redis',
      REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
      NATS_URL: 'nats://127.0.0.1:1',
    });
    expect(messages(report, 'error')).toStrictEqual([
      expect.stringMatching(/^redis redis: cannot be used: .*ECONNREFUSED/),
      expect.stringMatching(/^nats nats: cannot be used/),
    ]);
    expect(JSON.stringify(report)).not.toContain('hunter2');
  });

  test('a peer that is stopped, which is named by the gateway and by its peers', async () => {
    await own.stack.processes['tenancy']?.stop();
    expect(messages(await examineService('gateway'), 'error')).toStrictEqual([expect.stringMatching(/^http tenancy: cannot be reached/)]);
    expect(messages(await examineService('keys'), 'error')).toStrictEqual([expect.stringMatching(/^grpc tenancy: does not answer keys/)]);
  });
});

async function listenSilently() {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('npm run doctor', () => {
  async function doctor(environment: Readonly<Record<string, string>>, ...given: readonly string[]) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/doctor/main.ts', ...given], {
      cwd: repositoryFolder,
      env: { PATH: process.env.PATH, ...environment },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise((exited) => child.once('close', exited));
    return { code, stdout, stderr };
  }

  test('its exit code says whether something is broken or only unsafe, and --json is its report', async () => {
    const unsafe = await doctor(own.stack.env('keys'), '--offline', '--json');
    expect([unsafe.code, unsafe.stderr]).toStrictEqual([2, '']);
    expect(JSON.parse(unsafe.stdout)).toMatchObject({ services: ['keys'], counts: { error: 0 }, exitCode: 2 });
    const broken = await doctor({ ...own.stack.env('keys'), APP_URL: '' }, '--offline');
    expect([broken.code, broken.stdout]).toStrictEqual([1, expect.stringContaining('✖ configuration · keys: APP_URL is missing')]);
    expect((await doctor({}, '--service', 'nothing')).code).toBe(64);
  });
});

const redisUrl = process.env.TEST_REDIS_URL;
testUnless(redisUrl ? false : 'NOT RUN against Redis: TEST_REDIS_URL is not set')('Redis is reached, and its clock compared', async () => {
  const report = await examineService('identity', { CACHE_STRATEGY: 'redis', REDIS_URL: redisUrl ?? '' });
  expect(messages(report, 'ok')).toEqual(
    expect.arrayContaining(['redis redis: answers', 'clock redis: its clock agrees with the one here']),
  );
});

testUnless(natsVersion() ? false : 'NOT RUN against NATS: nats-server is not installed')(
  'NATS is reached, and refuses a wrong token',
  async () => {
    const nats = await startNats();
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => nats.stop());
    expect(messages(await examineService('identity', { NATS_URL: nats.url }), 'ok')).toContain('nats nats: answers');
    const wrong = `nats://hunter2@127.0.0.1:${nats.port}`;
    const refused = await examineService('identity', { NATS_URL: wrong });
    expect(messages(refused, 'error')).toContainEqual(expect.stringMatching(/^nats nats: cannot be used: .*authorization/i));
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  },
);
