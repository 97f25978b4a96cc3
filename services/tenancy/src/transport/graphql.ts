import { readFileSync } from 'node:fs';
import { type FieldResolver, relationField, type Subgraph } from '@tessera/kernel/graphql';
import { type Relation, type Row, rowScope } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../deps.ts';
import { accountOrganizations, accountProjects, accountRelations } from '../operations/accounts/account.ts';
import { operations } from '../operations/index.ts';
import { organizationProjects, organizationRelations } from '../operations/organizations/organization.ts';
import { projectRelations } from '../operations/projects/project.ts';
import { primaryTags } from '../operations/projects/tags.ts';
import { accountScope, idOf, idsOf, organizationScope } from '../operations/related.ts';
import { findAccounts, listAccounts } from '../storage/accounts.ts';
import { findOrganizations } from '../storage/organizations.ts';
import { findProjects } from '../storage/projects.ts';

function field(name: string, relation: Relation<TenancyDeps>): FieldResolver<TenancyDeps> {
  return relationField(name, relation);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}

/**
 * Records for the gateway's references, in their order. The service that read the parent has
 * authorized them.
 */
function inOrder<Item extends { readonly id: string }>(references: readonly Row[], items: readonly Item[]): readonly (Item | null)[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return references.map((reference) => byId.get(idOf(reference)) ?? null);
}

/**
 * Only the signed-in user sees their accounts. API keys and apps that act for the user get an empty
 * list.
 */
const userAccounts: Relation<TenancyDeps> = {
  permission: { none: 'returns only the caller’s own accounts' },
  scopeOf: () => undefined,
  load: async (rows, { actor, deps }) => {
    if (actor.kind === 'anonymous' || actor.claims.type !== 'session' || !idsOf(rows).includes(actor.userId)) return rows.map(() => []);
    const own = await listAccounts({ query: deps.database.query }, [actor.userId]);
    return rows.map((row) => (idOf(row) === actor.userId ? own : []));
  },
};

export const subgraph: Subgraph<TenancyDeps> = {
  sdl: readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'),
  operations,
  types: {
    Account: {
      scope: accountScope,
      owner: field('Account.owner', accountRelations.owner),
      projects: field('Account.projects', accountProjects),
      organizations: field('Account.organizations', accountOrganizations),
    },
    Organization: {
      scope: organizationScope,
      users: field('Organization.users', organizationRelations.users),
      projects: field('Organization.projects', organizationProjects),
    },
    Project: {
      accounts: field('Project.accounts', projectRelations.accounts),
      users: field('Project.users', projectRelations.users),
      primaryTagId: field('Project.primaryTagId', primaryTags),
    },
    // Other services resolve the user's fields in the scope of the page.
    OrganizationMember: { user: (row) => (isRow(row.user) ? { ...row.user, scope: rowScope(row) } : null) },
    User: { accounts: field('User.accounts', userAccounts) },
  },
  entities: {
    Account: async (references, { deps }) => inOrder(references, await findAccounts({ query: deps.database.query }, idsOf(references))),
    Organization: async (references, { deps }) =>
      inOrder(references, await findOrganizations({ query: deps.database.query }, idsOf(references))),
    Project: async (references, { deps }) => {
      const projects = await findProjects({ query: deps.database.query }, idsOf(references));
      return inOrder(
        references,
        projects.map(({ tenant, parentId, ...project }) => ({ ...project, scope: { tenant, id: parentId } })),
      );
    },
    User: async (references) => references,
  },
};
