import { connect } from '../grpc/index.ts';
import type { ServiceSettings } from './settings.ts';

export type ServiceName = 'identity' | 'tenancy' | 'rbac' | 'keys';
export type Peers = ReturnType<typeof connectPeers>;

/** One client for each gRPC contract of the other services. */
export function connectPeers(self: ServiceName, settings: ServiceSettings) {
  const { INTERNAL_AUTH_SECRET: secret, grpcTls: tls, IDENTITY_GRPC_URL, TENANCY_GRPC_URL, RBAC_GRPC_URL, KEYS_GRPC_URL } = settings;
  const common = { secret, self, tls };
  return {
    identity: connect({ ...common, service: 'identity.v1.Identity', url: IDENTITY_GRPC_URL }),
    tenancy: connect({ ...common, service: 'tenancy.v1.Tenancy', url: TENANCY_GRPC_URL }),
    authorization: connect({ ...common, service: 'rbac.v1.Authorization', url: RBAC_GRPC_URL }),
    roles: connect({ ...common, service: 'rbac.v1.Roles', url: RBAC_GRPC_URL }),
    tags: connect({ ...common, service: 'rbac.v1.Tags', url: RBAC_GRPC_URL }),
    catalogue: connect({ ...common, service: 'rbac.v1.Catalogue', url: RBAC_GRPC_URL }),
    keys: connect({ ...common, service: 'keys.v1.Keys', url: KEYS_GRPC_URL }),
    identityRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: IDENTITY_GRPC_URL }),
    keysRevocations: connect({ ...common, service: 'revocation.v1.Revocations', url: KEYS_GRPC_URL }),
    inboxes: {
      identity: connect({ ...common, service: 'events.v1.Inbox', url: IDENTITY_GRPC_URL }),
      tenancy: connect({ ...common, service: 'events.v1.Inbox', url: TENANCY_GRPC_URL }),
      rbac: connect({ ...common, service: 'events.v1.Inbox', url: RBAC_GRPC_URL }),
      keys: connect({ ...common, service: 'events.v1.Inbox', url: KEYS_GRPC_URL }),
    },
  };
}

export function closePeers({ inboxes, ...others }: Peers): void {
  for (const client of [...Object.values(others), ...Object.values(inboxes)]) client.close();
}
