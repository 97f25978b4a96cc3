import { group } from './read.ts';
import { choice, flag, integer, secrets, text, url } from './readers.ts';

const address = { pattern: /^(unix:\/.+|[^\s/]+:\d+)$/, shape: 'host:port or unix:/path' } as const;
const peerAddress = {
  pattern: /^(unix:\/.+|[^\s/,]+:\d+|(\d{1,3}(\.\d{1,3}){3}:\d+(,(?!$)|$))+|(\[[\da-fA-F:.]+\]:\d+(,(?!$)|$))+)$/,
  shape: 'host:port of a name for all replicas, ip:port of each replica separated by commas, or unix:/path',
} as const;
const natsUrls = {
  pattern: /^(nats|tls):\/\/[^\s,/]+\/?(\s*,\s*(nats|tls):\/\/[^\s,/]+\/?)*$/,
  shape: 'nats:// or tls:// URLs, comma-separated',
} as const;
const redisUrls = {
  pattern: /^rediss?:\/\/[^\s,/]+\/?(\s*,\s*rediss?:\/\/[^\s,/]+\/?)*$/,
  shape: 'redis:// or rediss:// URLs, comma-separated',
} as const;
const postgresUrl = { pattern: /^postgres(ql)?:\/\/\S+$/, shape: 'a postgres:// URL' } as const;

export const commonConfig = {
  NODE_ENV: choice(['development', 'test', 'production'], {
    default: 'development',
    about: 'Production shows no stack traces and no IDE, and limits requests',
  }),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], { default: 'info' }),
  APP_URL: url({ about: 'Base URL: issuer and audience of session tokens' }),
  INTERNAL_AUTH_SECRET: secrets({ minLength: 32, about: 'Signs the credentials that services show each other' }),
  IDENTITY_GRPC_URL: text(peerAddress),
  TENANCY_GRPC_URL: text(peerAddress),
  RBAC_GRPC_URL: text(peerAddress),
  KEYS_GRPC_URL: text(peerAddress),
  grpcTls: group({
    GRPC_TLS_CERT: text({ about: 'PEM file; set: mutual TLS between services. Names the service: identity, or identity.example' }),
    GRPC_TLS_KEY: text({ about: 'PEM file' }),
    GRPC_TLS_CA: text({ about: 'PEM file: whose certificates are believed' }),
  }),
  NATS_URL: text({
    optional: true,
    ...natsUrls,
    about: 'Carries notices; unset: Postgres does. All servers of one cluster, with user:password@ or token@ where they ask for it',
  }),
  NATS_CREDS: text({ optional: true, about: 'File with credentials for NATS: a .creds file of nsc, or the seed of an nkey' }),
  NATS_CA: text({ optional: true, about: 'PEM file: the authority of the NATS servers’ certificates; set: TLS, as with tls://' }),
  CACHE_STRATEGY: choice(['memory', 'redis'], {
    default: 'memory',
    about: 'Where limits are counted and sign-ins under way are kept; several replicas share redis',
  }),
  REDIS_URL: url({ optional: true, protocols: ['redis:', 'rediss:', 'unix:'], about: 'With CACHE_STRATEGY=redis' }),
  REDIS_SENTINELS: text({
    optional: true,
    ...redisUrls,
    about:
      'Sentinels that say where Redis is now; REDIS_URL then gives login, number of the database, and TLS. With :password@ where they ask for it',
  }),
  REDIS_SENTINEL_MASTER: text({ default: 'mymaster', about: 'The name under which the sentinels know Redis' }),
  JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS: integer({ default: 300, min: 1, about: 'How long verifiers keep a key in memory' }),
  METRICS_ENABLED: flag({ default: false, about: 'GET /metrics, for Prometheus' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({ optional: true, about: 'Traces are sent only when this is set' }),
  OTEL_TRACES_SAMPLER: text({
    optional: true,
    about: 'Which traces are sent: parentbased_always_on when left out, parentbased_traceidratio, … as OpenTelemetry defines them',
  }),
  OTEL_TRACES_SAMPLER_ARG: text({ optional: true, about: 'With a ratio: the share of the traces, 0 to 1' }),
};

export function serviceConfig<const Name extends 'IDENTITY' | 'TENANCY' | 'RBAC' | 'KEYS'>(name: Name) {
  return {
    ...commonConfig,
    HTTP_LISTEN: text(address),
    GRPC_LISTEN: text(address),
    DATABASE_URL: text({
      ...postgresUrl,
      variable: `${name}_DATABASE_URL`,
      about: 'host1:5432,host2:5432 names several servers, of which the one that takes writes is used',
    }),
    DATABASE_REPLICA_URL: text({
      ...postgresUrl,
      optional: true,
      variable: `${name}_DATABASE_REPLICA_URL`,
      about:
        'A server that follows the primary. It answers reads of callers who accept the past (cache-control: max-stale); empty: none does',
    }),
    DATABASE_POOL_SIZE: integer({ default: 10, min: 2, max: 200, variable: `${name}_DATABASE_POOL_SIZE`, about: 'Connections at most' }),
    DATABASE_POOLER: choice(['none', 'transaction'], {
      default: 'none',
      about: 'transaction: the database URLs lead to a pooler in transaction mode, as PgBouncer; NATS_URL is needed then',
    }),
    DATA_DIR: text({
      default: './data',
      about: 'Folder of pictures and of the mail outbox; `npm start` keeps its whole stack there (default .data)',
    }),
    REVOCATION_STALE_AFTER_SECONDS: integer({
      default: 60,
      min: 5,
      max: 600,
      about: 'All tokens are refused (503) when revocations could not be read for so long',
    }),
    AUDIT_RETENTION_DAYS: integer({ default: 400, min: 1, max: 36_500, about: 'How long rows of the audit log are kept' }),
    SECURITY_ENABLE_RLS: flag({ default: true, about: 'Scoped work runs as the restricted role' }),
    SECURITY_RLS_ROLE: text({
      default: 'tenant_app_restricted',
      pattern: /^[a-z_][a-z0-9_]{0,45}$/,
      shape: 'a role name',
      about: 'The restricted role: each service has a member of it',
    }),
  };
}

/** For `readConfig`: REDIS_URL is there when the strategy needs it. */
export function redisRule(config: { readonly CACHE_STRATEGY: string; readonly REDIS_URL: string | undefined }): string | undefined {
  return config.CACHE_STRATEGY === 'redis' && config.REDIS_URL === undefined ? 'REDIS_URL is missing (CACHE_STRATEGY is redis)' : undefined;
}

/** For `readConfig`: notices over Postgres need a connection of one's own. */
export function poolerRule(config: { readonly DATABASE_POOLER: string; readonly NATS_URL: string | undefined }): string | undefined {
  return config.DATABASE_POOLER === 'transaction' && config.NATS_URL === undefined
    ? 'NATS_URL is missing (DATABASE_POOLER is transaction, and a pooler carries no LISTEN)'
    : undefined;
}

/** The variables that others read of a service: known to it, though it does not use them itself. */
export function publicAddresses(name: string): readonly string[] {
  return [`${name}_HTTP_URL`, `${name}_GRPC_URL`, `${name}_DATABASE_URL`];
}
