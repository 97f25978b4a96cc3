import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { GrantState, ProjectGrant } from '../domain/project-grant.ts';
import { query } from './query.ts';
import type { Reader } from './signing-keys.ts';

const columns = ['organizationId', 'projectId', 'ownerOrganizationId', 'isActive', 'isEnded'] as const;
type Pair = { readonly organizationId: string; readonly projectId: string };

function ofPair({ organizationId, projectId }: Params<Pair>) {
  return query.selectFrom('project_grants').where('organizationId', '=', organizationId).where('projectId', '=', projectId);
}
const find = statement('keys_find_project_grant', (p: Params<Pair>) => ofPair(p).select(columns));
const findState = statement('keys_find_grant_state', (p: Params<Pair>) =>
  ofPair(p)
    .select(columns)
    .select(({ selectFrom, exists }) =>
      exists(
        selectFrom('restricted_tenants as t')
          .where('t.tenant', '=', 'organization')
          .where(({ eb, or }) =>
            or([
              eb('t.tenantId', '=', ({ ref }) => ref('project_grants.organizationId')),
              eb('t.tenantId', '=', ({ ref }) => ref('project_grants.ownerOrganizationId')),
            ]),
          )
          .where('t.isSuspended', '=', true)
          .select('t.tenantId'),
      ).as('isSuspended'),
    ),
);

/** Also as scoped work, which sees the grant of its own scope alone. */
export function findGrant(tx: Transaction, pair: Pair): Promise<ProjectGrant | undefined> {
  return tx.one(find, pair);
}

/** With whether the customer or the owner is suspended. Not as scoped work. */
export async function findGrantState(reader: Reader, pair: Pair): Promise<GrantState | undefined> {
  const [row] = await reader.query(findState, pair);
  return row && { ...row, isSuspended: row.isSuspended === true };
}

/** The state from now on. A later grant of the pair takes the place of an ended one. */
export async function putGrant(tx: Transaction, { organizationId, projectId, ...state }: ProjectGrant): Promise<void> {
  const insert = query.insertInto('project_grants').values({ organizationId, projectId, ...state });
  await tx.execute(insert.onConflict((conflict) => conflict.columns(['organizationId', 'projectId']).doUpdateSet(state)));
}

/** Who uses the project. */
export function listCustomers(tx: Transaction, projectId: string): Promise<Pair[]> {
  return tx.query(query.selectFrom('project_grants').where('projectId', '=', projectId).select(['organizationId', 'projectId']));
}

/** What the organization uses of others. */
export function listUsed(tx: Transaction, organizationId: string): Promise<Pair[]> {
  return tx.query(query.selectFrom('project_grants').where('organizationId', '=', organizationId).select(['organizationId', 'projectId']));
}

/** When the project or the customer is deleted. */
export async function removeGrants(
  tx: Transaction,
  of: { readonly projectId: string } | { readonly organizationId: string },
): Promise<void> {
  const remove = query.deleteFrom('project_grants');
  await tx.execute(
    'projectId' in of ? remove.where('projectId', '=', of.projectId) : remove.where('organizationId', '=', of.organizationId),
  );
}
