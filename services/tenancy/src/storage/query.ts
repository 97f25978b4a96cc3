import { queryBuilder } from '@tessera/kernel/postgres';
import { type Expression, type Kysely, sql } from 'kysely';
import type * as entities from './entities/index.ts';

/** Kysely over tenancy's tables. */
export const query = queryBuilder<typeof entities>();

/** The tables and columns of `query`. */
export type Db = typeof query extends Kysely<infer Tables> ? Tables : never;

/** The start of the transaction, for all changes in it. */
export const now = sql<string>`now()`;

/** Later than the last change by 1 ms at least, because clients tell versions apart by it. */
export const changedNow = sql<string>`greatest(now(), updated_at + interval '1 millisecond')`;

/**
 * A person who is neither deleted nor closing their accounts, locked against both until the commit.
 */
export function livingPerson(userId: Expression<string>) {
  return query
    .selectFrom('people')
    .where('userId', '=', userId)
    .where('deletedAt', 'is', null)
    .where('closingAt', 'is', null)
    .select(['userId', 'name', 'email', 'createdAt', 'updatedAt'])
    .forShare();
}
