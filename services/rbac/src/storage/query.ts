import { queryBuilder } from '@tessera/kernel/postgres';
import type * as entities from './entities.ts';

/** Builds typed queries over the tables of rbac. */
export const query = queryBuilder<typeof entities>();
