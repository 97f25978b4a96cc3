import type { HandleContext } from '@tessera/kernel/operation';
import { scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../deps.ts';
import { type Giver, listHolders } from '../storage/holders.ts';

type RightsGrew = { type: 'rights.grew'; key: string; payload: { userIds: string[]; scope: { tenant: string; id: string } } };

const usersPerEvent = 1_000;

/**
 * Tells that these users may do more than before: what others hold for them then ends (interface.md
 * section 10).
 */
export function rightsGrew({ tenant, id }: Scope, userIds: readonly string[]): RightsGrew[] {
  return Array.from({ length: Math.ceil(userIds.length / usersPerEvent) }, (_, page) => ({
    type: 'rights.grew',
    key: id,
    payload: { userIds: userIds.slice(page * usersPerEvent, (page + 1) * usersPerEvent), scope: { tenant, id } },
  }));
}

/** The same for all who hold a role that gives more since it, or something in it, was changed. */
export async function announceGrowth(by: Giver, id: string, context: HandleContext<RbacDeps>): Promise<void> {
  const scope = scopeOf(context);
  context.emit(...rightsGrew(scope, await listHolders(context.tx, scope, by, id)));
}
