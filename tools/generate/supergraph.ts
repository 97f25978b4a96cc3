import { clientSchemaOf, publishedSdl, supergraphOf } from '../../services/gateway/src/generate.ts';
import { databaseServices } from '../services.ts';
import { subgraphOf } from './graphql-operations.ts';
import type { Step } from './step.ts';

/** The composed graph, from the schemas of all services. */
export const supergraph: Step = {
  name: 'supergraph',
  make: async (root) => {
    const publish = async (name: string) => {
      const { types, operations } = await subgraphOf(root, name);
      return { name, sdl: publishedSdl(`${types}\n${operations}`) };
    };
    const composed = supergraphOf(await Promise.all(databaseServices.map(publish)));
    return [
      { path: 'services/gateway/generated/supergraph.graphql', content: composed },
      { path: 'services/gateway/generated/schema.graphql', content: await clientSchemaOf(composed) },
    ];
  },
};
