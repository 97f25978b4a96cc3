import { assertVersion, callerOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { replaceMappings, touchGroup } from '../../storage/directory.ts';
import { countPeopleOfGroup, deleteDirectoryChange, listPeopleAfter, putDirectoryChange } from '../../storage/directory-changes.ts';
import { addressed } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { applyInScope } from './apply.ts';
import { DirectoryGroup, findGroup, roleIdsField, showGroups } from './groups.ts';
import { planMapping } from './mapping.ts';
import { portionSize } from './portions.ts';

/** Of a larger group the others lose what it gave in portions, too. */
const mostLosing = 10_000;

export const updateDirectoryGroup = operation({
  name: 'updateDirectoryGroup',
  summary: 'Changes which roles a group of the directory gives its members in this scope: the organization, or a project that it uses.',
  kind: 'mutation',
  input: strict({ ...addressed, ...roleIdsField }),
  output: DirectoryGroup,
  access: { permission: 'Directory:Update', target: async ({ id }) => ({ id }) },
  scopes: ['organization', 'organizationProject'],
  verification: 'by-scope',
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  audit: 'directoryGroup.mapped',
  events: ['rights.grew', 'rights.shrank'],
  leaves: {
    ends: 'a group gives a role only while the person who mapped it could give it; the mapping ends with the role, the grant or the group',
  },
  rest: { method: 'PATCH', path: '/api/directory-groups/:id' },
  graphql: { field: 'updateDirectoryGroup', type: 'DirectoryGroup' },
  handle: async ({ id, roleIds }, context) => {
    const { tx, audit, emit } = context;
    const { scope, actor } = await beginChange(context);
    const { organizationId, group, before, goneIds, renewed } = await planMapping(tx, { scope, actor }, { id, roleIds });
    await assertVersion(context.request, async () => group);
    const { subject, userId } = callerOf(context);
    const mapper = { organizationId, groupId: id, mappedBy: userId, isMappedByService: subject.type === 'serviceAccount' };
    // What the caller takes over is written anew, in their name.
    const taken = new Set(renewed.map((role) => role.id));
    if (taken.size > 0)
      await replaceMappings(tx, scope, { ...mapper, roleIds: before.filter((roleId) => !taken.has(roleId) && !goneIds.includes(roleId)) });
    await replaceMappings(tx, scope, { ...mapper, roleIds });
    await touchGroup(tx, organizationId, id);
    const userIds = await listPeopleAfter(tx, { organizationId, groupId: id, afterUserId: null, limit: portionSize + 1 });
    const isLarge = userIds.length > portionSize;
    if (isLarge) {
      const peopleCount = await countPeopleOfGroup(tx, organizationId, id);
      await putDirectoryChange(tx, { organizationId, groupId: id, tenant: scope.tenant, scopeId: scope.id, actorId: userId, peopleCount });
    } else await deleteDirectoryChange(tx, { groupId: id, scopeId: scope.id });
    // What is taken goes at once, what is given may come in portions.
    const first =
      isLarge && goneIds.length > 0 ? await listPeopleAfter(tx, { organizationId, groupId: id, afterUserId: null, limit: mostLosing }) : [];
    const changed = { organizationId, userIds: isLarge ? first : userIds, actorId: userId };
    const applied = await applyInScope(tx, scope, changed, { isLoss: isLarge });
    emit(...applied.events);
    // In portions each person has a row of their own when their turn comes.
    const counts = isLarge ? {} : { counts: { gained: applied.gained, lost: applied.lost } };
    const detail = { name: group.name, ...counts };
    audit({ targetType: 'DirectoryGroup', targetId: id, before: { roleIds: before }, after: { roleIds: [...roleIds].sort() }, detail });
    const [shown] = await showGroups(tx, scope, [await findGroup(tx, organizationId, id)]);
    if (shown === undefined) throw new Error('a group is shown');
    return shown;
  },
  complete: (group, { deps }) => {
    if (group.change !== null) deps.directoryChanges.wake();
    return Promise.resolve(group);
  },
});
