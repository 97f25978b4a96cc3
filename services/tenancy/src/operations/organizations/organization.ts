import { entityFields, Metadata, Name, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { groupsOfScopes, rolesOfScopes, usersById } from '../../peers/records.ts';
import { listPeopleOf } from '../../storage/people.ts';
import { listProjectsOf } from '../../storage/projects.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { groupValues, idOf, idsOf, maxRelatedRows, organizationScope, readIn, refuseTooMany, related, userInScope } from '../related.ts';

export const OrganizationSchema = strict(
  {
    ...entityFields,
    name: Name,
    slug: Type.String({ description: 'Derived from the first name, unique; does not change with the name' }),
    metadata: Metadata,
  },
  { description: 'People who work together' },
);

export const organizationRelationNames = ['users', 'projects', 'roles', 'groups'] as const;

export const organizationProjects = related({
  permission: 'Project:Query',
  scopeOf: organizationScope,
  missing: [],
  load: async ({ rows, scopes }, { deps }) => {
    const projects = await readIn(deps, scopes, (tx) => listProjectsOf(tx, 'organization', idsOf(rows), maxRelatedRows + 1));
    return groupValues(
      refuseTooMany(projects),
      ({ parentId }) => parentId,
      ({ parentId: _, ...project }) => project,
    );
  },
});

export const organizationRelations = {
  users: related({
    permission: 'User:Query',
    scopeOf: organizationScope,
    missing: [],
    load: async ({ rows, scopes }, { deps }) => {
      const people = refuseTooMany(await readIn(deps, scopes, (tx) => listPeopleOf(tx, 'organization', idsOf(rows), maxRelatedRows + 1)));
      const users = await usersById(
        deps,
        people.map(({ userId }) => userId),
      );
      const known = people.flatMap(({ parentId, userId }) => {
        const user = users.get(userId);
        return user ? [{ parentId, user: userInScope({ tenant: 'organization', id: parentId }, user) }] : [];
      });
      return groupValues(
        known,
        ({ parentId }) => parentId,
        ({ user }) => user,
      );
    },
  }),
  projects: withPrimaryTags(organizationProjects),
  roles: related({
    permission: 'Role:Query',
    scopeOf: organizationScope,
    missing: [],
    load: async ({ rows }, { deps }) => {
      const lists = await rolesOfScopes(deps, rows.map(organizationScope));
      return new Map(rows.map((row, index) => [idOf(row), lists[index] ?? []]));
    },
  }),
  groups: related({
    permission: 'Group:Query',
    scopeOf: organizationScope,
    missing: [],
    load: async ({ rows }, { deps }) => {
      const lists = await groupsOfScopes(deps, rows.map(organizationScope));
      return new Map(rows.map((row, index) => [idOf(row), lists[index] ?? []]));
    },
  }),
};
