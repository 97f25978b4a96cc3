import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { builtInResourceId, builtInRoleId } from '@tessera/proto/built-in-ids';
import { sql } from 'kysely';
import { accountRoles, builtInResources, machineRoles, organizationRoles, rankOf } from '../domain/catalogue.ts';
import { assignRoles } from './assignments.ts';
import { query } from './query.ts';

const isBuiltIn = sql.lit(true);

/** SQL text, because it reads no table. The lock ends with its transaction, as poolers need it. */
const tryLock = statement('rbac_try_lock_seeds', `SELECT pg_try_advisory_xact_lock(hashtext('rbac.seeds')) AS "isMine"`);
const looksAgainAfterMs = 200;
const givesUpAfterMs = 90_000;

/**
 * Of replicas that start at once one writes, and the others look again until nothing is lacking.
 * They wait in no statement: on a busy machine it would end by its timeout, and the start with it.
 */
async function writeOnce(
  database: Database,
  isLacking: () => Promise<boolean>,
  write: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + givesUpAfterMs;
  while (await isLacking()) {
    if (performance.now() > deadline) throw new Error('What is built in was not written, by this replica or another one.');
    const wasMine = await database.transaction(async (tx) => {
      const lock = await tx.one<{ isMine: boolean }>(tryLock);
      if (lock?.isMine === true) await write(tx);
      return lock?.isMine === true;
    });
    if (!wasMine) await sleep(looksAgainAfterMs);
  }
}

const upsertResource = statement('rbac_upsert_built_in_resource', (p: Params<{ id: string; slug: string; actions: readonly string[] }>) =>
  query
    .insertInto('resources')
    .values({ id: p.id, name: p.slug, slug: p.slug, actions: sql<string[]>`${p.actions}`, isBuiltIn })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => ({ actions: ref('excluded.actions'), updatedAt: sql<string>`now()` }))
        .where(({ eb, ref }) => eb('resources.actions', 'is distinct from', ref('excluded.actions'))),
    ),
);

const listBuiltIn = statement('rbac_list_built_in_resources', () =>
  query.selectFrom('resources').where('isBuiltIn', '=', isBuiltIn).select(['id', 'actions']),
);

async function lackingResources(db: Pick<Database, 'query'>): Promise<readonly (readonly [string, readonly string[]])[]> {
  const kept = new Map((await db.query(listBuiltIn)).map(({ id, actions }) => [id, actions.join()]));
  return Object.entries(builtInResources).filter(([slug, actions]) => kept.get(builtInResourceId(slug)) !== actions.join());
}

/**
 * Writes the built-in resources as rows, so that they list, sort and join like others. Runs at
 * every start, and locks nothing where all are there: many replicas start at once. In a new
 * database one of them writes, because two inserts of one row at once can also meet in
 * `resources_built_in`, which ON CONFLICT (id) doesn't cover.
 */
export async function seedBuiltInResources(database: Database): Promise<void> {
  const isLacking = async () => (await lackingResources(database)).length > 0;
  await writeOnce(database, isLacking, async (tx) => {
    const lacking = await lackingResources(tx);
    await Promise.all(lacking.map(([slug, actions]) => tx.execute(upsertResource, { id: builtInResourceId(slug), slug, actions })));
  });
}

const insertRole = statement('rbac_insert_built_in_role', (p: Params<{ id: string; name: string; rank: number | null }>) =>
  query
    .insertInto('roles')
    .values({ id: p.id, name: p.name, isBuiltIn, rank: p.rank })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);
const insertOrganizationRole = statement('rbac_insert_organization_role', (p: Params<{ organizationId: string; roleId: string }>) =>
  query
    .insertInto('organization_roles')
    .values({ organizationId: p.organizationId, roleId: p.roleId })
    .onConflict((conflict) => conflict.doNothing()),
);
const insertAccountRole = statement('rbac_insert_account_role', (p: Params<{ accountId: string; roleId: string }>) =>
  query
    .insertInto('account_roles')
    .values({ accountId: p.accountId, roleId: p.roleId })
    .onConflict((conflict) => conflict.doNothing()),
);

async function seedRole(tx: Transaction, organizationId: string, name: string, rank: number | null): Promise<void> {
  const roleId = builtInRoleId('organization', organizationId, name);
  await tx.execute(insertRole, { id: roleId, name, rank });
  await tx.execute(insertOrganizationRole, { organizationId, roleId });
}

/** Writes the built-in roles of an organization, once; returns the Owner's id. */
export async function seedOrganizationRoles(tx: Transaction, organizationId: string): Promise<string> {
  for (const role of organizationRoles) await seedRole(tx, organizationId, role, rankOf(role));
  await seedRole(tx, organizationId, machineRoles.organization, null);
  return builtInRoleId('organization', organizationId, 'Owner');
}

async function insertMachineRole(tx: Transaction, accountId: string): Promise<void> {
  const roleId = builtInRoleId('account', accountId, machineRoles.account);
  await tx.execute(insertRole, { id: roleId, name: machineRoles.account, rank: null });
  await tx.execute(insertAccountRole, { accountId, roleId });
}

/** Tenants that have one built-in role and lack another. SQL, because the table varies. */
function lackingRole(tenant: 'account' | 'organization') {
  const [roles, id] = [`${tenant}_roles`, `${tenant}_id`];
  return statement(
    `rbac_${tenant}s_without_machine_role`,
    `SELECT p.${id} AS id FROM ${roles} p JOIN roles r ON r.id = p.role_id AND r.is_built_in AND r.name = $1
     WHERE NOT EXISTS (SELECT FROM ${roles} x JOIN roles m ON m.id = x.role_id AND m.is_built_in AND m.name = $2 WHERE x.${id} = p.${id})
     LIMIT $3`,
  );
}
const lackingMachineRole = { account: lackingRole('account'), organization: lackingRole('organization') };
const tenantsAtOnce = 500;

/** For tenants that were made before these roles existed. Runs at every start, as above. */
export async function seedMachineRoles(database: Database): Promise<void> {
  const seed = {
    organization: (tx: Transaction, id: string) => seedRole(tx, id, machineRoles.organization, null),
    account: insertMachineRole,
  };
  const others = { organization: organizationRoles[0], account: accountRoles.organization };
  for (const tenant of ['organization', 'account'] as const) {
    const lacking = (db: Pick<Database, 'query'>) =>
      db.query<{ id: string }>(lackingMachineRole[tenant], [others[tenant], machineRoles[tenant], tenantsAtOnce]);
    const isLacking = async () => (await lacking(database)).length > 0;
    await writeOnce(database, isLacking, async (tx) => {
      for (const { id } of await lacking(tx)) await seed[tenant](tx, id);
    });
  }
}

/**
 * Writes the role of an account's owner, once, and gives it to them; beside it that of machines.
 * Sent together, in order.
 */
export async function giveAccountRole(
  tx: Transaction,
  account: ParsedScope,
  ownerId: string,
  type: keyof typeof accountRoles,
): Promise<void> {
  const role = accountRoles[type];
  const roleId = builtInRoleId('account', account.id, role);
  await Promise.all([
    tx.execute(insertRole, { id: roleId, name: role, rank: null }),
    tx.execute(insertAccountRole, { accountId: account.id, roleId }),
    assignRoles(tx, account, ownerId, [roleId]),
    ...(type === 'organization' ? [insertMachineRole(tx, account.id)] : []),
  ]);
}
