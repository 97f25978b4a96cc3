import { queryBuilder } from '@tessera/kernel/postgres';
import type * as entities from './entities.ts';

/** Builds this service's queries, typed by its entities. */
export const query = queryBuilder<typeof entities>();
