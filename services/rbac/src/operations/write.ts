import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, type Permission, scopeOf } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import { jsonRecord } from '@tessera/rules/condition';
import type { RbacDeps } from '../deps.ts';
import { encodeConsistency } from '../domain/consistency.ts';
import type { Actor } from '../domain/escalation.ts';
import { holdScope, type Versions } from '../storage/tenants.ts';
import { actorWithin, assertPermission } from './actor.ts';

export type Write = {
  readonly scope: ParsedScope;
  readonly actor: Actor;
  /** Asserts one more permission of the same caller. */
  readonly alsoNeeds: (permission: Permission) => void;
};
type Context = HandleContext<RbacDeps>;
type BeginWrite = (context: Context) => Promise<Write>;
type Lock = (context: Context, scope: ParsedScope) => Promise<Versions | undefined>;

/**
 * Locks the scope and asserts the operation's own permission again under the lock, because rights
 * may have changed since the pipeline asked. Adds the consistency token of the version after the
 * write.
 */
function beginWrite(lock: Lock, isBumped: boolean): BeginWrite {
  return async (context) => {
    const { authorized, tx, deps } = context;
    if (authorized === undefined) throw new Error('this operation declares no permission');
    const scope = scopeOf(context);
    const { subject } = callerOf(context);
    const versions = await lock(context, scope);
    if (versions === undefined) throw failures.forbidden();
    const actor = await actorWithin({ tx, deps, scope }, subject, versions, { isBumped });
    const asked = { deps, ipAddress: context.request.ipAddress };
    assertPermission(asked, actor, subject, authorized.permission, jsonRecord(authorized.target));
    context.response.addConsistencyToken(encodeConsistency({ tenant: scope.tenant, id: scope.id, version: versions.own }));
    return { scope, actor, alsoNeeds: (permission) => assertPermission(asked, actor, subject, permission, {}) };
  };
}

/**
 * For writes that change rights: one at a time in each tenant, and every cache drops the tenant.
 */
export const beginChange: BeginWrite = beginWrite(({ tx, deps }, scope) => deps.tenants.bump(tx, scope), true);
/**
 * For writes that change no permissions (tags): they run in parallel, and caches keep their
 * entries.
 */
export const beginEdit: BeginWrite = beginWrite(({ tx }, scope) => holdScope(tx, scope), false);
