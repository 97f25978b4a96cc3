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
  GraphQLError,
  type GraphQLFormattedError,
  GraphQLSchema,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { openBorders } from './borders.ts';
import { createPlains, type Plain, plainOf } from './plains.ts';
import { runPlan } from './run-plan.ts';

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
  let plains = createPlains();
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
    __exposeQueryPlanExperimental: false,
    experimental_didResolveQueryPlan: ({ queryPlan, requestContext: { queryHash, document, operation } }) => {
      const plain = plainOf(queryPlan.node, current.schema, { document, operation });
      if (plain) plains.set(queryHash, plain);
    },
  });
  gateway.onSchemaLoadOrUpdate(({ apiSchema, coreSupergraphSdl }) => {
    current = { schema: apiSchema, supergraphSdl: coreSupergraphSdl };
    plains = createPlains();
  });
  const { executor } = await gateway.load();
  return {
    get schema() {
      return current.schema;
    },
    get supergraphSdl() {
      return current.supergraphSdl;
    },
    execute: async ({ key, source, document, operation, variables, context }) => {
      const plain = plains.get(key);
      if (plain !== undefined) return executePlain(plain, variables, (request) => ask({ ...request, context }));
      return executor({
        request: { query: source, variables: { ...variables } },
        logger,
        schema: current.schema,
        context,
        queryHash: key,
        document,
        source,
        operationName: operation.name?.value ?? null,
        operation,
        metrics: {},
        ...unused,
      });
    },
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

async function executePlain(
  { plan, shape }: Plain,
  variables: Readonly<Record<string, unknown>>,
  ask: (request: Omit<SubgraphRequest<never>, 'context'>) => Promise<SubgraphAnswer>,
): Promise<ExecutionResult> {
  const { data, errors } = await runPlan(plan, {
    variables,
    ask: (service, query, given) => ask({ service, query, variables: given }),
  });
  const shown = shape(data);
  if (errors.length === 0) return { data: shown };
  const raised = errors.map(
    ({ message, path, extensions }) => new GraphQLError(message, { path: path ?? null, extensions: extensions ?? null }),
  );
  return { data: shown, errors: raised };
}

// Asked for by the types, read by no code path that is used here.
const unused = { cache: undefined as never, schemaHash: '' as never, overallCachePolicy: undefined };
