import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clientSchemaOf, publishedSdl, supergraphOf } from '../../services/gateway/src/generate.ts';
import { databaseServices } from '../stack/services.ts';
import type { Step } from './step.ts';

/** The composed graph, from the schema.graphql of every service. */
export const supergraph: Step = {
  name: 'supergraph',
  make: async (root) => {
    const folders = databaseServices.map((name) => ({ name, path: join(root, 'services', name, 'schema.graphql') }));
    const reads = folders.map(async ({ name, path }) => ({ name, sdl: publishedSdl(await readFile(path, 'utf8')) }));
    const subgraphs = await Promise.all(reads);
    const composed = supergraphOf(subgraphs);
    const clientSchema = await clientSchemaOf(composed);
    return [
      { path: 'services/gateway/generated/supergraph.graphql', content: composed },
      { path: 'services/gateway/generated/schema.graphql', content: clientSchema },
      {
        path: 'services/gateway/generated/rbac.proto',
        content: await readFile(join(root, 'proto', 'rbac', 'v1', 'authorization.proto'), 'utf8'),
      },
      { path: 'docs/schema.graphql', content: clientSchema },
      // With what the kernel adds to each schema.graphql, so that other tools can compose them.
      ...subgraphs.map(({ name, sdl }) => ({ path: `docs/subgraphs/${name}.graphql`, content: `${sdl.trim()}\n` })),
    ];
  },
};
