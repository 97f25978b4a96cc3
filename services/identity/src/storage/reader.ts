import type { Database, Transaction } from '@tessera/kernel/postgres';

/** Reads run the same in a transaction and on a connection of their own. */
export type Reader = Pick<Database, 'query'> | Pick<Transaction, 'query'>;
