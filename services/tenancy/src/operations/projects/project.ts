import { entityFields, Id, Metadata, Name, Nullable, type Row, rowScope, scopeOf, strict, TextOf } from '@tessera/kernel/operation';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import Type from 'typebox';
import { type ProjectParent, projectScope } from '../../domain/project.ts';
import { findAccounts } from '../../storage/accounts.ts';
import { listProjectsOf } from '../../storage/projects.ts';
import { AccountSchema } from '../accounts/account.ts';
import { accountScope, childrenOf, groupsIn, idOf, organizationScope, type Related, rolesIn, usersIn } from '../related.ts';

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

export const Description = TextOf(2_000);
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

/** The projects of accounts or organizations. */
export function projectsIn(tenant: 'account' | 'organization'): Related {
  return {
    permission: 'Project:Query',
    scopeOf: tenant === 'account' ? accountScope : organizationScope,
    schema: Type.Array(ProjectSchema),
    loadAcross: (rows, { deps }) => childrenOf(rows, deps, (tx, ids, limit) => listProjectsOf(tx, tenant, ids, limit)),
  };
}

/** The project's own scope. It was read in its parent's. */
function ownScope(row: Row): Scope | undefined {
  const parent = rowScope(row);
  return parent?.tenant === 'account' || parent?.tenant === 'organization'
    ? projectScope({ tenant: parent.tenant, id: parent.id }, idOf(row))
    : undefined;
}

export const projectRelationNames = ['accounts', 'users', 'roles', 'groups'] as const;

const accounts: Related = {
  permission: 'Account:Query',
  schema: Type.Array(AccountSchema),
  loadAcross: async (rows, { deps }) => {
    const accountIds = rows.flatMap(({ scope }) => scope.accountId ?? []);
    const found = accountIds.length === 0 ? [] : await findAccounts({ query: deps.database.query }, [...new Set(accountIds)]);
    return rows.map(({ scope }) => found.filter(({ id }) => id === scope.accountId));
  },
};

export const projectRelations = {
  accounts,
  users: usersIn('project', 'ProjectUser:Query', ownScope),
  roles: rolesIn(ownScope),
  groups: groupsIn(ownScope),
};
