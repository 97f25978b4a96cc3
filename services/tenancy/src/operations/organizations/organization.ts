import { entityFields, Metadata, Name, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { listPeopleOf } from '../../storage/members.ts';
import { listProjectsOf } from '../../storage/projects.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { groupValues, idOf, idsOf, MOST_RELATED, organizationScope, readIn, refuseTooMany, related, seenIn } from '../related.ts';
import { groupsOfScopes, rolesOfScopes, usersById } from '../remote-rows.ts';

export const OrganizationSchema = strict(
  {
    ...entityFields,
    name: Name,
    slug: Type.String({ description: 'Derived from the first name, unique; stays when the name changes' }),
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
    const projects = await readIn(deps, scopes, (tx) => listProjectsOf(tx, 'organization', idsOf(rows), MOST_RELATED + 1));
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
      const people = refuseTooMany(await readIn(deps, scopes, (tx) => listPeopleOf(tx, 'organizations', idsOf(rows), MOST_RELATED + 1)));
      const users = await usersById(
        deps,
        people.map(({ userId }) => userId),
      );
      const known = people.flatMap(({ parentId, userId }) => {
        const user = users.get(userId);
        return user ? [{ parentId, user: seenIn({ tenant: 'organization', id: parentId }, user) }] : [];
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
