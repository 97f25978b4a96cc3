import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '@tessera/kernel/config';
import { readGatewayConfig } from './config.ts';

const peers = Object.fromEntries(
  ['IDENTITY', 'TENANCY', 'RBAC', 'KEYS'].flatMap((name) => [
    [`${name}_HTTP_URL`, `unix:/run/${name}.http`],
    [`${name}_GRPC_URL`, `unix:/run/${name}.grpc`],
  ]),
);
const environment = { APP_URL: 'https://id.example.com', INTERNAL_AUTH_SECRET: 'x'.repeat(32), ...peers };

describe('the configuration of the gateway', () => {
  it('has the limits of the specification [spec:limits.1-3 spec:limits.6-12]', () => {
    const config = readGatewayConfig(environment);
    assert.deepEqual(
      [
        [config.SECURITY_RATE_LIMIT_MAX, config.SECURITY_RATE_LIMIT_WINDOW_MINUTES],
        [config.SECURITY_RATE_LIMIT_AUTH_MAX, config.SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES],
        [config.SECURITY_RATE_LIMIT_PER_TENANT_MAX, config.SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES],
      ],
      [
        [100, 15],
        [20, 15],
        [200, 15],
      ],
    );
    assert.equal(config.SECURITY_RATE_LIMIT_PER_TENANT_ENABLED, false);
  });
  it('limits in production unless told not to, elsewhere only when asked to [spec:limits.5]', () => {
    assert.equal(readGatewayConfig({ ...environment, NODE_ENV: 'production' }).hasLimits, true);
    assert.equal(readGatewayConfig({ ...environment, NODE_ENV: 'production', SECURITY_ENABLE_RATE_LIMIT: 'false' }).hasLimits, false);
    assert.equal(readGatewayConfig({ ...environment, NODE_ENV: 'development' }).hasLimits, false);
    assert.equal(readGatewayConfig({ ...environment, SECURITY_ENABLE_RATE_LIMIT: 'true' }).hasLimits, true);
  });
  it('never shows the graph in production', () => {
    assert.equal(readGatewayConfig(environment).hasIntrospection, true);
    assert.equal(readGatewayConfig({ ...environment, NODE_ENV: 'production', APOLLO_INTROSPECTION: 'true' }).hasIntrospection, false);
  });
  it('names every fault at once, and no value', () => {
    const broken = {
      ...environment,
      PORT: 'http',
      CACHE_STRATEGY: 'redis',
      SECURITY_RATE_LIMIT_MAXIMUM: '5',
      INTERNAL_AUTH_SECRET: 'short',
    };
    assert.throws(
      () => readGatewayConfig(broken),
      (error) =>
        error instanceof ConfigError &&
        ['PORT', 'SECURITY_RATE_LIMIT_MAXIMUM', 'INTERNAL_AUTH_SECRET'].every((name) => error.message.includes(name)) &&
        !error.message.includes('short'),
    );
  });
});
