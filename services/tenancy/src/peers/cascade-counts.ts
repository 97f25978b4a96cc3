import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Scope } from '@tessera/kernel/scope';
import type { IdentityClient, RolesClient } from './clients.ts';

type Peers = {
  readonly roles: Pick<RolesClient, 'countInScopes'>;
  readonly keys: Pick<GrpcClient<'keys.v1.Keys'>, 'countApiKeys'>;
  readonly identity: Pick<IdentityClient, 'countProjectApps'>;
};

/** `unknown`: its service did not answer in time. A deletion does not wait for a count. */
type Count = number | 'unknown';
type Counts = { readonly roles: Count; readonly tags: Count; readonly apiKeys: Count; readonly projectApps: Count };

/** What the other services keep of these scopes together, for the record of their deletion. */
export type CascadeCounts = (scopes: readonly Scope[]) => Promise<Counts>;

const options = { timeoutMs: 1_000 };

export function createCascadeCounts({ roles, keys, identity }: Peers): CascadeCounts {
  return async (scopes) => {
    const scopeIds = scopes.flatMap(({ tenant, id }) => (tenant === 'accountProject' || tenant === 'organizationProject' ? [id] : []));
    const [defined, apiKeys, projectApps] = await Promise.all([
      roles.countInScopes({ scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) }, options).catch(() => undefined),
      keys.countApiKeys({ scopeIds }, options).catch(() => undefined),
      identity.countProjectApps({ scopeIds }, options).catch(() => undefined),
    ]);
    return {
      roles: defined?.roles ?? 'unknown',
      tags: defined?.tags ?? 'unknown',
      apiKeys: apiKeys?.count ?? 'unknown',
      projectApps: projectApps?.count ?? 'unknown',
    };
  };
}
