import { failures } from '@tessera/kernel/errors';
import { callerOf, scopeOf } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { lockDirectoryUserOf } from '../../storage/directory-users.ts';
import { findMember, noteDetachment } from '../../storage/members.ts';
import { directoryEvents } from '../directory-changes.ts';
import { assertMayDetach, onDirectory } from './detachment.ts';
import { changedMember, showMember } from './member-entry.ts';

export const detachMember = operation({
  ...onDirectory,
  name: 'detachMember',
  summary: 'Take a member out of the hands of the directory: what it sends of them changes nothing here any more, not even active false',
  audit: 'organizationMember.detached',
  leaves: { ends: 'the member is attached again, leaves or is removed' },
  rest: { method: 'POST', path: '/api/organization-members/:userId/detach' },
  graphql: { field: 'detachMember', type: 'OrganizationMember' },
  prepare: ({ userId }, context) => assertMayDetach('detach', userId, context),
  handle: async ({ userId }, context) => {
    const { tx, now, audit, emit } = context;
    const { id: organizationId } = scopeOf(context);
    const { userId: by } = callerOf(context);
    // SCIM locks the same row first: what it said before counts, what it says later does not.
    const row = await lockDirectoryUserOf(tx, organizationId, userId);
    const member = await findMember(tx, organizationId, userId);
    if (member === undefined) throw failures.notFound('OrganizationMember');
    const isDetached = member.detachedAt !== null;
    if (!isDetached) {
      await noteDetachment(tx, { organizationId, userId, at: now.toISOString(), by });
      if (row !== undefined) emit(...(await directoryEvents(tx, { organizationId, rowIds: [row.id], by })));
    }
    audit({ targetType: 'OrganizationMember', targetId: userId, before: { isDetached }, after: { isDetached: true } });
    return changedMember(userId, context);
  },
  complete: showMember,
});
