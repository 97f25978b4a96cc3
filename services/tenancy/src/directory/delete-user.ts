import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../deps.ts';
import { deleteDirectoryUser, findDirectoryUser, lockDirectoryUser } from '../storage/directory-users.ts';
import { lockInvitation } from '../storage/invitations.ts';
import { withdraw } from './enter.ts';
import { dropMember, endMembership, isMemberNow } from './leave.ts';
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
  events: ['user.left'],
  leaves: 'nothing',

  async prepare({ id, version }, context) {
    const scope = scopeOf(context);
    const [row, isMember] = await context.deps.database.scoped(
      scope,
      async (tx) => {
        const found = await findDirectoryUser(tx, scope.id, id);
        return [found, found !== undefined && (await isMemberNow(tx, found))] as const;
      },
      { readOnly: true },
    );
    if (row === undefined) throw failures.notFound('User');
    assertAsked(row, version);
    const isEnded = row.active && isMember;
    if (isEnded) await endMembership(row, context);
    return { before: row, isEnded };
  },

  async handle({ id }, context, { before, isEnded }) {
    const { tx, audit } = context;
    const { id: organizationId } = scopeOf(context);
    if (before.invitationId !== null) await lockInvitation(tx, organizationId, before.invitationId);
    const row = await lockDirectoryUser(tx, organizationId, id);
    if (row === undefined) throw failures.notFound('User');
    if (row.userId !== before.userId || row.version !== before.version) throw failures.changedMeanwhile();
    // By the directory's word alone: what an Admin has given again by hand stays.
    if (!isEnded && row.active && (await isMemberNow(tx, row))) throw failures.changedMeanwhile();
    if (row.invitationId !== null) await withdraw(row.invitationId, organizationId, context);
    if (isEnded) await dropMember(row, context);
    await deleteDirectoryUser(tx, organizationId, id);
    const { userName, externalId, active } = row;
    audit({ targetType: 'DirectoryUser', targetId: id, before: { userName, externalId, active } });
    return { id };
  },
});
