/** What a stack of the tests wrote, and its own secrets, kept before it is gone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topics } from '@tessera/kernel/notices';
import pg from 'pg';
import { databaseServices } from '../../tools/services.ts';
import { noteEvidence, noteSecret } from './evidence.ts';
import type { SharedStack } from './stack.ts';
import { privateNumbersOf, stealKeys, withAdmin } from './stolen-keys.ts';

/** Logs and mails, once all processes have ended. */
export function keepFiles(dataDir: string): void {
  for (const name of namesIn(join(dataDir, 'logs'))) noteEvidence('log', readFileSync(join(dataDir, 'logs', name), 'utf8'));
  for (const name of namesIn(join(dataDir, 'outbox'))) noteMail(readFileSync(join(dataDir, 'outbox', name), 'utf8'));
  const { databasePasswords, ...secrets } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  for (const value of [...Object.values(secrets), ...Object.values(databasePasswords)]) noteSecret('deployment secret', value);
}

function namesIn(folder: string) {
  return readdirSync(folder).filter((name) => /\.(log|json)$/.test(name));
}

/**
 * A mail contains its own token, and an invitation the one that stops such mails. They are cut out
 * here. Another token in it is a leak.
 */
export function noteMail(json: string): void {
  const { data = {}, text = '', html = '', ...rest } = JSON.parse(json);
  const { token, url = '', stopUrl, ...others } = data;
  const stop = typeof stopUrl === 'string' ? new URL(stopUrl).searchParams.get('token') : undefined;
  const own = [token, stop].filter((value) => typeof value === 'string' && value !== '');
  for (const value of own) noteSecret('one-time token', value);
  const cut = (part: unknown) => own.reduce((kept: string, value) => kept.replaceAll(value, ''), String(part));
  noteEvidence('mail', JSON.stringify([rest, others, ...[url, stopUrl ?? '', text, html].map(cut)]));
}

/** Every row of every table, as text, and the private keys that must be in none of them. */
export async function keepDatabase(stack: SharedStack): Promise<void> {
  for (const name of ['INTERNAL_AUTH_SECRET', 'KEYS_ENCRYPTION_KEY', 'CODEHOST_CLIENT_SECRET'])
    noteSecret('deployment secret', stack.env.identity[name] ?? stack.env.keys[name]);
  await withAdmin(stack, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = ANY ($1)`,
      [databaseServices],
    );
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      if (rows.length > 0) noteEvidence('dump', `${name}\n${rows.map(({ row }) => row).join('\n')}`);
    }
  });
  for (const key of await stealKeys(stack)) for (const number of privateNumbersOf(key)) noteSecret('private key', number);
}

/** Every notice from now on. */
export async function listenToNotices(adminUrl: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined); // a test may take the database away
  client.on('notification', ({ payload }) => noteEvidence('notice', payload ?? ''));
  await client.connect();
  for (const { subject } of Object.values(topics)) await client.query(`LISTEN ${client.escapeIdentifier(subject)}`);
  return { [Symbol.asyncDispose]: () => client.end() };
}
