import { queryBuilder } from '@tessera/kernel/postgres';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type * as mail from './entities/mail.ts';
import type * as openid from './entities/openid.ts';
import type * as people from './entities/people.ts';
import type * as platform from './entities/platform.ts';
import type * as projectApps from './entities/project-apps.ts';
import type * as secondFactors from './entities/second-factors.ts';
import type * as sessions from './entities/sessions.ts';

/** Builds queries over the tables of identity. A transaction runs them. */
export const query = queryBuilder<
  typeof mail & typeof openid & typeof people & typeof platform & typeof projectApps & typeof secondFactors & typeof sessions
>();

/** Later than the last change by 1 ms at least, because clients tell versions apart by it. */
export function changedAt(now: Date): RawBuilder<string> {
  return sql`greatest(${now.toISOString()}::timestamptz, updated_at + interval '1 millisecond')`;
}

/** The tables of identity as Kysely sees them. */
export type Tables = typeof query extends Kysely<infer DB> ? DB : never;
