import { assertVersion, callerOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { listPeopleOfGroups, replaceMappings, touchGroup } from '../../storage/directory.ts';
import { addressed } from '../schemas.ts';
import { beginChange } from '../write.ts';
import { applyInScope } from './apply.ts';
import { DirectoryGroup, findGroup, roleIdsField, showGroups } from './groups.ts';
import { planMapping } from './mapping.ts';

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
    const userIds = await listPeopleOfGroups(tx, organizationId, [id]);
    const { events, gained, lost } = await applyInScope(tx, scope, { organizationId, userIds, actorId: userId });
    emit(...events);
    const detail = { name: group.name, counts: { gained, lost } };
    audit({ targetType: 'DirectoryGroup', targetId: id, before: { roleIds: before }, after: { roleIds: [...roleIds].sort() }, detail });
    const [shown] = await showGroups(tx, scope, [await findGroup(tx, organizationId, id)]);
    if (shown === undefined) throw new Error('a group is shown');
    return shown;
  },
});
