import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { RbacDeps } from '../../deps.ts';
import { rankOf } from '../../domain/catalogue.ts';
import { jsonRecord } from '../../domain/condition.ts';
import { type Actor, readsMember } from '../../domain/escalation.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { listRolesOfUsers } from '../../storage/assignments.ts';
import { listActionsOfRoles } from '../../storage/given-actions.ts';
import { writeMemberMetadata } from '../../storage/member-metadata.ts';
import { assertHolds } from '../actor.ts';
import { assertMayTouch, inheritedRoles } from './rules.ts';
import { changeWithin } from './within.ts';

type Member = { readonly scope: ParsedScope; readonly userId: string; readonly metadata: object };

/** Owners and Admins, and the owner of an account, decide by metadata. */
function assertDirects({ rights }: Actor): void {
  if (!rights.ownsAccount && (rights.rank === undefined || rights.rank > rankOf('Admin'))) throw errors.aboveOwnRank();
}

/**
 * Replaces what is recorded of a member or a project's user. Conditions read the metadata, so only
 * those who hold an action may change what it depends on.
 */
export async function recordMetadata(tx: Transaction, actor: Actor, { scope, userId, metadata }: Member): Promise<void> {
  if (scope.tenant === 'account')
    throw failures.validation('scope.tenant', { en: 'must be an organization or a project', de: 'muss Organisation oder Projekt sein' });
  assertDirects(actor);
  const [own, inherited] = [await listRolesOfUsers(tx, [scope], [userId]), await inheritedRoles(tx, scope, userId)];
  if (!actor.rights.ownsAccount) assertMayTouch(actor, scope.tenant === 'organization' ? own : inherited);
  const ids = [...own, ...inherited].map(({ id }) => id);
  assertHolds(actor, (await listActionsOfRoles(tx, ids)).filter(readsMember));
  await writeMemberMetadata(tx, scope, userId, jsonRecord(metadata));
}

/** The caller has authorized the update of the member. */
export async function setMemberMetadata(
  deps: RbacDeps,
  { actor: subject, ...member }: Member & { readonly actor: Subject },
): Promise<void> {
  await changeWithin(deps, member.scope, subject, async ({ tx, actor }) => {
    if (actor === undefined) throw failures.unauthenticated();
    await recordMetadata(tx, actor, member);
  });
}
