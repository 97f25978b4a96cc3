import type { Database, Transaction } from '@tessera/kernel/postgres';

/** Reads run in a transaction or on a connection of their own. */
export type Reader = Pick<Database, 'query'> | Pick<Transaction, 'query'>;
