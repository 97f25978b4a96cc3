import { readFileSync } from 'node:fs';
import { Client, escapeIdentifier } from 'pg';
import { type DatabaseService, databaseServices } from '../services.ts';

export type LoginPasswords = { readonly [service in DatabaseService]?: string };

const script = readFileSync(new URL('../../deploy/bootstrap.sql', import.meta.url), 'utf8');

/**
 * Creates the database if it is missing and applies `deploy/bootstrap.sql`. Safe to repeat, also in
 * parallel.
 */
export async function bootstrap(adminUrl: string, database: string, passwords: LoginPasswords): Promise<void> {
  await withClient(adminUrl, (client) => createDatabase(client, database));
  await withClient(databaseUrl(adminUrl, database), async (client) => {
    for (const service of databaseServices) {
      await client.query('SELECT set_config($1, $2, false)', [`tessera.${service}_password`, passwords[service] ?? '']);
    }
    await client.query(script);
  });
}

async function createDatabase(client: Client, database: string): Promise<void> {
  const existing = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (existing.rowCount !== 0) return;
  await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`).catch((error: { readonly code?: string }) => {
    const createdMeanwhile = error.code === '42P04' || error.code === '23505';
    if (!createdMeanwhile) throw error;
  });
}

export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The same server and login, another database. */
export function databaseUrl(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** The same server, a service's login and another database. */
export function loginUrl(adminUrl: string, database: string, service: DatabaseService, password: string): string {
  const changed = new URL(databaseUrl(adminUrl, database));
  changed.username = `tessera_${service}`;
  changed.password = encodeURIComponent(password);
  return changed.href;
}
