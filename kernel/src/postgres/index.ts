export { createDatabase, type Database } from './database.ts';
export { kernelTables } from './entities.ts';
export { type AnyTable, column, defineEntity, PostgresNames, pivot, pivotsOf, references, type Table, table, timestamp } from './entity.ts';
export { findPage, longestPage, type Page, type PageList, type PageOptions, type PageRequest, pageList, type Rows } from './find-page.ts';
export { assertIdentifier } from './identifier.ts';
export { assertPolicies } from './policies.ts';
export { type DatabaseOptions, defaultTransactionTimeoutMs } from './pool.ts';
export { queryBuilder } from './query-builder.ts';
export { oldestReadMs } from './replica.ts';
export { connectToWritable } from './servers.ts';
export {
  bind,
  composed,
  type Params,
  type PreparedQuery,
  type Runnable,
  type Statement,
  sql,
  statement,
  type Values,
} from './statement.ts';
export type { Past, Transaction, TransactionOptions } from './transaction.ts';
