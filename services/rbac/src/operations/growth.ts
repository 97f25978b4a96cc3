import type { HandleContext } from '@tessera/kernel/operation';
import { scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../deps.ts';
import { type Giver, listHolders } from '../storage/holders.ts';

type People = { userIds: string[]; scope: { tenant: string; id: string } };
type RightsGrew = { type: 'rights.grew'; key: string; payload: People };
type RightsShrank = { type: 'rights.shrank'; key: string; payload: People };

const usersPerEvent = 1_000;

function portionsOf({ tenant, id }: Scope, userIds: readonly string[]): { readonly key: string; readonly payload: People }[] {
  return Array.from({ length: Math.ceil(userIds.length / usersPerEvent) }, (_, page) => ({
    key: id,
    payload: { userIds: userIds.slice(page * usersPerEvent, (page + 1) * usersPerEvent), scope: { tenant, id } },
  }));
}

/**
 * Tells that these users may do more than before: what others hold for them then ends.
 */
export function rightsGrew(scope: Scope, userIds: readonly string[]): RightsGrew[] {
  return portionsOf(scope, userIds).map((told) => ({ type: 'rights.grew', ...told }));
}

/** Tells that a user lost a role: keys and apps that rest on the user ask for tokens anew. */
export function rightsShrank({ tenant, id }: Scope, userId: string): RightsShrank {
  return { type: 'rights.shrank', key: id, payload: { userIds: [userId], scope: { tenant, id } } };
}

/** The same of many. */
export function rightsShrankOf(scope: Scope, userIds: readonly string[]): RightsShrank[] {
  return portionsOf(scope, userIds).map((told) => ({ type: 'rights.shrank', ...told }));
}

/** Tells of growth for all who hold a role that gives more since it, or a part, was changed. */
export async function announceGrowth(by: Giver, id: string, context: HandleContext<RbacDeps>): Promise<void> {
  const scope = scopeOf(context);
  context.emit(...rightsGrew(scope, await listHolders(context.tx, scope, by, id)));
}
