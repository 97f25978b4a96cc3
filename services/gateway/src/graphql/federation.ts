/**
 * The only file that touches @apollo/gateway and @apollo/composition, which are under the Elastic License 2.0:
 * whoever must not use them replaces this file.
 */
import './no-telemetry.ts';
import { composeServices } from '@apollo/composition';
import { ApolloGateway } from '@apollo/gateway';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFormattedError,
  GraphQLSchema,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { openBorders } from './borders.ts';

export type SubgraphSdl = { readonly name: string; readonly sdl: string };
export type Composition = { readonly supergraphSdl: string } | { readonly faults: readonly string[] };

/** One graph of many, or why there is none. Takes a good part of a second: a running gateway does it in a worker. */
export function compose(subgraphs: readonly SubgraphSdl[]): Composition {
  const parts = [...subgraphs]
    .sort((left, right) => left.name.localeCompare(right.name))
    .map(({ name, sdl }) => ({ name, document: parse(sdl) }));
  const services = openBorders(parts).map(({ name, document }) => ({ name, url: `http://${name}`, typeDefs: document }));
  const { supergraphSdl, errors } = composeServices(services);
  return supergraphSdl === undefined ? { faults: errors?.map(({ message }) => message) ?? ['no supergraph'] } : { supergraphSdl };
}

export type SubgraphRequest<Context> = {
  readonly service: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
};
export type SubgraphAnswer = { readonly data?: Record<string, unknown> | null; readonly errors?: readonly GraphQLFormattedError[] };

/** Asks a subgraph. Never throws: what fails comes back as errors at the fields that miss it. */
export type Ask<Context> = (request: SubgraphRequest<Context>) => Promise<SubgraphAnswer>;

export type PlannedOperation<Context> = {
  /** The same for the same document text and operation. */
  readonly key: string;
  readonly source: string;
  /** With one operation, so that it needs no name: names are hashed for each request. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
};

export type Federation<Context> = {
  /** What clients see of the graph now. */
  readonly schema: GraphQLSchema;
  readonly supergraphSdl: string;
  execute(operation: PlannedOperation<Context>): Promise<ExecutionResult>;
  /** Serves another graph from here on; throws, and keeps the one it has, when that one is none. */
  update(supergraphSdl: string): void;
  close(): Promise<void>;
};

type Log = { debug(message?: string): void; info(message?: string): void; warn(message?: string): void; error(message?: string): void };

export async function createFederation<Context extends object>(
  supergraphSdl: string,
  ask: Ask<Context>,
  logger: Log,
): Promise<Federation<Context>> {
  let update: ((sdl: string) => void) | undefined;
  let current = { schema: new GraphQLSchema({}), supergraphSdl };
  const gateway = new ApolloGateway({
    supergraphSdl: async (options) => {
      update = options.update;
      return { supergraphSdl };
    },
    buildService: ({ name }) => ({
      process: async ({ request, context }) => {
        const answer = await ask({
          service: name,
          query: request.query ?? '',
          variables: request.variables ?? {},
          context: context as Context,
        });
        return { ...answer };
      },
    }),
    logger,
  });
  gateway.onSchemaLoadOrUpdate(({ apiSchema, coreSupergraphSdl }) => {
    current = { schema: apiSchema, supergraphSdl: coreSupergraphSdl };
  });
  const { executor } = await gateway.load();
  return {
    get schema() {
      return current.schema;
    },
    get supergraphSdl() {
      return current.supergraphSdl;
    },
    execute: ({ key, source, document, operation, variables, context }) =>
      executor({
        ...{ request: { query: source, variables: { ...variables } }, source, document, operation, context },
        ...{ operationName: operation.name?.value ?? null, queryHash: key, schema: current.schema, logger },
        ...unused,
      }),
    update: (sdl) => {
      const { supergraphSdl: before } = current;
      try {
        update?.(sdl);
      } catch (error) {
        if (current.supergraphSdl !== before) update?.(before);
        throw error;
      }
    },
    close: () => gateway.stop(),
  };
}

type RequestContext = Parameters<ApolloGateway['executor']>[0];

/** The type of the framework asks for these; its executor reads none of them. */
const unused: Pick<RequestContext, 'cache' | 'metrics' | 'overallCachePolicy' | 'schemaHash'> = {
  cache: { get: async () => undefined, set: async () => undefined, delete: async () => undefined },
  metrics: {},
  overallCachePolicy: undefined,
  // A branded string that only the framework can make.
  schemaHash: '' as RequestContext['schemaHash'],
};
