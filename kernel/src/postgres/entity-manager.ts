import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type DatabaseConnection, type Dialect, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type AnyTable, PostgresNames } from './entity.ts';

type RunStatement = (text: string, values: readonly unknown[]) => Promise<{ rows: unknown[]; rowCount: number | null }>;
export type EntityManagers = (run: RunStatement) => Promise<EntityManager>;

/** Kysely over a connection whose owner begins, commits and releases. */
function borrowedConnection(run: RunStatement): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] }) => {
      const { rows, rowCount } = await run(sql, parameters);
      return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
    },
    streamQuery: () => {
      throw new Error('A borrowed connection cannot stream rows.');
    },
  };
  const ignore = async () => undefined;
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => ({
      init: ignore,
      acquireConnection: async () => connection,
      releaseConnection: ignore,
      destroy: ignore,
      beginTransaction: ignore,
      commitTransaction: ignore,
      rollbackTransaction: ignore,
    }),
  };
}

/** Outside its transaction an EntityManager would run as the owner, past row-level security. */
const refuse: RunStatement = async () => {
  throw new Error('An EntityManager works only in the transaction that made it.');
};

async function load(entities: readonly AnyTable[], schema: string): Promise<MikroORM> {
  // Loaded at first use: it costs 0.2 s of start-up, and typed queries do without.
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const driverOptions = new Kysely({ dialect: borrowedConnection(refuse) });
  return MikroORM.init({ dbName: schema, entities: [...entities], namingStrategy: PostgresNames, ensureDatabase: false, driverOptions });
}

/** Makes an EntityManager for one transaction, with its role and settings. */
export function entityManagers(entities: readonly AnyTable[], schema: string): EntityManagers {
  let loading: Promise<MikroORM> | undefined;
  return async (run) => {
    loading ??= load(entities, schema);
    const manager = (await loading).em.fork();
    manager.setTransactionContext(await new Kysely({ dialect: borrowedConnection(run) }).startTransaction().execute());
    return manager;
  };
}
