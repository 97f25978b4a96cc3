import type { ExecutionResult } from 'graphql';
import type { GraphqlContext } from './context.ts';
import { createDocuments, type Documents, type Ready } from './documents.ts';
import { createFederation, type Federation, type FetchSubgraph } from './federation.ts';
import { createPassThrough } from './pass-through.ts';

/** The graph that is served now, and its documents. */
export type Graph = {
  readonly schema: Federation<GraphqlContext>['schema'];
  readonly supergraphSdl: string;
  readonly documents: Documents;
  execute(ready: Ready, source: string, variables: Readonly<Record<string, unknown>>, context: GraphqlContext): Promise<ExecutionResult>;
  /** Serves another graph. Throws and changes nothing if the text is no supergraph. */
  update(supergraphSdl: string): void;
  close(): Promise<void>;
};

export type GraphOptions = {
  readonly supergraphSdl: string;
  readonly fetchSubgraph: FetchSubgraph<GraphqlContext>;
  readonly hasIntrospection: boolean;
  /** False: every document is planned. Tests compare both ways. */
  readonly passesThrough?: boolean;
  readonly logger: Parameters<typeof createFederation>[2];
};

export async function createGraph({
  supergraphSdl,
  fetchSubgraph,
  hasIntrospection,
  passesThrough = true,
  logger,
}: GraphOptions): Promise<Graph> {
  const federation = await createFederation(supergraphSdl, fetchSubgraph, logger);
  const documentsOf = (sdl: string): Documents =>
    createDocuments({ schema: federation.schema, passThrough: passesThrough ? createPassThrough(sdl) : () => undefined, hasIntrospection });
  let documents = documentsOf(supergraphSdl);
  return {
    get schema() {
      return federation.schema;
    },
    get supergraphSdl() {
      return federation.supergraphSdl;
    },
    get documents() {
      return documents;
    },
    execute: ({ key, document, operation }, source, variables, context) =>
      federation.execute({ key, source, document, operation, variables, context }),
    update: (sdl) => {
      federation.update(sdl);
      documents = documentsOf(sdl);
    },
    close: () => federation.close(),
  };
}
