import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { operation } from '../deps.ts';
import { directoryEvents } from '../operations/directory-changes.ts';
import { listGroupsOfUsers } from '../storage/directory-groups.ts';
import { deleteDirectoryUser, findDirectoryUser, lockDirectoryUser } from '../storage/directory-users.ts';
import { lockInvitation } from '../storage/invitations.ts';
import { withdraw } from './enter.ts';
import { dropMember, endMembership, memberNow, personOf } from './leave.ts';
import { assertAsked, provision, scimOnly, versionField } from './user.ts';

export const deprovisionUser = operation({
  ...scimOnly,
  name: 'deprovisionUser',
  summary: 'Take a person out whom the directory deletes',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...versionField }),
  output: strict({ id: Id }),
  access: provision,
  scopes: ['organization'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  audit: 'directoryUser.deleted',
  events: ['user.left', 'directory.changed'],
  leaves: 'nothing',

  async prepare({ id, version }, context) {
    const scope = scopeOf(context);
    const find = (tx: Transaction) => findDirectoryUser(tx, scope.id, id);
    const before = await context.deps.database.scoped(scope, find, { readOnly: true });
    if (before === undefined) throw failures.notFound('User');
    assertAsked(before, version);
    // The directory had deactivated the person. A membership that an Admin gave afterwards stays.
    if (!before.active) return { before, personId: null, endedId: undefined };
    const personId = await personOf(before, context);
    const endedId = await context.deps.database.scoped(
      scope,
      async (tx) => {
        const row = await find(tx);
        if (row?.version !== before.version || row.userId !== before.userId) throw failures.changedMeanwhile();
        return memberNow(tx, row, personId);
      },
      { readOnly: true },
    );
    if (endedId !== undefined) await endMembership({ organizationId: scope.id, userId: endedId }, context);
    return { before, personId, endedId };
  },

  async handle({ id }, context, { before, personId, endedId }) {
    const { tx, audit, emit } = context;
    const { id: organizationId } = scopeOf(context);
    if (before.invitationId !== null) await lockInvitation(tx, organizationId, before.invitationId);
    const row = await lockDirectoryUser(tx, organizationId, id);
    if (row === undefined) throw failures.notFound('User');
    if (row.userId !== before.userId || row.version !== before.version) throw failures.changedMeanwhile();
    if (row.active && endedId === undefined && (await memberNow(tx, row, personId)) !== undefined) throw failures.changedMeanwhile();
    if (row.invitationId !== null) await withdraw(row.invitationId, organizationId, context);
    if (endedId !== undefined) await dropMember({ organizationId, userId: endedId }, context);
    const groupIds = (await listGroupsOfUsers(tx, organizationId, [id])).map((group) => group.id);
    await deleteDirectoryUser(tx, organizationId, id);
    if (groupIds.length > 0) {
      const goneUserIds = [row.userId ?? endedId].filter((userId) => userId !== undefined);
      emit(...(await directoryEvents(tx, { organizationId, groupIds, goneUserIds, by: callerOf(context).userId })));
    }
    const { userName, externalId, active } = row;
    audit({ targetType: 'DirectoryUser', targetId: id, before: { userName, externalId, active } });
    return { id };
  },
});
