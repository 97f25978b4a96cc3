import { entityFields, Id, Metadata, Name, Nullable, scopeOf, strict } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { type ProjectParent, projectScope } from '../../domain/project.ts';
import { groupsOfScopes, rolesOfScopes, usersById } from '../../peers/records.ts';
import { findAccounts } from '../../storage/accounts.ts';
import { listPeopleOf } from '../../storage/people.ts';
import { groupValues, idOf, idsOf, maxRelatedRows, parentScopeOf, readIn, refuseTooMany, related, userInScope } from '../related.ts';

export const ProjectSchema = strict(
  {
    ...entityFields,
    name: Name,
    slug: Type.String({ description: 'Derived from the first name, unique among the parent’s projects' }),
    description: Nullable(Type.String()),
    metadata: Metadata,
    primaryTagId: Nullable(Id),
  },
  { description: 'A container for resources, users, keys and apps' },
);

export const Description = Type.String({ maxLength: 2_000 });
export const projectTags = {
  tagIds: Type.Optional(Type.Array(Id, { maxItems: 50, uniqueItems: true })),
  primaryTagId: Type.Optional(Nullable(Id)),
};
export const projectParents = ['account', 'organization'] as const;

/** The parent named by the scope; the operations allow only `projectParents`. */
export function parentOf(context: { readonly scope: ParsedScope | undefined }): ProjectParent {
  const scope = scopeOf(context);
  if (scope.tenant === 'account' || scope.tenant === 'organization') return { tenant: scope.tenant, id: scope.id };
  throw new Error('the parent of a project is an account or an organization');
}

function parentOfRow(row: Readonly<Record<string, unknown>>): ProjectParent {
  return parentOf({ scope: parsedParent(row) });
}

function parsedParent(row: Readonly<Record<string, unknown>>): ParsedScope | undefined {
  const scope = parentScopeOf(row);
  if (scope?.tenant === 'account') return { tenant: 'account', id: scope.id, accountId: scope.id };
  return scope?.tenant === 'organization' ? { tenant: 'organization', id: scope.id, organizationId: scope.id } : undefined;
}

export const projectRelationNames = ['accounts', 'users', 'roles', 'groups'] as const;

export const projectRelations = {
  accounts: related({
    permission: 'Account:Query',
    scopeOf: parentScopeOf,
    missing: [],
    load: async ({ rows }, { deps }) => {
      const accountIds = rows.map(parentOfRow).flatMap(({ tenant, id }) => (tenant === 'account' ? [id] : []));
      const accounts = accountIds.length === 0 ? [] : await findAccounts({ query: deps.database.query }, [...new Set(accountIds)]);
      return new Map(rows.map((row) => [idOf(row), accounts.filter(({ id }) => id === parentOfRow(row).id)]));
    },
  }),
  users: related({
    permission: 'ProjectUser:Query',
    scopeOf: parentScopeOf,
    missing: [],
    load: async ({ rows, scopes }, { deps }) => {
      const people = refuseTooMany(await readIn(deps, scopes, (tx) => listPeopleOf(tx, 'project', idsOf(rows), maxRelatedRows + 1)));
      const users = await usersById(
        deps,
        people.map(({ userId }) => userId),
      );
      const scopesOfProjects = new Map(rows.map((row) => [idOf(row), projectScope(parentOfRow(row), idOf(row))]));
      const known = people.flatMap(({ parentId, userId }) => {
        const user = users.get(userId);
        return user ? [{ parentId, user: userInScope(scopesOfProjects.get(parentId), user) }] : [];
      });
      return groupValues(
        known,
        ({ parentId }) => parentId,
        ({ user }) => user,
      );
    },
  }),
  roles: related({
    permission: 'Role:Query',
    scopeOf: parentScopeOf,
    missing: [],
    load: async ({ rows }, { deps }) => {
      const lists = await rolesOfScopes(
        deps,
        rows.map((row) => projectScope(parentOfRow(row), idOf(row))),
      );
      return new Map(rows.map((row, index) => [idOf(row), lists[index] ?? []]));
    },
  }),
  groups: related({
    permission: 'Group:Query',
    scopeOf: parentScopeOf,
    missing: [],
    load: async ({ rows }, { deps }) => {
      const lists = await groupsOfScopes(
        deps,
        rows.map((row) => projectScope(parentOfRow(row), idOf(row))),
      );
      return new Map(rows.map((row, index) => [idOf(row), lists[index] ?? []]));
    },
  }),
};
