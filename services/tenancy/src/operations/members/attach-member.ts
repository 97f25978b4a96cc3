import { failures } from '@tessera/kernel/errors';
import { auditMessage, callerOf, differences, type HandleContext, scopeOf } from '@tessera/kernel/operation';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { operation, type TenancyDeps } from '../../deps.ts';
import { memberAdded, userLeft } from '../../events.ts';
import { findDirectoryUserOf, lockDirectoryUserOf, noteEntry } from '../../storage/directory-users.ts';
import { addMember, findMember, listDirectoryStandings, noteDetachment, removeMember } from '../../storage/members.ts';
import { directoryEvents } from '../directory-changes.ts';
import type { Context } from '../related.ts';
import { callerMessage, scopeMessage } from '../role-grant.ts';
import { assertMayDetach, onDirectory } from './detachment.ts';

const removed = { operation: 'removeOrganizationMember', action: 'organizationMember.removed' } as const;

export const attachMember = operation({
  ...onDirectory,
  name: 'attachMember',
  summary: 'Give a member back into the hands of the directory: what it sent last is applied at once, and active false ends the membership',
  audit: 'organizationMember.attached',
  events: ['directory.changed', 'user.left', 'member.added'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/organization-members/:userId/attach' },
  graphql: { field: 'attachMember', type: 'OrganizationMember' },
  prepare: async ({ userId }, context) => {
    const member = await assertMayDetach('attach', userId, context);
    const { id: organizationId } = scopeOf(context);
    const [standing] = await context.deps.database.scoped(scopeOf(context), (tx) => listDirectoryStandings(tx, organizationId, [userId]), {
      readOnly: true,
    });
    const isEnding = standing !== undefined && standing.detachedAt !== null && standing.isActive === false;
    if (isEnding) await endMembership(userId, member, context);
    return { member, isEnding };
  },
  handle: async ({ userId }, context, { member, isEnding }) => {
    const { tx, audit, emit } = context;
    const { id: organizationId } = scopeOf(context);
    const row = await lockDirectoryUserOf(tx, organizationId, userId);
    const found = await findMember(tx, organizationId, userId);
    const isDetached = isEnding || (found !== undefined && found.detachedAt !== null);
    if (isEnding) await leave({ organizationId, userId, row }, context);
    else if (found === undefined) throw failures.notFound('OrganizationMember');
    else if (isDetached) {
      // The directory has deactivated the person, or sent them, since `prepare`.
      if (row?.active === false) throw failures.changedMeanwhile();
      await noteDetachment(tx, { organizationId, userId, at: null, by: null });
      // A row that the directory makes now is locked with the membership, which was changed above.
      if (row === undefined && (await findDirectoryUserOf(tx, organizationId, userId)) !== undefined) throw failures.changedMeanwhile();
    }
    if (isDetached) {
      const told = row === undefined ? { goneUserIds: [userId] } : { rowIds: [row.id] };
      emit(...(await directoryEvents(tx, { organizationId, ...told, by: callerOf(context).userId })));
    }
    const detail = isEnding ? { isEnded: true } : {};
    audit({ targetType: 'OrganizationMember', targetId: userId, before: { isDetached }, after: { isDetached: false }, detail });
    return { ...member, directory: row === undefined ? null : { isDetached: false, detachedAt: null, isActive: row.active } };
  },
});

/** rbac checks the rank and the last Owner, and commits with the audit row, as at a removal. */
async function endMembership(userId: string, { name, email, role }: Awaited<ReturnType<typeof assertMayDetach>>, context: Context) {
  const before = { name, email, roleId: role?.id ?? null };
  const entry = { targetType: 'OrganizationMember', targetId: userId, detail: { by: 'directory' } };
  const changes = differences(Object.keys(before), before, {});
  const auditJson = auditMessage({ ...removed, outcome: 'ok', entry, changes }, context);
  await context.deps.roles.endMembership({ actor: callerMessage(context), scope: scopeMessage(context), userId, auditJson });
}

type Leaving = {
  readonly organizationId: string;
  readonly userId: string;
  readonly row: { readonly id: string; readonly active: boolean } | undefined;
};

/** As when the directory says active false; who is activated meanwhile is a member again. */
async function leave({ organizationId, userId, row }: Leaving, { tx, emit }: HandleContext<TenancyDeps>): Promise<void> {
  if (await removeMember(tx, organizationId, userId)) emit(userLeft(userId, { tenant: 'organization', id: organizationId }));
  if (row === undefined) return;
  await noteEntry(tx, { organizationId, id: row.id }, { hasLeft: false });
  if (!row.active || (await addMember(tx, organizationId, userId)) !== 'added') return;
  emit(memberAdded(organizationId, userId, builtInRoleId('organization', organizationId, 'Viewer')));
}
