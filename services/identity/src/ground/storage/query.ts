import { queryBuilder } from '@tessera/kernel/postgres';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type * as brandings from '../tables/brandings.ts';
import type * as clientDocuments from '../tables/client-documents.ts';
import type * as connections from '../tables/connections.ts';
import type * as mail from '../tables/mail.ts';
import type * as mailTexts from '../tables/mail-texts.ts';
import type * as openid from '../tables/openid.ts';
import type * as people from '../tables/people.ts';
import type * as platform from '../tables/platform.ts';
import type * as projectApps from '../tables/project-apps.ts';
import type * as secondFactors from '../tables/second-factors.ts';
import type * as serviceAccounts from '../tables/service-accounts.ts';
import type * as sessions from '../tables/sessions.ts';
import type * as setUpLinks from '../tables/set-up-links.ts';
import type * as support from '../tables/support.ts';

/** Builds queries over the tables of identity. A transaction runs them. */
export const query = queryBuilder<
  typeof brandings &
    typeof clientDocuments &
    typeof connections &
    typeof mail &
    typeof mailTexts &
    typeof openid &
    typeof people &
    typeof platform &
    typeof projectApps &
    typeof secondFactors &
    typeof serviceAccounts &
    typeof sessions &
    typeof setUpLinks &
    typeof support
>();

/** Later than the last change by 1 ms at least, because clients tell versions apart by it. */
export function changedAt(now: Date): RawBuilder<string> {
  return sql`greatest(${now.toISOString()}::timestamptz, updated_at + interval '1 millisecond')`;
}

/** The tables of identity as Kysely sees them. */
export type Tables = typeof query extends Kysely<infer DB> ? DB : never;
