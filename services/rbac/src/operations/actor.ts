import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import type { RbacDeps } from '../deps.ts';
import { decide } from '../domain/decision.ts';
import { type Actor, actionsNotHeld, type GivenAction, giverOf } from '../domain/escalation.ts';
import { actsForOwner, effectiveScope, type Subject } from '../domain/subject.ts';
import { errors } from '../errors.ts';
import { type LoadedRights, loadRightsWithin } from '../storage/rights.ts';
import type { Versions } from '../storage/tenants.ts';

type Within = { readonly tx: Transaction; readonly deps: Pick<RbacDeps, 'rights' | 'userMetadata'>; readonly scope: ParsedScope };

/**
 * Whether rights from memory still hold in this write: only the write's own bump may lie between.
 */
function isCurrent({ versions }: LoadedRights, now: Versions, isBumped: boolean): boolean {
  const step = isBumped ? 1 : 0;
  const isRoot = now.root === now.own;
  return versions.own === now.own - step && (isRoot || versions.root === now.root);
}

/**
 * The subject's rights as of this transaction, in which the scope is locked. Rights in memory serve
 * when no version has changed since; otherwise they are read again.
 */
export async function actorWithin(
  { tx, deps, scope }: Within,
  subject: Subject,
  versions: Versions,
  { isBumped }: { isBumped: boolean },
): Promise<Actor> {
  if (effectiveScope(subject, scope) === undefined || actsForOwner(subject, scope)) throw failures.forbidden();
  // Of a product, this transaction holds no version.
  const known = scope.grant === undefined ? deps.rights.peek(scope, subject) : undefined;
  const loaded = known && isCurrent(known, versions, isBumped) ? known : await loadRightsWithin(tx, scope, subject);
  if (loaded === undefined) throw failures.forbidden();
  return giverOf(loaded.rights, subject);
}

/**
 * Asserts a permission inside the transaction, against rights that cannot change before its end.
 */
export function assertPermission(
  { deps, ipAddress }: Pick<Within, 'deps'> & { readonly ipAddress?: string },
  actor: Actor,
  subject: Subject,
  permission: string,
  target: Readonly<Record<string, Json>>,
): void {
  const [resource = '', action = ''] = permission.split(':');
  const userMetadata = deps.userMetadata.lastKnown(subject.userId);
  const { rights, cap } = actor;
  const { memberMetadata, grantMetadata } = rights;
  const metadata = { memberMetadata, grantMetadata };
  const question = { resource, action, userId: subject.userId, target, cap, userMetadata, ...metadata };
  const { authorized } = decide(rights, { ...question, nowMs: Date.now(), ipAddress, acr: subject.acr });
  if (!authorized) throw failures.forbidden();
}

/** Refuses to give an action that the actor does not hold. */
export function assertHolds(actor: Actor, given: readonly GivenAction[]): void {
  const [missing] = actionsNotHeld(actor, given);
  if (missing === undefined) return;
  const action = `${missing.resource}:${missing.action}`;
  throw errors.escalation({ params: { action }, extensions: { action } });
}
