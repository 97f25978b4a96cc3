import type { GrpcTls } from '../grpc/index.ts';

/** The part of a service's configuration that the kernel uses (`serviceConfig`). */
export type ServiceSettings = {
  readonly NODE_ENV: string;
  readonly LOG_LEVEL: string;
  readonly APP_URL: string;
  readonly INTERNAL_AUTH_SECRET: string;
  readonly IDENTITY_GRPC_URL: string;
  readonly TENANCY_GRPC_URL: string;
  readonly RBAC_GRPC_URL: string;
  readonly KEYS_GRPC_URL: string;
  readonly grpcTls: GrpcTls | undefined;
  readonly NATS_URL: string | undefined;
  readonly NATS_CREDS: string | undefined;
  readonly NATS_CA: string | undefined;
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_SIZE: number;
  readonly HTTP_LISTEN: string;
  readonly GRPC_LISTEN: string;
  readonly REVOCATION_STALE_AFTER_SECONDS: number;
  readonly AUDIT_RETENTION_DAYS: number;
  readonly SECURITY_ENABLE_RLS: boolean;
  readonly SECURITY_RLS_ROLE: string;
  readonly JWT_SYSTEM_SIGNING_KEY_CACHE_TTL_SECONDS: number;
  readonly METRICS_ENABLED: boolean;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
};
