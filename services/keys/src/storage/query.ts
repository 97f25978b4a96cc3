import { queryBuilder } from '@tessera/kernel/postgres';
import type { Kysely } from 'kysely';
import type * as entities from './entities.ts';

/** Builds this service's queries, typed by its entities. */
export const query = queryBuilder<typeof entities>();

/** The tables of keys as Kysely sees them. */
export type Tables = typeof query extends Kysely<infer DB> ? DB : never;
