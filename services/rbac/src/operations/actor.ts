import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../deps.ts';
import type { Json } from '../domain/condition.ts';
import { decide } from '../domain/decision.ts';
import { type Actor, actionsNotHeld, type GivenAction } from '../domain/escalation.ts';
import { capOf, effectiveScope, type Subject } from '../domain/subject.ts';
import { errors } from '../errors.ts';
import { type LoadedRights, loadRightsWithin } from '../storage/rights.ts';
import type { Versions } from '../storage/tenants.ts';

type Within = { readonly tx: Transaction; readonly deps: Pick<RbacDeps, 'rights' | 'userMetadata'>; readonly scope: ParsedScope };

/** Whether rights computed before this write still hold in it: nothing but the write's own step lies between. */
function isCurrent({ versions }: LoadedRights, now: Versions, bumped: boolean): boolean {
  const step = bumped ? 1 : 0;
  const isRoot = now.root === now.own;
  return versions.own === now.own - step && (isRoot || versions.root === now.root);
}

/** What the subject holds as of this transaction, whose scope is locked: from memory when no version has moved, read again otherwise. */
export async function actorWithin(
  { tx, deps, scope }: Within,
  subject: Subject,
  versions: Versions,
  { bumped }: { bumped: boolean },
): Promise<Actor> {
  if (effectiveScope(subject, scope) === undefined) throw failures.forbidden();
  const known = deps.rights.peek(scope, subject);
  const loaded = known && isCurrent(known, versions, bumped) ? known : await loadRightsWithin(tx, scope, subject);
  if (loaded === undefined) throw failures.forbidden();
  return { rights: loaded.rights, cap: capOf(subject) };
}

/** Asserts a permission again inside the transaction, against rights that nobody can change before its end. */
export function assertPermission(
  { deps }: Pick<Within, 'deps'>,
  actor: Actor,
  subject: Subject,
  permission: string,
  target: Readonly<Record<string, Json>>,
): void {
  const [resource = '', action = ''] = permission.split(':');
  const userMetadata = deps.userMetadata.lastKnown(subject.userId);
  const { authorized } = decide(actor.rights, { resource, action, userId: subject.userId, target, cap: actor.cap, userMetadata });
  if (!authorized) throw failures.forbidden();
}

/** Nobody gives what they do not hold. */
export function assertHolds(actor: Actor, given: readonly GivenAction[]): void {
  const [missing] = actionsNotHeld(actor, given);
  if (missing === undefined) return;
  const action = `${missing.resource}:${missing.action}`;
  throw errors.escalation({ params: { action }, extensions: { action } });
}
