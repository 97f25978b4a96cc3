import { createHash } from 'node:crypto';
import { createWriteStream, readFileSync, renameSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { escapeIdentifier } from 'pg';
import { type DatabaseService, databaseServices } from '../services.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { type End, formatVersion, type Manifest } from './format.ts';
import { migrationsOf, openSchemas, type Schema, tablesOf, type Urls } from './schema.ts';

const rowsAtOnce = 500;

/** Writes all four schemas into one file, for its owner only. It appears when it is complete. */
export async function writeBackup(urls: Urls, file: string): Promise<Manifest & End> {
  await using parts = new AsyncDisposableStack();
  const schemas = await openSchemas(urls, parts);
  const seenAt = await openSnapshots(schemas, urls);
  const manifest: Manifest = {
    format: formatVersion,
    version: JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8')).version,
    seenAt,
    migrations: await byService(schemas, migrationsOf),
    encryptionKeyIds: await encryptionKeyIdsOf(schemas),
  };
  const partial = `${file}.part`;
  const summing = { rows: {} as Record<string, number>, sha256: '' };
  try {
    await pipeline(linesOf(schemas, manifest, summing), createGzip(), openPrivate(partial));
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  return { ...manifest, ...summing };
}

/**
 * A new file for its owner only. What stands at its place goes first: a link that another account
 * has made in a shared folder, or a file with a mode of its own.
 */
export function openPrivate(path: string): WriteStream {
  rmSync(path, { force: true });
  return createWriteStream(path, { flags: 'wx', mode: 0o600 });
}

async function byService<Value>(
  schemas: readonly Schema[],
  read: (schema: Schema) => Promise<Value>,
): Promise<Record<DatabaseService, Value>> {
  const entries = await Promise.all(schemas.map(async (schema) => [schema.service, await read(schema)] as const));
  return Object.fromEntries(entries) as Record<DatabaseService, Value>;
}

/** Schemas of one database are seen at one moment; others as near to each other as possible. */
async function openSnapshots(schemas: readonly Schema[], urls: Urls): Promise<Manifest['seenAt']> {
  const placeOf = (service: DatabaseService) => {
    const { host, pathname, searchParams } = new URL(urls[service]);
    return [host, pathname, searchParams.get('host')].join(' ');
  };
  const seen = new Map<string, { readonly snapshot: string; readonly at: string }>();
  const entries: [DatabaseService, string][] = [];
  for (const { service, client } of schemas) {
    const place = placeOf(service);
    const known = seen.get(place);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The name of a snapshot is a literal in the grammar, and comes from Postgres itself.
    if (known !== undefined) await client.query(`SET TRANSACTION SNAPSHOT ${client.escapeLiteral(known.snapshot)}`);
    const { rows } = await client.query(`SELECT pg_export_snapshot() AS snapshot, to_json(clock_timestamp()) #>> '{}' AS at`);
    const moment = known ?? (rows[0] as { snapshot: string; at: string });
    seen.set(place, moment);
    entries.push([service, moment.at]);
  }
  return Object.fromEntries(entries) as Manifest['seenAt'];
}

async function encryptionKeyIdsOf(schemas: readonly Schema[]): Promise<readonly string[]> {
  const keys = schemas.find(({ service }) => service === 'keys');
  if (keys === undefined) return [];
  const { rows: tables } = await keys.client.query<{ table: string }>(
    `SELECT quote_ident(table_name) AS table FROM information_schema.columns WHERE table_schema = 'keys' AND column_name = 'encryption_key_id'`,
  );
  const ids = new Set<string>();
  for (const { table } of tables) {
    const { rows } = await keys.client.query<{ id: string }>(
      `SELECT DISTINCT encryption_key_id AS id FROM ${table} WHERE encryption_key_id IS NOT NULL`,
    );
    for (const { id } of rows) ids.add(id);
  }
  return [...ids].toSorted();
}

async function* linesOf(schemas: readonly Schema[], manifest: Manifest, sum: { rows: Record<string, number>; sha256: string }) {
  const hash = createHash('sha256');
  const line = (kind: string, text: string) => {
    const whole = `${kind} ${text}\n`;
    hash.update(whole);
    return whole;
  };
  yield line('M', JSON.stringify(manifest));
  for (const service of databaseServices) {
    const schema = schemas.find((each) => each.service === service);
    if (schema === undefined) continue;
    for (const { name: table, columns } of await tablesOf(schema)) {
      yield line('T', JSON.stringify({ service, table, columns }));
      let count = 0;
      for await (const rows of rowsOf(schema, table, columns)) {
        count += rows.length;
        yield rows.map((row) => line('R', row)).join('');
      }
      sum.rows[`${service}.${table}`] = count;
    }
    const { rows: sequences } = await schema.client.query(
      `SELECT sequencename AS sequence, last_value::text AS value FROM pg_sequences WHERE schemaname = $1 AND last_value IS NOT NULL ORDER BY 1`,
      [service],
    );
    for (const { sequence, value } of sequences) yield line('S', JSON.stringify({ service, sequence, value }));
  }
  sum.sha256 = hash.digest('hex');
  yield `E ${JSON.stringify({ rows: sum.rows, sha256: sum.sha256 } satisfies End)}\n`;
}

/** Rows as Postgres writes them in JSON: they are never read here, so nothing loses precision. */
async function* rowsOf({ client }: Schema, table: string, columns: readonly string[]) {
  const list = columns.map((column) => escapeIdentifier(column)).join(', ');
  await client.query(
    `DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(r)::text AS row FROM (SELECT ${list} FROM ${escapeIdentifier(table)}) r`,
  );
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${rowsAtOnce} FROM backup_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
  }
  await client.query('CLOSE backup_rows');
}
