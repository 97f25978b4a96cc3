import { MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type AnyTable, kernelTables, PostgresNames } from '../../kernel/src/postgres/index.ts';

/** MikroORM's record of what has run, and the audit log: it is SQL's. */
const skipTables = ['migrations', 'kernel_migrations', /^audit_(log|seals|chains|watches)/];

// What the comparison leaves to the migrations and their tests:
// - functions and triggers: MikroORM would drop each one, because entities describe tables only
// - grants, storage parameters, operator classes and comments: MikroORM does not compare them
// - the name of the restricted role: entities name the default of SECURITY_RLS_ROLE
const isLeftOut = (statement: string): boolean => statement === `set names 'utf8'` || /^drop (function|trigger) /.test(statement);

/** The statements that would make the database agree with the entities: none when it does. */
export async function schemaDifferences(url: string, schema: string, entities: Readonly<Record<string, AnyTable>>): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const orm = await MikroORM.init({
    dbName: decodeURIComponent(new URL(url).pathname.slice(1)),
    schema,
    entities: Object.values({ ...kernelTables, ...entities }),
    namingStrategy: PostgresNames,
    driverOptions: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    schemaGenerator: { skipTables },
  });
  try {
    const text = await orm.schema.getUpdateSchemaSQL({ schema });
    return text
      .split(/;\n/)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '' && !isLeftOut(statement));
  } finally {
    await orm.close();
  }
}
