import type { ExecutionResult } from 'graphql';
import type { GraphqlContext } from './ask.ts';
import { createDocuments, type Documents, type Ready } from './documents.ts';
import { type Ask, createFederation, type Federation } from './federation.ts';
import { createPassThrough } from './pass-through.ts';

/** The graph that is served now. */
export type Graph = {
  readonly schema: Federation<GraphqlContext>['schema'];
  readonly supergraphSdl: string;
  readonly documents: Documents;
  execute(ready: Ready, source: string, variables: Readonly<Record<string, unknown>>, context: GraphqlContext): Promise<ExecutionResult>;
  /** Serves another graph; throws and changes nothing when it is none. */
  update(supergraphSdl: string): void;
  close(): Promise<void>;
};

export type GraphOptions = {
  readonly supergraphSdl: string;
  readonly ask: Ask<GraphqlContext>;
  readonly hasIntrospection: boolean;
  /** False: every document is planned. For the tests that hold one way against the other. */
  readonly passesThrough?: boolean;
  readonly logger: Parameters<typeof createFederation>[2];
};

export async function createGraph({ supergraphSdl, ask, hasIntrospection, passesThrough = true, logger }: GraphOptions): Promise<Graph> {
  const federation = await createFederation(supergraphSdl, ask, logger);
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
