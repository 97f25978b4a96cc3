/** The gateway's part of `npm run generate`. A running gateway uses none of it. */
import { buildSubgraphSchema } from '@apollo/subgraph';
import { sharedSdl } from '@tessera/server/graphql';
import { graphqlSync, parse, printSchema } from 'graphql';
import { compose, createFederation, type SubgraphSdl } from './graphql/federation.ts';
import { withSources } from './graphql/sources.ts';

/** The response of a service to `{ _service { sdl } }`, made from its schema.graphql. */
export function publishedSdl(schemaFile: string): string {
  const schema = buildSubgraphSchema({ typeDefs: parse(`${sharedSdl}\n${schemaFile}`) });
  const { data } = graphqlSync({ schema, source: '{ _service { sdl } }' });
  const service: unknown = data?.['_service'];
  if (typeof service !== 'object' || service === null || !('sdl' in service) || typeof service.sdl !== 'string') throw new Error('no SDL');
  return service.sdl;
}

/** The supergraph of these schemas. Throws with every fault if they do not compose. */
export function supergraphOf(subgraphs: readonly SubgraphSdl[]): string {
  const composition = compose(subgraphs);
  if ('faults' in composition) throw new Error(`The schemas do not compose:\n  ${composition.faults.join('\n  ')}`);
  return withSources(composition.supergraphSdl, subgraphs);
}

/** The schema that clients see, for their tools: production has no introspection. */
export async function clientSchemaOf(supergraphSdl: string): Promise<string> {
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const federation = await createFederation(supergraphSdl, async () => ({}), log);
  const schema = printSchema(federation.schema);
  await federation.close();
  return `${schema}\n`;
}
