import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, type Permission, scopeOf } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../deps.ts';
import type { Json } from '../domain/condition.ts';
import { encodeConsistency } from '../domain/consistency.ts';
import type { Actor } from '../domain/escalation.ts';
import { bumpScope, holdScope, type Versions } from '../storage/tenants.ts';
import { actorWithin, assertPermission } from './actor.ts';

export type Write = {
  readonly scope: ParsedScope;
  readonly actor: Actor;
  /** Asserts one more right of the same caller. */
  readonly alsoNeeds: (permission: Permission) => void;
};
type Context = HandleContext<RbacDeps>;
type Opening = (context: Context, permission: Permission, target?: Readonly<Record<string, Json>>) => Promise<Write>;

/** Locks the scope, asserts the right again under the lock, and answers with the token of the state that the write leaves. */
function openWrite(lock: (tx: Context['tx'], scope: ParsedScope) => Promise<Versions | undefined>, bumped: boolean): Opening {
  return async (context, permission, target = {}) => {
    const scope = scopeOf(context);
    const { subject } = callerOf(context);
    const versions = await lock(context.tx, scope);
    if (versions === undefined) throw failures.forbidden();
    const within = { tx: context.tx, deps: context.deps, scope };
    const actor = await actorWithin(within, subject, versions, { bumped });
    assertPermission(within, actor, subject, permission, target);
    context.response.addConsistencyToken(encodeConsistency({ tenant: scope.tenant, id: scope.id, version: versions.own }));
    return { scope, actor, alsoNeeds: (also) => assertPermission(within, actor, subject, also, {}) };
  };
}

/** For writes that change what somebody may do: one after the other in each tenant, and every cache forgets the tenant. */
export const beginChange: Opening = openWrite(bumpScope, true);
/** For writes that change nobody's rights: side by side, nothing is forgotten. */
export const beginEdit: Opening = openWrite(holdScope, false);
