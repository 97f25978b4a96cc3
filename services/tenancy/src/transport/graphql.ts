import { type Relation, type Row, rowScope } from '@tessera/kernel/operation';
import { readSdl, relationField, type Subgraph } from '@tessera/server/graphql';
import type { TenancyDeps } from '../deps.ts';
import { accountOrganizations, accountRelations } from '../operations/accounts/relations.ts';
import { operations } from '../operations/index.ts';
import { organizationRelations } from '../operations/organizations/organization.ts';
import { projectRelations, projectsIn } from '../operations/projects/project.ts';
import { primaryTags } from '../operations/projects/tags.ts';
import { accountScope, idOf, organizationScope } from '../operations/related.ts';
import { findAccounts, listAccounts } from '../storage/accounts.ts';
import { findOrganizations } from '../storage/organizations.ts';
import { findProjects } from '../storage/projects.ts';

function idsOf(rows: readonly Row[]): string[] {
  return rows.map(idOf);
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
  sdl: readSdl(new URL('../../', import.meta.url)),
  operations,
  types: {
    Account: {
      scope: accountScope,
      owner: relationField('Account.owner', accountRelations.owner),
      projects: relationField('Account.projects', projectsIn('account')),
      organizations: relationField('Account.organizations', accountOrganizations),
    },
    Organization: {
      scope: organizationScope,
      users: relationField('Organization.users', organizationRelations.users),
      projects: relationField('Organization.projects', projectsIn('organization')),
    },
    Project: {
      accounts: relationField('Project.accounts', projectRelations.accounts),
      users: relationField('Project.users', projectRelations.users),
      primaryTagId: relationField('Project.primaryTagId', primaryTags),
    },
    // Other services resolve the user's fields in the scope of the page.
    OrganizationMember: { user: (row) => (isRow(row.user) ? { ...row.user, scope: rowScope(row) } : null) },
    User: { accounts: relationField('User.accounts', userAccounts) },
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
