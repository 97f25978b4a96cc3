import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationObject } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { assertIdentifier, connectToWritable } from '../postgres/index.ts';

export type MigrateOptions = {
  /** The service's own login, which owns the schema and so every table. */
  readonly url: string;
  readonly schema: string;
  /** The service's `NNN_purpose.sql` files, run in order, each once, never edited later. */
  readonly folder: string;
  readonly restrictedRole?: string;
};

const kernelFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** With the last change: a table that is made anew must have its rights when others see it. */
const grantNow = `;DO $$ BEGIN IF to_regprocedure('grant_kernel_tables()') IS NOT NULL THEN PERFORM grant_kernel_tables(); END IF; END $$`;

function migrationsIn(folder: string): MigrationObject[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file, place) => ({
    name: basename(file, '.sql'),
    class: class extends Migration {
      override up(): void {
        this.addSql(readFileSync(join(folder, file), 'utf8') + (place === files.length - 1 ? grantNow : ''));
      }
    },
  }));
}

function kyselyOver(client: pg.Client): Kysely<unknown> {
  const connect = async () => ({ query: client.query.bind(client), release: () => undefined });
  return new Kysely({ dialect: new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } }) });
}

/** Databases that node-pg-migrate has migrated: only the name of the time column differs. */
async function adoptRecord(client: pg.Client, table: string): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND column_name = 'run_on'`,
    [table],
  );
  if (rowCount === 0) return;
  await client.query(`ALTER TABLE ${table} RENAME COLUMN run_on TO executed_at`);
  await client.query(`ALTER TABLE ${table} ALTER COLUMN executed_at SET DEFAULT now()`);
}

function assertOrder(applied: readonly string[], files: readonly string[]): void {
  for (const [place, name] of files.entries()) {
    const done = applied[place];
    if (done !== undefined && done !== name) throw new Error(`The migration ${name} must run before ${done}, which has run.`);
  }
}

async function apply(client: pg.Client, schema: string, folder: string, tableName: string): Promise<string[]> {
  await adoptRecord(client, tableName);
  const migrationsList = migrationsIn(folder);
  const orm = await MikroORM.init({
    dbName: client.database ?? '',
    schema,
    driverOptions: kyselyOver(client),
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { tableName, migrationsList, allOrNothing: true, snapshot: false, silent: true, disableForeignKeys: false },
  });
  const applied = await orm.migrator.getExecuted();
  assertOrder(
    applied.map(({ name }) => name),
    migrationsList.map(({ name }) => name),
  );
  return (await orm.migrator.up()).map(({ name }) => name);
}

/**
 * The kernel's tables first, then the service's, each set wholly or not at all. Returns what was
 * applied. A migration that waits long for a table's lock gives up, because the table's traffic
 * would queue behind it.
 */
export async function migrate({ url, schema, folder, restrictedRole = 'tenant_app_restricted' }: MigrateOptions): Promise<string[]> {
  assertIdentifier(schema);
  const scopedRole = assertIdentifier(`${restrictedRole}_${schema}`);
  const client = await connectToWritable(url, { application_name: `${schema} migrations`, options: `-c search_path=${schema}` });
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('tessera.migrate'), hashtext($1))`, [schema]);
    await client.query(
      `SELECT set_config('tessera.restricted_role', $1, false), set_config('tessera.scoped_role', $2, false), set_config('lock_timeout', '900ms', false)`,
      [restrictedRole, scopedRole],
    );
    const fromKernel = await apply(client, schema, kernelFolder, 'kernel_migrations');
    await client.query('SELECT grant_kernel_tables()');
    return [...fromKernel, ...(await apply(client, schema, folder, 'migrations'))];
  } finally {
    await client.end();
  }
}
