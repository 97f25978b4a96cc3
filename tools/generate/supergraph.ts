import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publishedSdl, supergraphOf } from '../../services/gateway/src/generate.ts';
import { databaseServices } from '../stack/services.ts';
import type { Step } from './main.ts';

/** The composed graph, from the schema.graphql of every service. */
export const supergraph: Step = {
  name: 'supergraph',
  make: async (root) => {
    const read = databaseServices.map(async (name) => {
      const schema = await readFile(join(root, 'services', name, 'schema.graphql'), 'utf8').catch(() => undefined);
      return schema === undefined ? [] : [{ name, sdl: publishedSdl(schema) }];
    });
    return [{ path: 'services/gateway/supergraph.graphql', content: supergraphOf((await Promise.all(read)).flat()) }];
  },
};
