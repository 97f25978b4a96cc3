import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientSchemaOf, publishedSdl, supergraphOf } from '../../services/gateway/src/generate.ts';
import { databaseServices } from '../services.ts';
import type { Step } from './step.ts';

/** The composed graph, from the schema.graphql of every service. */
export const supergraph: Step = {
  name: 'supergraph',
  make: async (root) => {
    const folders = databaseServices.map((name) => ({ name, path: join(root, 'services', name, 'schema.graphql') }));
    const reads = folders.map(async ({ name, path }) => ({ name, sdl: publishedSdl(await readFile(path, 'utf8')) }));
    const subgraphs = await Promise.all(reads);
    const composed = supergraphOf(subgraphs);
    return [
      { path: 'services/gateway/generated/supergraph.graphql', content: composed },
      { path: 'services/gateway/generated/schema.graphql', content: await clientSchemaOf(composed) },
    ];
  },
};
