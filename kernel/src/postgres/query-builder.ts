import type { InferKyselyDB } from '@mikro-orm/sql';
import { CamelCasePlugin, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { AnyTable } from './entity.ts';

export class Parameter {
  constructor(name: string) {
    this.name = name;
  }

  readonly name: string;
}

/** One placeholder per parameter, so that Postgres infers its type from all its uses. */
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

/** `createdAt` in a query is the column `created_at`, and comes back as `createdAt`. */
class Names extends CamelCasePlugin {
  override camelCase(column: string): string {
    return super.camelCase(column);
  }
}

export const names = new Names();

/** Only builds queries, over a service's tables, whose entities it needs as types alone. */
export function queryBuilder<Entities extends Readonly<Record<string, AnyTable>>>(): Kysely<
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
