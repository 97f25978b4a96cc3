import { type PageRequest, pageQuery, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Account, AccountType } from '../domain/account.ts';

const columns = 'id, type, owner_id AS "ownerId", created_at AS "createdAt", updated_at AS "updatedAt", deleted_at AS "deletedAt"';

const insert = statement(
  'accounts_insert',
  `INSERT INTO accounts (id, type, owner_id)
   SELECT $1, $2, user_id FROM people WHERE user_id = $3 AND deleted_at IS NULL AND closing_at IS NULL FOR SHARE
   ON CONFLICT DO NOTHING RETURNING ${columns}`,
);

/** Undefined when the owner has one of this type, has this very one, or is no living person. */
export function insertAccount(tx: Transaction, account: { id: string; type: AccountType; ownerId: string }): Promise<Account | undefined> {
  return tx.one<Account>(insert, [account.id, account.type, account.ownerId]);
}

const ofOwners = statement(
  'accounts_of_owners',
  `SELECT ${columns} FROM accounts WHERE owner_id = ANY ($1::uuid[]) AND deleted_at IS NULL ORDER BY type DESC, id`,
);

/** The accounts of these users, the personal one first. */
export function listAccounts(tx: Pick<Transaction, 'query'>, ownerIds: readonly string[]): Promise<Account[]> {
  return tx.query<Account>(ofOwners, [ownerIds]);
}

export function pageAccounts(tx: Transaction, ownerId: string, input: PageRequest) {
  return pageQuery<Account>(tx, {
    name: 'accounts_page',
    select: columns,
    from: 'accounts',
    where: ['owner_id = $1', 'deleted_at IS NULL'],
    values: [ownerId],
    search: { columns: ['type'] },
    sort: { fields: { type: 'type', createdAt: 'created_at', updatedAt: 'updated_at' }, default: 'createdAt' },
    input,
  });
}

const byIds = statement('accounts_by_ids', `SELECT ${columns} FROM accounts WHERE id = ANY ($1::uuid[]) AND deleted_at IS NULL`);

/** Those of these accounts that exist, in any order. */
export function findAccounts(tx: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<Account[]> {
  return tx.query<Account>(byIds, [ids]);
}

const softDelete = statement(
  'accounts_soft_delete',
  `UPDATE accounts SET deleted_at = now(), updated_at = now() WHERE owner_id = $1 AND deleted_at IS NULL RETURNING id`,
);
const softDeleteProjects = statement(
  'accounts_soft_delete_projects',
  `UPDATE projects p SET deleted_at = now(), updated_at = now() FROM account_projects ap
   WHERE ap.account_id = ANY ($1::uuid[]) AND p.id = ap.project_id AND p.deleted_at IS NULL
   RETURNING p.id, ap.account_id AS "accountId"`,
);
const hardDeleteProjects = statement(
  'accounts_hard_delete_projects',
  'DELETE FROM projects p USING account_projects ap WHERE ap.account_id = ANY ($1::uuid[]) AND p.id = ap.project_id',
);
const hardDelete = statement('accounts_hard_delete', 'DELETE FROM accounts WHERE id = ANY ($1::uuid[])');

/** Ends all accounts of a user with the projects in them; what it ended. */
export async function deleteAccounts(tx: Transaction, ownerId: string, hard: boolean): Promise<{ id: string; projectIds: string[] }[]> {
  const accounts = await tx.query<{ id: string }>(softDelete, [ownerId]);
  const ids = accounts.map(({ id }) => id);
  const projects = await tx.query<{ id: string; accountId: string }>(softDeleteProjects, [ids]);
  if (hard) {
    await tx.execute(hardDeleteProjects, [ids]);
    await tx.execute(hardDelete, [ids]);
  }
  return ids.map((id) => ({ id, projectIds: projects.filter(({ accountId }) => accountId === id).map((project) => project.id) }));
}
