import { type Period, periods, stepsSql } from '@tessera/kernel/operation';
import { type Database, statement } from '@tessera/kernel/postgres';

// Text, because Kysely has no table functions.
const findUse = statement(
  'keys_api_key_use',
  `SELECT step AS at, count(a.id) AS exchanged
   FROM ${stepsSql('$2', '$3')}
   LEFT JOIN audit_log a ON a.target_id = $1 AND a.action = 'apiKey.exchanged' AND a.outcome = 'ok'
     AND a.at >= step AND a.at < step + ('1 ' || $2)::interval
   GROUP BY step ORDER BY step`,
);

/** How often a key was exchanged for a token, by the audit log, in every step of the period. */
export function findApiKeyUse(
  database: Database,
  id: string,
  period: Period,
): Promise<{ readonly at: string; readonly exchanged: number }[]> {
  const { unit, steps } = periods[period];
  return database.query(findUse, [id, unit, steps - 1]);
}
