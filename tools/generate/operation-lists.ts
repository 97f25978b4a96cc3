/**
 * operations/index.ts of every service: what each file below operations/ declares, or below the
 * operations/ of its rooms. `npm run generate` writes it before it imports anything that reads it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { databaseServices } from '../services.ts';
import type { GeneratedFile, Step } from './step.ts';

const declared = /^export const (\w+) = operation\(/gm;

/** `create-key` before `create-key-secret`. */
function stemOf(file: string): string {
  return file.slice(0, -'.ts'.length);
}

function listOf(root: string, service: string): GeneratedFile {
  const source = `services/${service}/src`;
  const list = 'operations/index.ts';
  const files = globSync('{operations,*/operations}/**/*.ts', { cwd: join(root, source) }).filter(
    (file) => file !== list && !file.endsWith('.test.ts'),
  );
  const entries = files
    .toSorted((left, right) => (stemOf(left) < stemOf(right) ? -1 : 1))
    .flatMap((file) => {
      const names = [...readFileSync(join(root, source, file), 'utf8').matchAll(declared)].map(([, name = '']) => name);
      const path = relative('operations', file);
      return names.length === 0 ? [] : [{ path: path.startsWith('.') ? path : `./${path}`, names }];
    });
  const imports = entries.map(({ path, names }) => `import { ${names.join(', ')} } from '${path}';`);
  const names = entries.flatMap((entry) => entry.names);
  const head = '// Written by `npm run generate`: every file of an operations/ folder that declares an operation.';
  const text = `/** Everything that ${service} does for clients. */\nexport const operations = [\n${names.map((name) => `  ${name},\n`).join('')}];\n`;
  return { path: `${source}/${list}`, content: `${head}\n${imports.join('\n')}\n\n${text}` };
}

export const operationLists: Step = {
  name: 'lists of operations',
  make: async (root) => databaseServices.map((service) => listOf(root, service)),
};
