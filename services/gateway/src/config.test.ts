import { describe, expect, test } from '@jest/globals';
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
  test('the default limits are those of the specification [spec:limits.1-3 spec:limits.6-12]', () => {
    const config = readGatewayConfig(environment);
    expect([
      [config.SECURITY_RATE_LIMIT_MAX, config.SECURITY_RATE_LIMIT_WINDOW_MINUTES],
      [config.SECURITY_RATE_LIMIT_AUTH_MAX, config.SECURITY_RATE_LIMIT_AUTH_WINDOW_MINUTES],
      [config.SECURITY_RATE_LIMIT_PER_TENANT_MAX, config.SECURITY_RATE_LIMIT_PER_TENANT_WINDOW_MINUTES],
    ]).toStrictEqual([
      [100, 15],
      [20, 15],
      [200, 15],
    ]);
    expect(config.SECURITY_RATE_LIMIT_PER_TENANT_ENABLED).toBe(false);
  });
  test('limits are on by default in production only [spec:limits.5]', () => {
    expect(readGatewayConfig({ ...environment, NODE_ENV: 'production' }).hasLimits).toBe(true);
    expect(readGatewayConfig({ ...environment, NODE_ENV: 'production', SECURITY_ENABLE_RATE_LIMIT: 'false' }).hasLimits).toBe(false);
    expect(readGatewayConfig({ ...environment, NODE_ENV: 'development' }).hasLimits).toBe(false);
    expect(readGatewayConfig({ ...environment, SECURITY_ENABLE_RATE_LIMIT: 'true' }).hasLimits).toBe(true);
  });
  test('introspection is never on in production', () => {
    expect(readGatewayConfig(environment).hasIntrospection).toBe(true);
    expect(readGatewayConfig({ ...environment, NODE_ENV: 'production', APOLLO_INTROSPECTION: 'true' }).hasIntrospection).toBe(false);
  });
  test('a wrong configuration names every fault at once, and no value', () => {
    const broken = {
      ...environment,
      PORT: 'http',
      CACHE_STRATEGY: 'redis',
      SECURITY_RATE_LIMIT_MAXIMUM: '5',
      INTERNAL_AUTH_SECRET: 'short',
    };
    expect(() => readGatewayConfig(broken)).toThrow(ConfigError);
    for (const name of ['PORT', 'SECURITY_RATE_LIMIT_MAXIMUM', 'INTERNAL_AUTH_SECRET'])
      expect(() => readGatewayConfig(broken)).toThrow(name);
    expect(() => readGatewayConfig(broken)).not.toThrow('short');
  });
});
