import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import {
  ConfigError,
  choice,
  commonConfig,
  flag,
  group,
  integer,
  list,
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
  const options = { prefixes: ['RBAC_'], known: publicAddresses('RBAC'), rules: [redisRule] };
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
      prefixes: ['RBAC_'],
    }),
  );
  expect(faults.map((fault) => fault.split(' ')[0])).toStrictEqual(['A', 'B', 'C', 'D', 'E', 'F', 'KEY', 'RBAC_DATABSE_URL']);
  expect(faults.join()).not.toContain(wrong);
  expect(faultsOf(() => readConfig({ ...good, CACHE_STRATEGY: 'redis' }, serviceConfig('RBAC'), { rules: [redisRule] }))).toStrictEqual([
    'REDIS_URL is missing (CACHE_STRATEGY is redis)',
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
