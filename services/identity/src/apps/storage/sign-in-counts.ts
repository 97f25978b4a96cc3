import { type Period, periods, stepsSql } from '@tessera/kernel/operation';
import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';

type Row = { readonly at: string; readonly signed_in: number; readonly refused: number };

// Text, because Kysely has no table functions. A new token for a refresh token is no sign-in, and
// an app that looks whether a person is signed in (prompt=none) gets an answer, not a refusal.
const findCounts = statement(
  'identity_sign_in_counts',
  `SELECT step AS at, count(a.id) FILTER (WHERE a.outcome = 'ok') AS signed_in, count(a.id) FILTER (WHERE a.outcome = 'refused') AS refused
   FROM ${stepsSql('$3', '$4')}
   LEFT JOIN audit_log a ON a.scope_tenant = $1 AND a.scope_id = $2 AND a.at >= step AND a.at < step + ('1 ' || $3)::interval
     AND ($5::text IS NULL OR a.target_id = $5)
     AND CASE a.action
       WHEN 'project-oauth.login' THEN true
       WHEN 'openid.token' THEN a.detail->>'grantType' IN ('authorization_code', 'urn:ietf:params:oauth:grant-type:device_code')
         OR ($5::text IS NOT NULL AND a.detail->>'grantType' = 'client_credentials')
       WHEN 'openid.authorization' THEN a.outcome = 'refused' AND a.code NOT IN ('login_required', 'consent_required', 'interaction_required')
       ELSE false END
   GROUP BY step ORDER BY step`,
);

/**
 * Sign-ins to the apps of a project, or to one of them, read from the audit log by the project's
 * scope. A machine signs in to nothing: for its app the tokens count.
 */
export async function findSignInCounts(tx: Transaction, { tenant, id }: ParsedScope, period: Period, appId: string | undefined) {
  const { unit, steps } = periods[period];
  const rows = await tx.query<Row>(findCounts, [tenant, id, unit, steps - 1, appId ?? null]);
  return rows.map(({ at, signed_in: signedIn, refused }) => ({ at, signedIn, refused }));
}
