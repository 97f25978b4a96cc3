import { type PageRequest, type Params, pageList, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Account, AccountType } from '../domain/account.ts';
import { deleteProjectsOf } from './projects.ts';
import { livingPerson, now, query } from './query.ts';

const columns = ['id', 'type', 'ownerId', 'createdAt', 'updatedAt', 'deletedAt'] as const;

type NewAccount = { readonly id: string; readonly type: AccountType; readonly ownerId: string };

const insert = statement('accounts_insert', ({ id, type, ownerId }: Params<NewAccount>) =>
  query
    .with('owner', () => livingPerson(ownerId))
    .insertInto('accounts')
    .columns(['id', 'type', 'ownerId'])
    .expression((eb) => eb.selectFrom('owner').select([sql`${id}::uuid`.as('id'), sql`${type}::text`.as('type'), 'userId']))
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns),
);

/**
 * Undefined if the owner has an account of this type or with this id, does not exist or is closing
 * their accounts.
 */
export function insertAccount(tx: Transaction, account: NewAccount): Promise<Account | undefined> {
  return tx.one(insert, account);
}

const living = query.selectFrom('accounts').where('deletedAt', 'is', null);

const ofOwners = statement('accounts_of_owners', (p: Params<{ ownerIds: readonly string[] }>) =>
  living
    .where('ownerId', '=', ({ fn }) => fn.any(p.ownerIds))
    .select(columns)
    .orderBy('type', 'desc')
    .orderBy('id'),
);

/** The accounts of these users, the personal one first. */
export function listAccounts(tx: Pick<Transaction, 'query'>, ownerIds: readonly string[]): Promise<Account[]> {
  return tx.query(ofOwners, { ownerIds });
}

const ofOwner = pageList((p: Params<{ ownerId: string }>) => {
  const from = living.where('ownerId', '=', p.ownerId);
  return {
    name: 'accounts_page',
    from,
    select: (rows: typeof from) => rows.select(columns),
    search: ['type'],
    sort: { fields: { type: 'type', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
  };
});

export function pageAccounts(tx: Transaction, ownerId: string, input: PageRequest) {
  return ofOwner(tx, { ownerId }, input);
}

const byIds = statement('accounts_by_ids', (p: Params<{ ids: readonly string[] }>) =>
  living.where('id', '=', ({ fn }) => fn.any(p.ids)).select(columns),
);

/** The existing ones of these accounts, in any order. */
export function findAccounts(tx: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<Account[]> {
  return tx.query(byIds, { ids });
}

/** Deletes all accounts of a user with their projects; returns the deleted ids. */
export async function deleteAccounts(tx: Transaction, ownerId: string, hard: boolean): Promise<{ id: string; projectIds: string[] }[]> {
  const accounts = await tx.query(
    query
      .updateTable('accounts')
      .set({ deletedAt: now, updatedAt: now })
      .where('ownerId', '=', ownerId)
      .where('deletedAt', 'is', null)
      .returning('id'),
  );
  const ids = accounts.map(({ id }) => id);
  if (ids.length === 0) return [];
  const projects = await deleteProjectsOf(tx, 'account', ids, hard);
  if (hard) await tx.execute(query.deleteFrom('accounts').where('id', 'in', ids));
  return ids.map((id) => ({ id, projectIds: projects.filter(({ parentId }) => parentId === id).map((project) => project.id) }));
}
