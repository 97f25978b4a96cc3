import { entityFields, Id, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { accountTypes } from '../../domain/account.ts';
import { usersById } from '../../peers/records.ts';
import { listOrganizationsOfUsers } from '../../storage/organizations.ts';
import { listProjectsOf } from '../../storage/projects.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { accountScope, groupValues, idOf, idsOf, maxRelatedRows, readIn, refuseTooMany, related } from '../related.ts';

export const AccountSchema = strict(
  { ...entityFields, type: Type.Enum([...accountTypes]), ownerId: Id },
  { description: 'A user’s own account' },
);

function ownerIdOf(row: Readonly<Record<string, unknown>>): string {
  return typeof row.ownerId === 'string' ? row.ownerId : '';
}

export const accountProjects = related({
  permission: 'Project:Query',
  scopeOf: accountScope,
  missing: [],
  load: async ({ rows, scopes }, { deps }) => {
    const projects = await readIn(deps, scopes, (tx) => listProjectsOf(tx, 'account', idsOf(rows), maxRelatedRows + 1));
    return groupValues(
      refuseTooMany(projects),
      ({ parentId }) => parentId,
      ({ parentId: _, ...project }) => project,
    );
  },
});

export const accountRelations = {
  projects: withPrimaryTags(accountProjects),
  owner: related({
    permission: 'User:Query',
    scopeOf: accountScope,
    missing: null,
    load: async ({ rows }, { deps }) => {
      const users = await usersById(deps, rows.map(ownerIdOf));
      return new Map(rows.map((row) => [idOf(row), users.get(ownerIdOf(row)) ?? null]));
    },
  }),
};

/** Only in GraphQL: the organizations of which the account's owner is a member. */
export const accountOrganizations = related({
  permission: 'Organization:Query',
  scopeOf: accountScope,
  missing: [],
  load: async ({ rows }, { deps }) => {
    const organizations = await deps.database.transaction((tx) => listOrganizationsOfUsers(tx, [...new Set(rows.map(ownerIdOf))]), {
      readOnly: true,
    });
    const byUser = groupValues(
      organizations,
      ({ userId }) => userId,
      ({ userId: _, ...organization }) => organization,
    );
    return new Map(rows.map((row) => [idOf(row), byUser.get(ownerIdOf(row)) ?? []]));
  },
});
