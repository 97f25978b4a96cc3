import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import {
  allSettings,
  ConfigError,
  choice,
  commonConfig,
  flag,
  group,
  integer,
  list,
  poolerRule,
  publicAddresses,
  readConfig,
  redisRule,
  secret,
  serviceConfig,
  text,
  url,
} from './index.ts';

const good = {
  APP_URL: 'https://iam.example.test/',
  INTERNAL_AUTH_SECRET: 'x'.repeat(32),
  IDENTITY_GRPC_URL: 'unix:/run/identity.sock',
  TENANCY_GRPC_URL: 'tenancy:4102',
  RBAC_GRPC_URL: 'rbac:4103',
  KEYS_GRPC_URL: 'keys:4104',
  RBAC_DATABASE_URL: 'postgres://tessera_rbac:pw@/tessera?host=/run/postgres',
  HTTP_LISTEN: 'unix:/run/rbac.http.sock',
  GRPC_LISTEN: '0.0.0.0:4103',
};

const settings = { documented: ['RBAC_DATABASE_URL', 'CACHE_STRATEGY'], deployment: [], lists: {} };

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test('a service reads its variables with their defaults', () => {
  const options = { settings, known: publicAddresses('RBAC'), rules: [redisRule] };
  const config = readConfig({ ...good, RBAC_HTTP_URL: 'http://rbac:4003', METRICS_ENABLED: '' }, serviceConfig('RBAC'), options);
  expect([
    config.APP_URL,
    config.DATABASE_URL,
    config.METRICS_ENABLED,
    config.grpcTls,
    config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS,
  ]).toStrictEqual(['https://iam.example.test', good.RBAC_DATABASE_URL, false, undefined, 300]);
  expect(Object.isFrozen(config)).toBe(true);
});

test('every fault is named at once, also unknown variables, half a group and broken rules, and no value is quoted', () => {
  const shape = {
    A: text(),
    B: integer({ max: 10 }),
    C: secret({ minLength: 16 }),
    D: flag(),
    E: choice(['x', 'y']),
    F: url(),
    tls: group({ CERT: text(), KEY: text() }),
  };
  const wrong = 'hunter2';
  const faults = faultsOf(() =>
    readConfig({ B: '11', C: wrong, D: wrong, E: wrong, F: wrong, CERT: wrong, RBAC_DATABSE_URL: wrong }, shape, {
      settings,
    }),
  );
  expect(faults.map((fault) => fault.split(' ')[0])).toStrictEqual(['A', 'B', 'C', 'D', 'E', 'F', 'KEY', 'RBAC_DATABSE_URL']);
  expect(faults.join()).not.toContain(wrong);
  expect(faultsOf(() => readConfig({ ...good, CACHE_STRATEGY: 'redis' }, serviceConfig('RBAC'), { rules: [redisRule] }))).toStrictEqual([
    'REDIS_URL is missing (CACHE_STRATEGY is redis)',
  ]);
  expect(
    faultsOf(() => readConfig({ ...good, DATABASE_POOLER: 'transaction' }, serviceConfig('RBAC'), { rules: [poolerRule] })),
  ).toStrictEqual(['NATS_URL is missing (DATABASE_POOLER is transaction, and a pooler carries no LISTEN)']);
});

test('the address of a peer is a name, a socket, or the IP address of each replica', () => {
  const shape = { RBAC_GRPC_URL: commonConfig.RBAC_GRPC_URL };
  for (const right of ['rbac:5000', 'unix:/run/rbac', '10.0.0.1:5000,10.0.0.2:5000', '[::1]:5000,[fd00::2]:5000', '[::1]:5000'])
    expect(readConfig({ RBAC_GRPC_URL: right }, shape).RBAC_GRPC_URL).toBe(right);
  for (const wrong of [
    'rbac',
    'one:5000,two:5000',
    '10.0.0.1:5000,',
    '10.0.0.1:5000, 10.0.0.2:5000',
    '10.0.0.1:5000,[::1]:5000',
    '10.0.0.1',
  ])
    expect(faultsOf(() => readConfig({ RBAC_GRPC_URL: wrong }, shape))).toStrictEqualFor(wrong, [
      'RBAC_GRPC_URL must be host:port of a name for all replicas, ip:port of each replica separated by commas, or unix:/path',
    ]);
});

test('NATS_URL takes several servers, and nothing but nats:// and tls:// URLs', () => {
  const shape = { NATS_URL: commonConfig.NATS_URL };
  const servers = 'nats://user:p%40ss@one:4222, tls://two:4222';
  expect(readConfig({ NATS_URL: servers }, shape).NATS_URL).toBe(servers);
  for (const wrong of ['one:4222', 'http://one:4222', 'nats://one:4222 nats://two:4222', 'nats://one:4222,two:4222', 'nats://'])
    expect(faultsOf(() => readConfig({ NATS_URL: wrong }, shape))).toStrictEqualFor(wrong, [
      'NATS_URL must be nats:// or tls:// URLs, comma-separated',
    ]);
});

test('a whole group and lists are read', () => {
  const config = readConfig(
    { CERT: 'a', KEY: 'b', ORIGINS: 'a, b,,c' },
    { tls: group({ CERT: text(), KEY: text() }), ORIGINS: list({ default: [] }) },
  );
  expect(config).toStrictEqual({ tls: { CERT: 'a', KEY: 'b' }, ORIGINS: ['a', 'b', 'c'] });
});

test('a variable that nothing reads, and that begins like a setting or nearly has its name, is a fault', () => {
  const unknown = (environment: Readonly<Record<string, string>>) => faultsOf(() => readConfig(environment, {}, { settings: allSettings }));
  const near = {
    AUTH_LOCKOUT_ENABLE: 'AUTH_LOCKOUT_ENABLED',
    TOKEN_BCRYPT_ROUND: 'TOKEN_BCRYPT_ROUNDS',
    SECURITY_TRUSTPROXY: 'SECURITY_TRUST_PROXY',
    COKEN_BCRYPT_ROUND: 'TOKEN_BCRYPT_ROUNDS',
    NODE_ENVV: 'NODE_ENV',
    OTEL_TRACES_SAMPLERS: 'OTEL_TRACES_SAMPLER',
    SMPT_URL: 'SMTP_URL',
  };
  for (const [name, meant] of Object.entries(near))
    expect(unknown({ [name]: 'hunter2' })).toStrictEqualFor(name, [`${name} is not known: ${meant} is`]);
  for (const name of ['AUTH_LOCK', 'RBAC_TYPING_ERROR', 'LOG_FILE', 'APP_NAME'])
    expect(unknown({ [name]: 'hunter2' })).toStrictEqualFor(name, [
      `${name} is not known: docs/configuration.md has every variable that begins with ${name.slice(0, name.indexOf('_') + 1)}`,
    ]);
});

test('settings of other services, of the deployment, of named providers and of other programs are none of these faults', () => {
  const environment = {
    AUTH_LOCKOUT_ENABLED: 'true',
    KEYS_DATABASE_PASSWORD: 'x',
    COMPOSE_PROFILES: 'redis',
    DATABASE_ADMIN_URL: 'x',
    OAUTH_PROVIDERS: 'data-lake',
    DATA_LAKE_CLIENT_ID: 'x',
    OPENID_CLIENTS: 'auth',
    AUTH_OPENID_SECRET: 'x',
    PATH: 'x',
    HOME: 'x',
    HOSTNAME: 'x',
    NODE_OPTIONS: 'x',
    NODE_EXTRA_CA_CERTS: 'x',
    HTTP_PROXY: 'x',
    OTEL_SERVICE_NAME: 'x',
    GRPC_VERBOSITY: 'x',
    REDIS_PORT: 'tcp://10.0.0.1:6379',
    REDIS_SERVICE_HOST: 'x',
    REDIS_PORT_6379_TCP_ADDR: 'x',
    AWS_REGION: 'x',
  };
  expect(faultsOf(() => readConfig(environment, {}, { settings: allSettings }))).toStrictEqual([]);
  expect(faultsOf(() => readConfig({ ...environment, DATA_LAKE_SCOPE: 'x' }, {}, { settings: allSettings }))).toStrictEqual([
    'DATA_LAKE_SCOPE is not known: DATA_LAKE_SCOPES is',
  ]);
});
