import { defineOperation, type Operation, type Row, type Runtime } from '@tessera/kernel/operation';
import { bindGraphql, relationField, sharedSdl } from '@tessera/server/graphql';
import { answerErrors } from '@tessera/server/rest';
import Fastify, { type FastifyInstance } from 'fastify';
import { type GraphQLSchema, isObjectType, Kind, parse, print, printSchema } from 'graphql';
import Type from 'typebox';
import { stepsOf } from './cycles.ts';

/** How often a relation was loaded. */
export type EndlessDeps = { loads: number; readonly loadMs?: number };

const declare = defineOperation<EndlessDeps>();

/** A query without arguments of its own. It returns one row. */
function queryOf(field: string): Operation<EndlessDeps> {
  return declare({
    name: field,
    summary: 'Returns one row',
    kind: 'query',
    input: Type.Unknown(),
    output: Type.Unknown(),
    access: { open: 'a test' },
    scopes: 'none',
    verification: { exempt: 'a test' },
    isolation: { none: 'a test' },
    errors: [],
    audit: { none: 'a test' },
    events: [],
    rest: { none: 'a test' },
    graphql: { field, type: 'Endless' },
    handle: async () => ({ id: field }),
  });
}

function children({ id }: Row, count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({ id: `${String(id)}.${index}` }));
}

/**
 * One service with the whole schema of the gateway. Every list has the same number of rows, and no
 * row occurs twice.
 */
export async function createEndlessService(schema: GraphQLSchema, rows: number, deps: EndlessDeps): Promise<FastifyInstance> {
  const types = Object.fromEntries(
    Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter(({ name }) => !['Query', 'Mutation'].includes(name) && !name.startsWith('__'))
      .map((type) => [type.name, fieldsOf(type.name, stepsOf(type), rows)]),
  );
  const operations = Object.keys(schema.getQueryType()?.getFields() ?? {}).map(queryOf);
  const app = Fastify();
  const logger = { error: () => undefined, warn: () => undefined };
  answerErrors(app, { logger, showStack: false });
  const unused = { database: undefined, authorizer: undefined, verifyToken: undefined, deliver: undefined };
  const runtime = { service: 'endless', deps, clock: () => new Date(), logger, ...unused } as unknown as Runtime<EndlessDeps>;
  bindGraphql(app, { sdl: ownSdl(schema), operations, types }, runtime);
  await app.ready();
  return app;
}

function fieldsOf(type: string, steps: ReturnType<typeof stepsOf>, count: number) {
  return Object.fromEntries(
    steps
      .filter(({ to }) => to.name !== 'EntityScope')
      .map(({ field, isList }) => {
        const load = async (rows: readonly Row[], { deps }: { readonly deps: EndlessDeps }) => {
          deps.loads += 1;
          if (deps.loadMs !== undefined) await new Promise((resolve) => setTimeout(resolve, deps.loadMs));
          return rows.map((row) => (isList ? children(row, count) : { id: `${String(row.id)}.` }));
        };
        return [field, relationField<EndlessDeps>(`${type}.${field}`, { permission: { none: 'a test' }, load })];
      }),
  );
}

/** The schema without mutations, and without what the kernel adds to each subgraph. */
function ownSdl(schema: GraphQLSchema): string {
  const shared = new Set(parse(sharedSdl).definitions.flatMap((node) => ('name' in node && node.name ? [node.name.value] : [])));
  const own = parse(printSchema(schema)).definitions.filter(
    (node) =>
      node.kind !== Kind.SCHEMA_DEFINITION &&
      node.kind !== Kind.DIRECTIVE_DEFINITION &&
      !('name' in node && node.name && (shared.has(node.name.value) || node.name.value === 'Mutation')),
  );
  return own.map(print).join('\n');
}
