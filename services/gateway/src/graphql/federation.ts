/**
 * The only file that imports @apollo/gateway and @apollo/composition. They are under the Elastic
 * License 2.0: to do without them, replace this file.
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
import { allowNullAtBoundaries } from './boundaries.ts';

export type SubgraphSdl = { readonly name: string; readonly sdl: string };
export type Composition = { readonly supergraphSdl: string } | { readonly faults: readonly string[] };

/**
 * Composes one graph of several schemas. It takes a good part of a second: a running gateway does
 * it in a worker.
 */
export function compose(subgraphs: readonly SubgraphSdl[]): Composition {
  const parts = [...subgraphs]
    .sort((left, right) => left.name.localeCompare(right.name))
    .map(({ name, sdl }) => ({ name, document: parse(sdl) }));
  const services = allowNullAtBoundaries(parts).map(({ name, document }) => ({ name, url: `http://${name}`, typeDefs: document }));
  const { supergraphSdl, errors } = composeServices(services);
  return supergraphSdl === undefined ? { faults: errors?.map(({ message }) => message) ?? ['no supergraph'] } : { supergraphSdl };
}

export type SubgraphRequest<Context> = {
  readonly service: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
};
export type SubgraphResponse = { readonly data?: Record<string, unknown> | null; readonly errors?: readonly GraphQLFormattedError[] };

/**
 * Sends one fetch of a plan. Never throws: a failure comes back as errors at the fields that stay
 * empty.
 */
export type FetchSubgraph<Context> = (request: SubgraphRequest<Context>) => Promise<SubgraphResponse>;

export type PlannedOperation<Context> = {
  /** The same for the same document text and operation. */
  readonly key: string;
  readonly source: string;
  /**
   * With this one operation, so that the request needs no name: the framework hashes names for each
   * request.
   */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: Context;
};

export type Federation<Context> = {
  /** The schema that clients see. */
  readonly schema: GraphQLSchema;
  readonly supergraphSdl: string;
  execute(operation: PlannedOperation<Context>): Promise<ExecutionResult>;
  /** Serves another graph. Throws and keeps the current one if the text is no supergraph. */
  update(supergraphSdl: string): void;
  close(): Promise<void>;
};

type Log = { debug(message?: string): void; info(message?: string): void; warn(message?: string): void; error(message?: string): void };

export async function createFederation<Context extends object>(
  supergraphSdl: string,
  fetchSubgraph: FetchSubgraph<Context>,
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
        const response = await fetchSubgraph({
          service: name,
          query: request.query ?? '',
          variables: request.variables ?? {},
          context: context as Context,
        });
        return { ...response };
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
        request: { query: source, variables: { ...variables } },
        source,
        document,
        operation,
        context,
        operationName: operation.name?.value ?? null,
        queryHash: key,
        schema: current.schema,
        logger,
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
