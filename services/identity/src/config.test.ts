import { expect, test } from '@jest/globals';
import { passwordSecretsOf, readIdentityConfig } from './config.ts';

const complete = {
  APP_URL: 'https://id.example.com',
  INTERNAL_AUTH_SECRET: 'x'.repeat(32),
  IDENTITY_DATABASE_URL: 'postgres://identity:secret@db/tessera',
  IDENTITY_GRPC_URL: 'identity:4201',
  TENANCY_GRPC_URL: 'tenancy:4201',
  RBAC_GRPC_URL: 'rbac:4201',
  KEYS_GRPC_URL: 'keys:4201',
  HTTP_LISTEN: '0.0.0.0:4101',
  GRPC_LISTEN: '0.0.0.0:4201',
};

test('what is needed and nothing else has to be given [spec:config.1-2 spec:config.7 spec:constants.1-2 spec:constants.6 spec:constants.8]', () => {
  const config = readIdentityConfig(complete);
  expect([config.AUTH_MAX_FAILED_LOGIN_ATTEMPTS, config.AUTH_LOCKOUT_DURATION_MINUTES]).toStrictEqual([5, 15]);
  expect([config.TOKEN_BCRYPT_ROUNDS, config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES, config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS]).toStrictEqual([
    10, 15, 30,
  ]);
  expect(config.OAUTH_STATE_TTL_SECONDS).toBe(600);
});

test('every fault is named at once, and no value is repeated', () => {
  const faulty = {
    ...complete,
    APP_URL: 'nonsense',
    INTERNAL_AUTH_SECRET: 'short-secret',
    EMAIL_PROVIDER: 'smtp',
    STORAGE_PROVIDER: 'disk',
    IDENTITY_DATABSE_URL: 'x',
  };
  const { KEYS_GRPC_URL: _, ...missing } = faulty;
  for (const name of ['APP_URL', 'INTERNAL_AUTH_SECRET', 'KEYS_GRPC_URL', 'STORAGE_PROVIDER', 'IDENTITY_DATABSE_URL'])
    expect(() => readIdentityConfig(missing)).toThrow(name);
  expect(() => readIdentityConfig(missing)).not.toThrow('short-secret');
});

test('half a group is no group: a provider without what it needs does not start', () => {
  expect(() => readIdentityConfig({ ...complete, EMAIL_PROVIDER: 'smtp' })).toThrow(/SMTP_URL is missing/);
  expect(() => readIdentityConfig({ ...complete, STORAGE_PROVIDER: 's3' })).toThrow(/S3_BUCKET is missing/);
});

test('AUTH_PASSWORD_SECRETS holds the secrets of password hashes, and INTERNAL_AUTH_SECRET stands in for it', () => {
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
  expect(passwordSecretsOf(readIdentityConfig(complete))).toStrictEqual([complete.INTERNAL_AUTH_SECRET]);
  expect(passwordSecretsOf(readIdentityConfig({ ...complete, AUTH_PASSWORD_SECRETS: `${first}, ${second}` }))).toStrictEqual([
    first,
    second,
  ]);
  expect(() => readIdentityConfig({ ...complete, AUTH_PASSWORD_SECRETS: `${first},short` })).toThrow(/AUTH_PASSWORD_SECRETS must have/);
  const INTERNAL_AUTH_SECRET = `${first},${second}`;
  expect(passwordSecretsOf(readIdentityConfig({ ...complete, INTERNAL_AUTH_SECRET }))).toStrictEqual([first, second]);
  expect(() => readIdentityConfig({ ...complete, INTERNAL_AUTH_SECRET: `${first},short` })).toThrow(/INTERNAL_AUTH_SECRET must have/);
});
