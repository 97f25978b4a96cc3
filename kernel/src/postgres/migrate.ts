import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { assertIdentifier } from './pool.ts';

export type MigrateOptions = {
  /** The service's own login, which owns the schema and so every table. */
  readonly url: string;
  readonly schema: string;
  /** The service's `NNN_purpose.sql` files, run in order, each once, never edited later. */
  readonly folder: string;
  /** SECURITY_RLS_ROLE. */
  readonly restrictedRole?: string;
};

const kernelFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * The kernel's tables first, then the service's: each set wholly or not at all. Replicas that start together wait for each other. A
 * migration that waits long for a table's lock gives up, because all traffic on the table would queue behind it. Returns what was applied.
 */
export async function migrate({ url, schema, folder, restrictedRole = 'tenant_app_restricted' }: MigrateOptions): Promise<string[]> {
  assertIdentifier(schema);
  const scopedRole = assertIdentifier(`${restrictedRole}_${schema}`);
  const client = new pg.Client({ connectionString: url, application_name: `${schema} migrations`, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(hashtext('tessera.migrate'), hashtext($1))`, [schema]);
    await client.query(
      `SELECT set_config('tessera.restricted_role', $1, false), set_config('tessera.scoped_role', $2, false), set_config('lock_timeout', '5s', false)`,
      [restrictedRole, scopedRole],
    );
    const apply = (dir: string, migrationsTable: string) =>
      runner({
        dbClient: client,
        dir,
        migrationsTable,
        schema,
        direction: 'up',
        noLock: true,
        checkOrder: true,
        singleTransaction: true,
        log: () => undefined,
      });
    const fromKernel = await apply(kernelFolder, 'kernel_migrations');
    await client.query('SELECT grant_kernel_tables()');
    const own = await apply(folder, 'migrations');
    return [...fromKernel, ...own].map(({ name }) => name);
  } finally {
    await client.end();
  }
}
