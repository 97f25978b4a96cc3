import type { InferKyselyDB } from '@mikro-orm/sql';
import { CamelCasePlugin, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { AnyTable } from './entity.ts';

/** Stands in a compiled query for a value that comes with each call. */
export class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * One placeholder for each parameter, however often the query uses it: Postgres then infers its
 * type from all of them.
 */
class Compiler extends PostgresQueryCompiler {
  #placeholders = new Map<string, string>();

  override compileQuery(...[node, queryId]: Parameters<PostgresQueryCompiler['compileQuery']>) {
    this.#placeholders = new Map();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(value: unknown): void {
    const name = value instanceof Parameter ? value.name : undefined;
    const known = name === undefined ? undefined : this.#placeholders.get(name);
    if (known === undefined) super.appendValue(value);
    else this.append(known);
    if (name !== undefined && known === undefined) this.#placeholders.set(name, this.getCurrentParameterPlaceholder());
  }
}

/**
 * `createdAt` in a query is the column `created_at`, and the column of a result is `createdAt`
 * again.
 */
class Names extends CamelCasePlugin {
  propertyOf(column: string): string {
    return this.camelCase(column);
  }
}

const names = new Names();

export function propertyOf(column: string): string {
  return names.propertyOf(column);
}

type Tables = Readonly<Record<string, AnyTable>>;

/**
 * Kysely over a service's tables: `queryBuilder<typeof entities>()`. It only builds queries; a
 * transaction runs them. The entities are needed as types alone.
 */
export function queryBuilder<Entities extends Tables>(): Kysely<
  InferKyselyDB<Entities[keyof Entities], { columnNamingStrategy: 'property' }>
> {
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new Compiler(),
    },
    plugins: [names],
  });
}
