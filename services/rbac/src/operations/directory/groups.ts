/** What the operations on a directory's groups share. */
import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, pageOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { errors } from '../../errors.ts';
import { findGroupCopy, type GroupCopy, listMappings, type Mapping } from '../../storage/directory.ts';
import { listDirectoryChanges } from '../../storage/directory-changes.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import type { RoleRow } from '../../storage/records.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { listGivable } from './apply.ts';

export const DirectoryGroup = Type.Object({
  id: Id,
  displayName: Type.String({ description: 'As the directory calls it' }),
  memberCount: Type.Integer({ description: 'Of the directory, invited people included' }),
  roleIds: Type.Array(Id, { description: 'What its members get in this scope' }),
  waitingRoleIds: Type.Array(Id, {
    description:
      'Of these: who mapped them may not give them any more, so that new members get none until somebody saves the mapping again',
  }),
  change: Nullable(
    Type.Object(
      {
        peopleCount: Type.Integer({ description: 'In the group, when the change began' }),
        doneCount: Type.Integer({ description: 'Of these: to whom it is applied' }),
      },
      { description: 'A change of what a group of more than 500 people gives here, while it is applied in portions' },
    ),
  ),
  createdAt: Type.String(),
  updatedAt: Type.String(),
});
export const DirectoryGroupPage = pageOf(DirectoryGroup);

/** The roles that a group gives in a scope. */
export const roleIdsField = {
  roleIds: Type.Array(Id, { maxItems: 100, uniqueItems: true, description: 'All that its members get in this scope' }),
};

/** An organization, or its use of another's project. Projects of its own have no directory. */
export function organizationOf({ organizationId, projectId, grant }: ParsedScope): string {
  if (organizationId === undefined || (projectId !== undefined && grant === undefined)) throw errors.noDirectoryHere();
  return organizationId;
}

export async function findGroup(tx: Transaction, organizationId: string, id: string): Promise<GroupCopy> {
  const group = await findGroupCopy(tx, organizationId, id);
  if (group === undefined) throw failures.notFound('DirectoryGroup');
  return group;
}

/** Groups as the scope shows them: without roles that are deleted or taken out of a grant. */
export async function showGroups(tx: Transaction, scope: ParsedScope, groups: readonly GroupCopy[]) {
  const organizationId = organizationOf(scope);
  const all = await listMappings(tx, { organizationId, scopeId: scope.id, groupIds: groups.map(({ id }) => id) });
  const roles = new Map(
    (await findEntities(tx, roleTable, scope, [...new Set(all.map(({ roleId }) => roleId))])).map((role) => [role.id, role]),
  );
  const mapped = all.filter(({ roleId }) => roles.has(roleId));
  const waiting = await listWaiting(tx, scope, mapped, roles);
  const changes = await listDirectoryChanges(tx, { organizationId, scopeId: scope.id, groupIds: groups.map(({ id }) => id) });
  const byGroup = Map.groupBy(mapped, ({ groupId }) => groupId);
  return groups.map(({ id, name, memberCount, createdAt, updatedAt }) => {
    const own = byGroup.get(id) ?? [];
    const change = changes.find(({ groupId }) => groupId === id);
    return {
      id,
      displayName: name,
      memberCount,
      createdAt,
      updatedAt,
      roleIds: own.map(({ roleId }) => roleId),
      change: change === undefined ? null : { peopleCount: change.peopleCount, doneCount: change.doneCount },
      waitingRoleIds: own.filter((mapping) => waiting.has(mapping)).map(({ roleId }) => roleId),
    };
  });
}

/** The mappings whose mapper could not give the role now. */
async function listWaiting(
  tx: Transaction,
  scope: ParsedScope,
  mappings: readonly Mapping[],
  roles: ReadonlyMap<string, RoleRow>,
): Promise<ReadonlySet<Mapping>> {
  const waiting = new Set<Mapping>();
  for (const [, own] of Map.groupBy(mappings, ({ mappedBy }) => mappedBy)) {
    const [mapper] = own;
    if (mapper === undefined) continue;
    const given = [...new Set(own.map(({ roleId }) => roleId))].flatMap((id) => roles.get(id) ?? []);
    const givable = await listGivable(tx, scope, mapper, given);
    for (const mapping of own) if (!givable.has(mapping.roleId)) waiting.add(mapping);
  }
  return waiting;
}
