import { findPage, type PageRequest, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import type { Account, AccountType } from '../domain/account.ts';
import { now, query } from './query.ts';

const columns = ['id', 'type', 'ownerId', 'createdAt', 'updatedAt', 'deletedAt'] as const;

type NewAccount = { id: string; type: AccountType; ownerId: string };
const insert = statement('accounts_insert', (p: Params<NewAccount>) =>
  query
    .insertInto('accounts')
    .columns(['id', 'type', 'ownerId'])
    .expression((eb) =>
      eb
        .selectFrom('people')
        .where('userId', '=', p.ownerId)
        .where('deletedAt', 'is', null)
        .where('closingAt', 'is', null)
        .select([sql`${p.id}`.as('id'), sql`${p.type}`.as('type'), 'userId'])
        .forShare(),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns),
);

/** Undefined if the owner has an account of this type or with this id, does not exist or is closing their accounts. */
export function insertAccount(tx: Transaction, account: NewAccount): Promise<Account | undefined> {
  return tx.one(insert, account);
}

const ofOwners = statement('accounts_of_owners', (p: Params<{ ownerIds: readonly string[] }>) =>
  query
    .selectFrom('accounts')
    .where('ownerId', '=', ({ fn }) => fn.any(p.ownerIds))
    .where('deletedAt', 'is', null)
    .select(columns)
    .orderBy('type', 'desc')
    .orderBy('id'),
);

/** The accounts of these users, the personal one first. */
export function listAccounts(tx: Pick<Transaction, 'query'>, ownerIds: readonly string[]): Promise<Account[]> {
  return tx.query(ofOwners, { ownerIds });
}

export function pageAccounts(tx: Transaction, ownerId: string, input: PageRequest) {
  return findPage(tx, {
    name: 'accounts_page',
    from: query.selectFrom('accounts').where('ownerId', '=', ownerId).where('deletedAt', 'is', null),
    select: (rows) => rows.select(columns),
    search: ['type'],
    sort: { fields: { type: 'type', createdAt: 'createdAt', updatedAt: 'updatedAt' }, default: 'createdAt' },
    id: 'id',
    input,
  });
}

const byIds = statement('accounts_by_ids', (p: Params<{ ids: readonly string[] }>) =>
  query
    .selectFrom('accounts')
    .where('id', '=', ({ fn }) => fn.any(p.ids))
    .where('deletedAt', 'is', null)
    .select(columns),
);

/** The existing ones of these accounts, in any order. */
export function findAccounts(tx: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<Account[]> {
  return tx.query(byIds, { ids });
}

const softDelete = statement('accounts_soft_delete', (p: Params<{ ownerId: string }>) =>
  query
    .updateTable('accounts')
    .set({ deletedAt: now, updatedAt: now })
    .where('ownerId', '=', p.ownerId)
    .where('deletedAt', 'is', null)
    .returning('id'),
);
const softDeleteProjects = statement('accounts_soft_delete_projects', (p: Params<{ ids: readonly string[] }>) =>
  query
    .updateTable('projects as p')
    .from('account_projects as l')
    .set({ deletedAt: now, updatedAt: now })
    .where('l.accountId', '=', ({ fn }) => fn.any(p.ids))
    .whereRef('p.id', '=', 'l.projectId')
    .where('p.deletedAt', 'is', null)
    .returning(['p.id', 'l.accountId']),
);
const hardDeleteProjects = statement('accounts_hard_delete_projects', (p: Params<{ ids: readonly string[] }>) =>
  query
    .deleteFrom('projects as p')
    .using('account_projects as l')
    .where('l.accountId', '=', ({ fn }) => fn.any(p.ids))
    .whereRef('p.id', '=', 'l.projectId'),
);
const hardDelete = statement('accounts_hard_delete', (p: Params<{ ids: readonly string[] }>) =>
  query.deleteFrom('accounts').where('id', '=', ({ fn }) => fn.any(p.ids)),
);

/** Deletes all accounts of a user with their projects; returns the deleted ids. */
export async function deleteAccounts(tx: Transaction, ownerId: string, hard: boolean): Promise<{ id: string; projectIds: string[] }[]> {
  const ids = (await tx.query(softDelete, { ownerId })).map(({ id }) => id);
  const projects = await tx.query(softDeleteProjects, { ids });
  if (hard) {
    await tx.execute(hardDeleteProjects, { ids });
    await tx.execute(hardDelete, { ids });
  }
  return ids.map((id) => ({ id, projectIds: projects.filter(({ accountId }) => accountId === id).map((project) => project.id) }));
}
