import { escapeIdentifier } from 'pg';
import { bootstrap } from '../postgres/bootstrap.ts';
import { type DatabaseService, databaseServices } from '../services.ts';
import { migrate } from '../stack/migrate.ts';
import type { End, Manifest, TableHead } from './format.ts';
import { readBackup } from './read.ts';
import { migrationsHere, migrationsOf, openSchemas, type Schema, tablesOf, type Urls } from './schema.ts';

export interface RestoreOptions {
  /** A superuser's URL: databases, logins and schemas are made first. */
  readonly adminUrl?: string | undefined;
  /** Discards what is there. Without it a database with people in it is refused. */
  readonly replaces?: boolean;
}

const rowsAtOnce = 500;

/** Loads a backup into databases that no service uses. All of it stands at the end, or nothing. */
export async function restoreBackup(
  urls: Urls,
  file: string,
  { adminUrl, replaces = false }: RestoreOptions = {},
): Promise<Manifest & End> {
  const manifest = await verifyBackup(file);
  if (adminUrl !== undefined) await bootstrapAll(urls, adminUrl);
  await migrate(urls);
  await using parts = new AsyncDisposableStack();
  const schemas = await openSchemas(urls, parts);
  for (const schema of schemas) await assertFree(schema, manifest, replaces);
  for (const { client } of schemas) await client.query('BEGIN');
  const constraints = new Map<DatabaseService, readonly Constraint[]>();
  for (const schema of schemas) constraints.set(schema.service, await emptySchema(schema));
  const end = await load(schemas, file);
  for (const schema of schemas) await closeSchema(schema, constraints.get(schema.service) ?? []);
  // Everything has been checked by now, so that only a lost connection can part the four.
  for (const { client } of schemas) await client.query('COMMIT');
  return { ...manifest, ...end };
}

/** Reads all of the file once, before anything is changed. */
export async function verifyBackup(file: string): Promise<Manifest> {
  let manifest: Manifest | undefined;
  for await (const part of readBackup(file)) if (part.kind === 'manifest') manifest = part.manifest;
  if (manifest === undefined) throw new Error('The backup has no manifest.');
  const { migrations, version } = manifest;
  for (const service of databaseServices) {
    if (migrationsHere(service).join() !== migrations[service].join())
      throw new Error(
        `The backup is of version ${version} with other migrations of ${service}: restore it with that version, then upgrade.`,
      );
  }
  return manifest;
}

async function bootstrapAll(urls: Urls, adminUrl: string): Promise<void> {
  const databaseOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1));
  for (const database of new Set(databaseServices.map((service) => databaseOf(urls[service])))) {
    const there = databaseServices.filter((service) => databaseOf(urls[service]) === database);
    const passwords = there.map((service) => [service, decodeURIComponent(new URL(urls[service]).password)] as const);
    await bootstrap(adminUrl, database, Object.fromEntries(passwords));
  }
}

/** The tables in which a new installation has no row. */
const firstRows: Partial<Record<DatabaseService, string>> = { identity: 'users', tenancy: 'accounts' };

async function assertFree(schema: Schema, manifest: Manifest, replaces: boolean): Promise<void> {
  const { service, client } = schema;
  if ((await migrationsOf(schema)).join() !== manifest.migrations[service].join())
    throw new Error(`The database of ${service} has other migrations than the backup.`);
  const { rows: others } = await client.query(
    `SELECT FROM pg_stat_activity WHERE usename = current_user AND datname = current_database() AND application_name <> 'tessera backup'`,
  );
  if (others.length > 0) throw new Error(`A process of ${service} is connected to its database: stop all services first.`);
  const table = firstRows[service];
  if (replaces || table === undefined) return;
  const { rows } = await client.query(`SELECT FROM ${table} LIMIT 1`);
  if (rows.length > 0) throw new Error(`The database of ${service} is not empty: restore into an empty one, or say --replace.`);
}

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Foreign keys are made again after the load, which checks them; triggers must not count again. */
async function emptySchema(schema: Schema): Promise<readonly Constraint[]> {
  const { client, service } = schema;
  const { rows: constraints } = await client.query<Constraint>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype = 'f'`,
    [service],
  );
  const tables = (await tablesOf(schema)).map(({ name }) => escapeIdentifier(name));
  for (const { table, name } of constraints) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  // The audit log is append-only, for the service's own login too.
  const sealed = await tablesWithoutTruncate(schema);
  for (const table of sealed) await client.query(`GRANT TRUNCATE ON ${table} TO CURRENT_USER`);
  await client.query(`TRUNCATE ${tables.join(', ')}`);
  for (const table of sealed) await client.query(`REVOKE TRUNCATE ON ${table} FROM CURRENT_USER`);
  return constraints;
}

async function tablesWithoutTruncate({ client, service }: Schema): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND NOT has_table_privilege(oid, 'TRUNCATE')`,
    [service],
  );
  return rows.map(({ name }) => name);
}

async function closeSchema(schema: Schema, constraints: readonly Constraint[]): Promise<void> {
  const { client } = schema;
  for (const { name } of await tablesOf(schema)) await client.query(`ALTER TABLE ${escapeIdentifier(name)} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of constraints) await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
}

async function load(schemas: readonly Schema[], file: string): Promise<End> {
  const clientOf = (service: DatabaseService) => {
    const found = schemas.find((schema) => schema.service === service);
    if (found === undefined) throw new Error(`The backup names a service that does not exist: ${service}`);
    return found.client;
  };
  const loaded: Record<string, number> = {};
  let head: TableHead | undefined;
  let rows: string[] = [];
  const flush = async () => {
    if (head === undefined) return;
    const { service, table, columns } = head;
    const key = `${service}.${table}`;
    loaded[key] = (loaded[key] ?? 0) + rows.length;
    if (rows.length === 0) return;
    const [name, list] = [escapeIdentifier(table), columns.map((column) => escapeIdentifier(column)).join(', ')];
    await clientOf(service).query(
      `INSERT INTO ${name} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1::json)`,
      [`[${rows.join(',')}]`],
    );
    rows = [];
  };
  for await (const part of readBackup(file)) {
    if (part.kind === 'row') {
      rows.push(part.row);
      if (rows.length >= rowsAtOnce) await flush();
      continue;
    }
    await flush();
    if (part.kind === 'table') head = part.head;
    if (part.kind === 'sequence') {
      const { service, sequence, value } = part.sequence;
      await clientOf(service).query('SELECT setval(quote_ident($1)::regclass, $2::bigint, true)', [sequence, value]);
    }
    if (part.kind === 'end') {
      const differing = Object.entries(part.end.rows).find(([table, count]) => loaded[table] !== count);
      if (differing !== undefined)
        throw new Error(`The backup has ${differing[1]} rows of ${differing[0]}, and ${loaded[differing[0]] ?? 0} were read.`);
      return part.end;
    }
  }
  throw new Error('The backup is incomplete.');
}
