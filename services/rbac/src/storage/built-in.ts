import { type Database, statement, type Transaction } from '@tessera/kernel/postgres';
import { accountRoles, builtInResources, organizationRoles, rankOf } from '../domain/catalogue.ts';
import { builtInResourceId, builtInRoleId } from '../domain/ids.ts';

const upsertResource = statement(
  'rbac_upsert_built_in_resource',
  `INSERT INTO resources (id, name, slug, actions, is_built_in) VALUES ($1, $2, $2, $3, true)
   ON CONFLICT (id) DO UPDATE SET actions = excluded.actions, updated_at = now() WHERE resources.actions IS DISTINCT FROM excluded.actions`,
);

/** The built-in resources as rows, so that they list, sort and join like any other. At every start; twice changes nothing. */
export async function seedBuiltInResources(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    for (const [slug, actions] of Object.entries(builtInResources))
      await tx.execute(upsertResource, [builtInResourceId(slug), slug, actions]);
  });
}

const insertRole = statement(
  'rbac_insert_built_in_role',
  `INSERT INTO roles (id, name, is_built_in, rank) VALUES ($1, $2, true, $3) ON CONFLICT (id) DO NOTHING`,
);
const insertOrganizationRole = statement(
  'rbac_insert_organization_role',
  `INSERT INTO organization_roles (organization_id, role_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
);
const insertAccountRole = statement(
  'rbac_insert_account_role',
  `INSERT INTO account_roles (account_id, role_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
);

/** The four roles of an organization; returns the Owner's. Repeating it makes nothing twice. */
export async function seedOrganizationRoles(tx: Transaction, organizationId: string): Promise<string> {
  for (const role of organizationRoles) {
    const id = builtInRoleId('organization', organizationId, role);
    await tx.execute(insertRole, [id, role, rankOf(role)]);
    await tx.execute(insertOrganizationRole, [organizationId, id]);
  }
  return builtInRoleId('organization', organizationId, 'Owner');
}

/** The owner's role of an account. */
export async function seedAccountRole(tx: Transaction, accountId: string, type: keyof typeof accountRoles): Promise<string> {
  const role = accountRoles[type];
  const id = builtInRoleId('account', accountId, role);
  await tx.execute(insertRole, [id, role, null]);
  await tx.execute(insertAccountRole, [accountId, id]);
  return id;
}
