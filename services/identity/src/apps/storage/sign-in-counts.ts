import { type Database, statement } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';

/** How finely each period is shown, and how far back it goes. */
export const periods = {
  day: { unit: 'hour', steps: 24 },
  week: { unit: 'day', steps: 7 },
  month: { unit: 'day', steps: 30 },
} as const;

type Row = { readonly at: string; readonly signed_in: number; readonly refused: number };

// Text, because Kysely has no table functions. A new token for a refresh token is no sign-in, and
// an app that looks whether a person is signed in (prompt=none) gets an answer, not a refusal.
const findCounts = statement(
  'identity_sign_in_counts',
  `SELECT step AS at, count(a.id) FILTER (WHERE a.outcome = 'ok') AS signed_in, count(a.id) FILTER (WHERE a.outcome = 'refused') AS refused
   FROM generate_series(date_trunc($3, now(), 'UTC') - $4::int * ('1 ' || $3)::interval, date_trunc($3, now(), 'UTC'), ('1 ' || $3)::interval) AS step
   LEFT JOIN audit_log a ON a.scope_tenant = $1 AND a.scope_id = $2 AND a.at >= step AND a.at < step + ('1 ' || $3)::interval
     AND CASE a.action
       WHEN 'project-oauth.login' THEN true
       WHEN 'openid.token' THEN a.detail->>'grantType' IN ('authorization_code', 'urn:ietf:params:oauth:grant-type:device_code')
       WHEN 'openid.authorization' THEN a.outcome = 'refused' AND a.code NOT IN ('login_required', 'consent_required', 'interaction_required')
       ELSE false END
   GROUP BY step ORDER BY step`,
);

/**
 * Sign-ins to the apps of a project, read from the audit log by its scope. Every step of the period
 * is there, the oldest first.
 */
export async function findSignInCounts(database: Database, { tenant, id }: ParsedScope, period: keyof typeof periods) {
  const { unit, steps } = periods[period];
  const rows = await database.query<Row>(findCounts, [tenant, id, unit, steps - 1]);
  return rows.map(({ at, signed_in: signedIn, refused }) => ({ at, signedIn, refused }));
}
