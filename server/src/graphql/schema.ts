import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import type { GraphQLResolverMap } from '@apollo/subgraph/dist/schema-helper/resolverMap.js';
import { type Operation, type Row, rowScope, run } from '@tessera/kernel/operation';
import { type DocumentNode, type FieldDefinitionNode, type GraphQLSchema, Kind, parse } from 'graphql';
import { type EntityLoader, type FieldResolver, type GraphqlContext, referenceResolver } from './context.ts';
import { withoutIdleNulls } from './input.ts';
import { scalars } from './scalars.ts';

/** Definitions that all subgraphs share; the composed graph contains each once. */
export const sharedSdl = readFileSync(new URL('./shared.graphql', import.meta.url), 'utf8');

/** A service's types, written by hand, and its operations, which `npm run generate` writes. */
export function readSdl(service: URL): string {
  const read = (file: string) => readFileSync(new URL(file, service), 'utf8');
  return `${read('schema.graphql')}\n${read('generated/operations.graphql')}`;
}

export type Subgraph<Deps> = {
  readonly sdl: string;
  readonly operations: readonly Operation<Deps>[];
  readonly types?: Readonly<Record<string, Readonly<Record<string, FieldResolver<Deps>>>>>;
  readonly entities?: Readonly<Record<string, EntityLoader<Deps>>>;
};

const ROOTS = { query: 'Query', mutation: 'Mutation' } as const;

type RootResolver<Deps> = (root: unknown, args: { input?: unknown }, context: GraphqlContext<Deps>) => Promise<unknown>;

function rootResolver<Deps>(operation: Operation<Deps>, items: string | undefined): RootResolver<Deps> {
  return async (_root, { input }, { runtime, facts, effects, budget }) => {
    const { ifMatch, idempotencyKey, ...given } = Object(input);
    budget.read(given);
    const request = { ...facts, ifMatch: ifMatch ?? undefined, idempotencyKey: idempotencyKey ?? undefined };
    const { output } = await run(runtime, operation, () => withoutIdleNulls(operation.input, given), request, effects);
    if (items === undefined || typeof output !== 'object' || output === null || !('items' in output)) return output;
    return { ...output, [items]: output.items };
  };
}

function objectTypes({ definitions }: DocumentNode) {
  return definitions.filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION);
}

function fieldsOf(document: DocumentNode, typeName: string): readonly string[] {
  const named = objectTypes(document).filter(({ name }) => name.value === typeName);
  return named.flatMap(({ fields = [] }) => fields.map(({ name }) => name.value));
}

/** Types with a `scope` field: the row's own, or the scope in which the pipeline read the row. */
function scopedTypes(document: DocumentNode): readonly string[] {
  const isScope = ({ name, type }: FieldDefinitionNode): boolean =>
    name.value === 'scope' && type.kind === Kind.NAMED_TYPE && type.name.value === 'EntityScope';
  return objectTypes(document).flatMap(({ name, fields = [] }) => (fields.some(isScope) ? [name.value] : []));
}

const scopeResolver = { scope: (row: Row) => row.scope ?? rowScope(row) };

/** Compares both ways: @apollo/subgraph answers null for a field without a resolver. */
function assertBound<Deps>(document: DocumentNode, { operations, types = {} }: Subgraph<Deps>): void {
  const faults: string[] = [];
  for (const kind of ['query', 'mutation'] as const) {
    const declared = fieldsOf(document, ROOTS[kind]);
    const bound = operations.flatMap(({ graphql, kind: own }) => ('field' in graphql && own === kind ? [graphql.field] : []));
    faults.push(...declared.filter((field) => !bound.includes(field)).map((field) => `${ROOTS[kind]}.${field} has no operation`));
    faults.push(...bound.filter((field) => !declared.includes(field)).map((field) => `operation ${field} has no field in ${ROOTS[kind]}`));
    faults.push(...bound.filter((field, place) => bound.indexOf(field) !== place).map((field) => `two operations are bound to ${field}`));
  }
  for (const [type, fields] of Object.entries(types)) {
    const declared = fieldsOf(document, type);
    faults.push(
      ...Object.keys(fields)
        .filter((field) => !declared.includes(field))
        .map((field) => `resolver ${type}.${field} has no field`),
    );
  }
  if (faults.length > 0) throw new Error(`The GraphQL schema and the operations disagree:\n  ${faults.join('\n  ')}`);
}

export function buildSubgraph<Deps>(subgraph: Subgraph<Deps>): GraphQLSchema {
  const document = parse(`${sharedSdl}\n${subgraph.sdl}`);
  assertBound(document, subgraph);
  const roots: Record<string, Record<string, RootResolver<Deps>>> = {};
  for (const operation of subgraph.operations) {
    if (!('field' in operation.graphql)) continue;
    const root = ROOTS[operation.kind];
    roots[root] = { ...roots[root], [operation.graphql.field]: rootResolver(operation, operation.graphql.items) };
  }
  const references = Object.entries(subgraph.entities ?? {}).map(
    ([type, load]) => [type, { __resolveReference: referenceResolver(type, load) }] as const,
  );
  const resolvers: Record<string, object> = { ...scalars, ...roots };
  const scoped = scopedTypes(document).map((type) => [type, scopeResolver] as const);
  for (const [type, fields] of [...scoped, ...Object.entries(subgraph.types ?? {}), ...references])
    resolvers[type] = { ...resolvers[type], ...fields };
  // The library's type fixes another context; FieldResolver and RootResolver above check ours.
  return buildSubgraphSchema({ typeDefs: document, resolvers: resolvers as GraphQLResolverMap<unknown> });
}
