import type { Row } from '@tessera/kernel/operation';
import { UserSchema, usersById } from '../../peers/records.ts';
import { listOrganizationsOfUsers } from '../../storage/organizations.ts';
import { projectsIn } from '../projects/project.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { type Across, accountScope } from '../related.ts';

function ownerIdOf(row: Row): string {
  return typeof row.ownerId === 'string' ? row.ownerId : '';
}

const owner: Across = {
  permission: 'User:Query',
  scopeOf: accountScope,
  loadAcross: async (rows, { deps }) => {
    const ownerIds = rows.map(({ row }) => ownerIdOf(row));
    const users = await usersById(deps, ownerIds);
    return ownerIds.map((id) => users.get(id) ?? null);
  },
};

export const accountRelations = {
  projects: withPrimaryTags(projectsIn('account')),
  owner: { ...owner, schema: UserSchema },
};

/** Only in GraphQL: the organizations of which the account's owner is a member. */
export const accountOrganizations: Across = {
  permission: 'Organization:Query',
  scopeOf: accountScope,
  loadAcross: async (rows, { deps }) => {
    const ownerIds = rows.map(({ row }) => ownerIdOf(row));
    const organizations = await listOrganizationsOfUsers({ query: deps.database.query }, [...new Set(ownerIds)]);
    const byUser = Map.groupBy(organizations, ({ userId }) => userId);
    return ownerIds.map((id) => (byUser.get(id) ?? []).map(({ userId: _, ...organization }) => organization));
  },
};
