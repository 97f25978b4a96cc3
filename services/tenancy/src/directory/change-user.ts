import { isDeepStrictEqual } from 'node:util';
import { failures } from '@tessera/kernel/errors';
import { callerOf, type HandleContext, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation, type TenancyDeps } from '../deps.ts';
import { applyPatch, readPatch } from '../domain/scim/patch.ts';
import { type Resource, readResource } from '../domain/scim/resource.ts';
import { userType } from '../domain/scim/schema.ts';
import { directoryEvents, directoryEventsOf } from '../operations/directory-changes.ts';
import { type DirectoryUser, findDirectoryUser, findTaken, lockDirectoryUser, updateDirectoryUser } from '../storage/directory-users.ts';
import { lockInvitation } from '../storage/invitations.ts';
import { type Account, accountOf, enter, type Locked, lockEntry, withdraw } from './enter.ts';
import { dropMember, endMembership, memberNow, personOf } from './leave.ts';
import {
  assertAsked,
  Body,
  type Context,
  exists,
  type Kept,
  keep,
  nameOf,
  provision,
  refuseTaken,
  resourceOf,
  Shown,
  scimOnly,
  show,
  versionField,
} from './user.ts';

type Prepared = {
  readonly before: DirectoryUser;
  readonly kept: Kept;
  readonly name: string;
  /** The person of the row, when the directory deactivates them. */
  readonly personId: string | null;
  /** The member whose membership rbac has ended already. */
  readonly endedId: string | undefined;
  /** Of a person who is activated, or whose open invitation gets another address. */
  readonly account: Account | undefined;
};

export const changeUser = operation({
  ...scimOnly,
  name: 'changeUser',
  summary: 'Change a person of the directory; active false takes them out at once, true lets them in again',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, by: Type.Enum(['put', 'patch']), body: Body, ...versionField }),
  output: Shown,
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN', 'PRECONDITION_FAILED', 'QUOTA_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'directoryUser.updated',
  events: ['mail.requested', 'member.added', 'user.left', 'directory.changed'],
  leaves: { ends: 'the directory takes the person out, or the membership is removed; an invitation ends with its service account' },

  async prepare({ id, by, body, version }, context): Promise<Prepared> {
    const scope = scopeOf(context);
    const before = await context.deps.database.scoped(scope, (tx) => findDirectoryUser(tx, scope.id, id), { readOnly: true });
    if (before === undefined) throw failures.notFound('User');
    assertAsked(before, version);
    const after: Resource = by === 'put' ? readResource(userType, body) : applyPatch(userType, resourceOf(before), readPatch(body));
    const kept = keep(after, by === 'put' ? before.active : true);
    const isGoing = before.active && !kept.active;
    const personId = isGoing ? await personOf(before, context) : null;
    const endedId = isGoing ? await endOf({ before, kept, personId, version }, context) : undefined;
    const isMoved = kept.email !== before.email && before.userId === null;
    const isComing = kept.active && (!before.active || isMoved);
    return { before, kept, name: nameOf(after), personId, endedId, account: isComing ? await accountOf(kept.email, context) : undefined };
  },

  async handle({ id }, context, prepared) {
    const { tx, audit } = context;
    const { before, kept, endedId, account } = prepared;
    const { id: organizationId } = scopeOf(context);
    const isReturning = before.userId !== null && !before.hasLeft;
    const locked = account && (await lockEntry(account, { email: kept.email, isReturning }, context));
    // Before the directory's row, in the order in which an acceptance locks.
    if (before.invitationId !== null) await lockInvitation(tx, organizationId, before.invitationId);
    const row = await lockDirectoryUser(tx, organizationId, id);
    if (row === undefined) throw failures.notFound('User');
    // The transport repeats the operation with the new row.
    if (row.version !== before.version || row.userId !== before.userId) throw failures.changedMeanwhile();
    const move = await moveOf(row, prepared, locked, context);
    if (isSame(row, kept) && Object.keys(move).length === 0) {
      audit({ targetType: 'DirectoryUser', targetId: id });
      return row;
    }
    const changed = await updateDirectoryUser(tx, row, { ...kept, ...move }).catch(refuseTaken);
    if (changed === undefined) throw failures.notFound('User');
    if (changed.userId !== row.userId) await tellOfAccounts(row, changed, context);
    const fields = (of: Pick<DirectoryUser, 'userName' | 'externalId' | 'active'>) => ({
      userName: of.userName,
      externalId: of.externalId,
      active: of.active,
    });
    const detail = { changed: changedNames(row, changed), ...(endedId === undefined ? {} : { isEnded: true }) };
    audit({ targetType: 'DirectoryUser', targetId: id, before: fields(row), after: fields(changed), detail });
    return changed;
  },

  complete: async (row, context) => {
    await context.deps.makePerson(row);
    return show(row, context);
  },
});

type Going = Pick<Prepared, 'before' | 'kept' | 'personId'> & { readonly version: string | undefined };

/**
 * Ends the membership and returns the member's id. All that can be refused is checked first,
 * because rbac commits.
 */
async function endOf({ before, kept, personId, version }: Going, context: Context): Promise<string | undefined> {
  const { id: organizationId } = scopeOf(context);
  const memberId = await context.deps.database.scoped(
    scopeOf(context),
    async (tx) => {
      const row = await findDirectoryUser(tx, organizationId, before.id);
      if (row === undefined) throw failures.notFound('User');
      assertAsked(row, version);
      if (row.version !== before.version || row.userId !== before.userId) throw failures.changedMeanwhile();
      const field = await findTaken(tx, organizationId, kept, row.id);
      if (field !== undefined) throw exists(field);
      return memberNow(tx, row, personId);
    },
    { readOnly: true },
  );
  if (memberId !== undefined) await endMembership({ organizationId, userId: memberId }, context);
  return memberId;
}

type Move = Pick<Parameters<typeof updateDirectoryUser>[2], 'userId' | 'hasLeft' | 'invitationId' | 'makingSince'>;

/** Removes or admits the person, and revokes or makes the invitation. */
async function moveOf(
  row: DirectoryUser,
  { kept, name, personId, endedId, account }: Prepared,
  locked: Locked | undefined,
  context: HandleContext<TenancyDeps>,
): Promise<Move> {
  const { organizationId, userId, hasLeft, invitationId } = row;
  if (!kept.active) {
    if (!row.active) return {};
    // The invitation was accepted after `prepare`. The retry ends the membership first.
    if (endedId === undefined && (await memberNow(context.tx, row, personId)) !== undefined) throw failures.changedMeanwhile();
    if (invitationId !== null) await withdraw(invitationId, organizationId, context);
    if (endedId === undefined) return { makingSince: null };
    await dropMember({ organizationId, userId: endedId }, context);
    return { userId: endedId, hasLeft: false, makingSince: null };
  }
  if (account === undefined || locked === undefined) return {};
  if (invitationId !== null) await withdraw(invitationId, organizationId, context);
  const { by: _, ...entry } = await enter({ organizationId, email: kept.email, name, userId, hasLeft }, account, locked, context);
  return entry;
}

/** The groups are those of the new account; the former one is in none of them any more. */
async function tellOfAccounts(before: DirectoryUser, after: DirectoryUser, context: HandleContext<TenancyDeps>): Promise<void> {
  const { tx, emit } = context;
  const { organizationId } = after;
  if (before.userId !== null)
    emit(...(await directoryEvents(tx, { organizationId, goneUserIds: [before.userId], by: callerOf(context).userId })));
  if (after.userId !== null) emit(...(await directoryEventsOf(tx, organizationId, after.userId)));
}

function isSame(row: DirectoryUser, { active, email, attributes }: Kept): boolean {
  return row.active === active && row.email === email && isDeepStrictEqual(row.attributes, attributes);
}

function changedNames(before: DirectoryUser, after: DirectoryUser): string[] {
  const names = new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)]);
  return [...names].filter((name) => !isDeepStrictEqual(before.attributes[name], after.attributes[name])).sort();
}
