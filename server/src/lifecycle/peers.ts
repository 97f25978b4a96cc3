import type { Config, serviceConfig } from '@tessera/kernel/config';
import { connect } from '@tessera/kernel/grpc';

/** The part of a service's configuration that the kernel uses. */
export type ServiceSettings = Omit<Config<ReturnType<typeof serviceConfig>>, 'CACHE_STRATEGY' | `REDIS_${string}` | 'DATA_DIR'>;
export type ServiceName = 'identity' | 'tenancy' | 'rbac' | 'keys';
export type Peers = ReturnType<typeof connectPeers>;

export function connectPeers(self: ServiceName, settings: ServiceSettings) {
  const { INTERNAL_AUTH_SECRET: secret, grpcTls: tls } = settings;
  const identity = { secret, self, tls, url: settings.IDENTITY_GRPC_URL };
  const tenancy = { secret, self, tls, url: settings.TENANCY_GRPC_URL };
  const rbac = { secret, self, tls, url: settings.RBAC_GRPC_URL };
  const keys = { secret, self, tls, url: settings.KEYS_GRPC_URL };
  return {
    identity: connect({ ...identity, service: 'identity.v1.Identity' }),
    tenancy: connect({ ...tenancy, service: 'tenancy.v1.Tenancy' }),
    authorization: connect({ ...rbac, service: 'rbac.v1.Authorization' }),
    roles: connect({ ...rbac, service: 'rbac.v1.Roles' }),
    tags: connect({ ...rbac, service: 'rbac.v1.Tags' }),
    catalogue: connect({ ...rbac, service: 'rbac.v1.Catalogue' }),
    keys: connect({ ...keys, service: 'keys.v1.Keys' }),
    identityRevocations: connect({ ...identity, service: 'revocation.v1.Revocations' }),
    keysRevocations: connect({ ...keys, service: 'revocation.v1.Revocations' }),
    auditLogs: {
      identity: connect({ ...identity, service: 'audit.v1.AuditLog', peer: 'identity' }),
      tenancy: connect({ ...tenancy, service: 'audit.v1.AuditLog', peer: 'tenancy' }),
      rbac: connect({ ...rbac, service: 'audit.v1.AuditLog', peer: 'rbac' }),
      keys: connect({ ...keys, service: 'audit.v1.AuditLog', peer: 'keys' }),
    },
    inboxes: {
      identity: connect({ ...identity, service: 'events.v1.Inbox' }),
      tenancy: connect({ ...tenancy, service: 'events.v1.Inbox' }),
      rbac: connect({ ...rbac, service: 'events.v1.Inbox' }),
      keys: connect({ ...keys, service: 'events.v1.Inbox' }),
    },
  };
}

export function closePeers({ auditLogs, inboxes, ...others }: Peers): void {
  for (const client of [others, auditLogs, inboxes].flatMap((clients) => Object.values(clients))) client.close();
}
