/** When a person came last by a provider of the whole installation. */
import { statement, type Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

// To the minute, as of an organization's: a row that is fresh enough is not locked.
const note = statement(
  'identity_note_platform_connection',
  `WITH noted AS (UPDATE platform_connections SET last_used_at = $2::timestamptz WHERE name = $1 AND last_used_at < $2::timestamptz - interval '1 minute')
   INSERT INTO platform_connections (name, last_used_at) SELECT $1, $2::timestamptz
   WHERE NOT EXISTS (SELECT FROM platform_connections WHERE name = $1) ON CONFLICT (name) DO NOTHING`,
);

export async function notePlatformUse(tx: Transaction, name: string, now: Date): Promise<void> {
  await tx.query(note, [name, now.toISOString()]);
}

export function listPlatformUses(reader: Reader) {
  return reader.query(query.selectFrom('platform_connections').select(['name', 'lastUsedAt']).orderBy('name'));
}
