import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { ConfigError } from '@tessera/kernel/config';
import { readKeysConfig } from './config.ts';

function key(byte: number) {
  return Buffer.alloc(32, byte).toString('base64');
}
const good = {
  HTTP_LISTEN: '127.0.0.1:0',
  GRPC_LISTEN: '127.0.0.1:0',
  APP_URL: 'https://iam.example',
  INTERNAL_AUTH_SECRET: 'x'.repeat(32),
  IDENTITY_GRPC_URL: '127.0.0.1:1',
  TENANCY_GRPC_URL: '127.0.0.1:2',
  RBAC_GRPC_URL: '127.0.0.1:3',
  KEYS_GRPC_URL: '127.0.0.1:4',
  KEYS_DATABASE_URL: 'postgres://localhost/db',
  KEYS_ENCRYPTION_KEY: key(1),
};

test('KEYS_ENCRYPTION_KEY takes one key, or several with the current one first', () => {
  expect(readKeysConfig(good).KEYS_ENCRYPTION_KEY).toHaveLength(1);
  const both = readKeysConfig({ ...good, KEYS_ENCRYPTION_KEY: `${key(2)}, ${key(1)}` }).KEYS_ENCRYPTION_KEY;
  expect(both.map((bytes) => bytes[0])).toStrictEqual([2, 1]);
});

test('the defaults are those of the specification [spec:config.1-6 spec:constants.4]', () => {
  const config = readKeysConfig(good);
  expect(config.JWT_ACCESS_TOKEN_EXPIRATION_MINUTES).toBe(15);
  expect(config.JWT_REFRESH_TOKEN_EXPIRATION_DAYS).toBe(30);
  expect(config.JWT_JWKS_MAX_AGE_SECONDS).toBe(3600);
  expect(config.JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS).toBe(300);
  expect(config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_ENABLED).toBe(false);
  expect(config.JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE).toBe('0 0 1 * *');
});

test('readKeysConfig reports every fault at once, without values', () => {
  const bad = { ...good, APP_URL: '', KEYS_ENCRYPTION_KEY: 'short', JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE: 'sometimes', JWT_TYPO: '1' };
  const names = ['APP_URL', 'JOBS_SYSTEM_SIGNING_KEY_ROTATION_SCHEDULE', 'KEYS_ENCRYPTION_KEY', 'JWT_TYPO'];
  const faults = names.map((name) => expect.stringMatching(`^${name} `));
  expect(() => readKeysConfig(bad)).toThrow(ConfigError);
  expect(() => readKeysConfig(bad)).toThrow(expect.objectContaining({ faults }));
  expect(() => readKeysConfig(bad)).not.toThrow(/short|sometimes/);
});

test('a process whose configuration has faults names them in plain text, without a stack', () => {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: {},
    encoding: 'utf8',
  });
  expect([status, stdout]).toStrictEqual([1, '']);
  expect(stderr).toMatch(/^The configuration has \d+ faults:\n {2}- APP_URL is missing\n/);
  expect(stderr).not.toMatch(/at .*\.ts/);
});
