import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigError } from '@tessera/kernel/config';
import { readKeysConfig } from './config.ts';

function key(byte: number) {
  return Buffer.alloc(32, byte).toString('base64');
}
const good = {
  ...{ HTTP_LISTEN: '127.0.0.1:0', GRPC_LISTEN: '127.0.0.1:0', APP_URL: 'https://iam.example', INTERNAL_AUTH_SECRET: 'x'.repeat(32) },
  ...{ IDENTITY_GRPC_URL: '127.0.0.1:1', TENANCY_GRPC_URL: '127.0.0.1:2', RBAC_GRPC_URL: '127.0.0.1:3', KEYS_GRPC_URL: '127.0.0.1:4' },
  ...{ KEYS_DATABASE_URL: 'postgres://localhost/db', KEYS_ENCRYPTION_KEY: key(1) },
};

it('takes one encryption key, or several with the current one first', () => {
  assert.equal(readKeysConfig(good).KEYS_ENCRYPTION_KEY.length, 1);
  const both = readKeysConfig({ ...good, KEYS_ENCRYPTION_KEY: `${key(2)}, ${key(1)}` }).KEYS_ENCRYPTION_KEY;
  assert.deepEqual(
    both.map((bytes) => bytes[0]),
    [2, 1],
  );
});

it('has the specification’s defaults [spec:config.1-6 spec:constants.4]', () => {
  const config = readKeysConfig(good);
  assert.equal(config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES, 15);
  assert.equal(config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS, 30);
  assert.equal(config.JWT_JWKS_MAX_AGE_SECONDS, 3600);
  assert.equal(config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS, 300);
  assert.equal(config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED, false);
  assert.equal(config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE, '0 0 1 * *');
});

it('names every fault at once, and no value', () => {
  const bad = { ...good, APP_URL: '', KEYS_ENCRYPTION_KEY: 'short', JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE: 'sometimes', JWT_TYPO: '1' };
  assert.throws(
    () => readKeysConfig(bad),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(
        error.faults.map((fault) => fault.split(' ')[0]),
        ['APP_URL', 'JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE', 'KEYS_ENCRYPTION_KEY', 'JWT_TYPO'],
      );
      assert.ok(!error.message.includes('short') && !error.message.includes('sometimes'));
      return true;
    },
  );
});
