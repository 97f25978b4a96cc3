import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type DatabaseService, databaseServices, variablePrefix } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';

export type Urls = { readonly [service in DatabaseService]: string };

export function urlsIn(environment: NodeJS.ProcessEnv): Urls {
  const url = (service: DatabaseService) => environment[`${variablePrefix(service)}_DATABASE_URL`] ?? '';
  const missing = databaseServices.filter((service) => url(service) === '').map((service) => `${variablePrefix(service)}_DATABASE_URL`);
  if (missing.length > 0) throw new Error(`Missing: ${missing.join(', ')}`);
  return { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') };
}

export interface Schema {
  readonly service: DatabaseService;
  readonly client: pg.Client;
}

/** One connection for each schema, with the login that owns it. */
export async function openSchemas(urls: Urls, parts: AsyncDisposableStack): Promise<readonly Schema[]> {
  return Promise.all(
    databaseServices.map(async (service) => {
      const client = new pg.Client({ connectionString: urls[service], application_name: 'tessera backup' });
      await client.connect();
      parts.defer(() => client.end());
      await client.query(
        `SELECT set_config('search_path', $1, false), set_config('datestyle', 'ISO', false), set_config('timezone', 'UTC', false)`,
        [service],
      );
      return { service, client };
    }),
  );
}

const migrationTables = ['kernel_migrations', 'migrations'];

export interface Table {
  readonly name: string;
  /** Without those that the database computes. */
  readonly columns: readonly string[];
}

/** A partitioned table counts as one: the months of another installation are not this one's. */
export async function tablesOf({ service, client }: Schema): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($2)
     GROUP BY c.relname ORDER BY c.relname`,
    [service, migrationTables],
  );
  return rows;
}

/** The migrations that have run, by the table that records them. */
export async function migrationsOf({ client }: Schema): Promise<readonly string[]> {
  const lists = [];
  for (const table of migrationTables) lists.push((await client.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY name`)).rows);
  return lists.flat().map(({ name }) => name);
}

/** The migrations that this code would run. */
export function migrationsHere(service: DatabaseService): readonly string[] {
  const folders = [join(repositoryFolder, 'kernel', 'migrations'), join(repositoryFolder, 'services', service, 'migrations')];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -'.sql'.length)] : []))
      .toSorted(),
  );
}
