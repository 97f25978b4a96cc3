export { countQueries } from './counter.ts';
export { createDatabase, type Database } from './database.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { longestPage, type Page, type PageQuery, type PageRequest, pageQuery } from './page-query.ts';
export { assertPolicies } from './policies.ts';
export type { DatabaseOptions } from './pool.ts';
export { composed, type Statement, sql, statement } from './statement.ts';
export type { Transaction, TransactionOptions, Values } from './transaction.ts';
