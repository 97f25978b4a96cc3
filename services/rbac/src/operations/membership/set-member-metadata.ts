import { failures } from '@tessera/kernel/errors';
import type { ParsedScope } from '@tessera/kernel/scope';
import type { UserRest } from '@tessera/proto/events';
import { jsonRecord } from '@tessera/rules/condition';
import type { RbacDeps } from '../../deps.ts';
import { rankOf } from '../../domain/catalogue.ts';
import { type Actor, readsMember } from '../../domain/escalation.ts';
import type { Subject } from '../../domain/subject.ts';
import { errors } from '../../errors.ts';
import { listRolesOfUsers } from '../../storage/assignments.ts';
import { listActionsOfRoles } from '../../storage/given-actions.ts';
import { writeMemberMetadata } from '../../storage/member-metadata.ts';
import { assertHolds } from '../actor.ts';
import { rightsGrew } from '../growth.ts';
import { assertMayTouch, inheritedRoles } from './rules.ts';
import { assertMemberVersion } from './version.ts';
import { changeWithin, type MembershipChange, type MembershipWrite } from './within.ts';

type Member = { readonly scope: ParsedScope; readonly userId: string; readonly metadata: object };

/** Owners and Admins, and the owner of an account, decide by metadata. */
function assertDirects({ rights }: Actor): void {
  if (!rights.ownsAccount && (rights.rank === undefined || rights.rank > rankOf('Admin'))) throw errors.aboveOwnRank();
}

/**
 * Replaces what is recorded of a member or a project's user. Conditions read the metadata, so only
 * those who hold an action may change what it depends on.
 */
export async function recordMetadata({ tx, actor, emit }: MembershipWrite, { scope, userId, metadata }: Member): Promise<void> {
  if (actor === undefined) throw failures.unauthenticated();
  if (scope.tenant === 'account')
    throw failures.validation('scope.tenant', {
      en: 'must be an organization or a project',
      de: 'muss eine Organisation oder ein Projekt sein',
    });
  if (scope.grant !== undefined)
    throw failures.validation('memberMetadata', {
      en: 'is not kept in another organization’s project: write it in your organization',
      de: 'gibt es im Projekt einer anderen Organisation nicht: Setzen Sie es in Ihrer Organisation',
    });
  assertDirects(actor);
  const [own, inherited] = [await listRolesOfUsers(tx, [scope], [userId]), await inheritedRoles(tx, scope, userId)];
  if (!actor.rights.ownsAccount) assertMayTouch(actor, scope.tenant === 'organization' ? own : inherited);
  const ids = [...own, ...inherited].map(({ id }) => id);
  assertHolds(actor, (await listActionsOfRoles(tx, ids)).filter(readsMember));
  // Rights in all projects of an organization may depend on it, so they count as grown.
  emit(...rightsGrew(scope, [userId]));
  await writeMemberMetadata(tx, scope, userId, jsonRecord(metadata));
}

/** The caller has authorized the update of the member. Returns the ids of the events to deliver. */
export async function setMemberMetadata(
  deps: RbacDeps,
  asked: Member &
    MembershipChange & {
      readonly actor: Subject;
      readonly expectedVersion?: string | undefined;
      readonly rest?: UserRest | undefined;
    },
): Promise<readonly string[]> {
  const { eventIds } = await changeWithin(deps, asked, async (write) => {
    await assertMemberVersion(write.tx, asked);
    await recordMetadata(write, asked);
    if (asked.rest !== undefined) write.emit({ type: 'userChange.begun', key: asked.userId, payload: asked.rest });
  });
  return eventIds;
}
