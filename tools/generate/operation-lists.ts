/**
 * operations/index.ts of every service: what each file below operations/ declares. `npm run
 * generate` writes it before it imports anything that reads it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseServices } from '../services.ts';
import type { GeneratedFile, Step } from './step.ts';

const declared = /^export const (\w+) = operation\(/gm;

/** `create-key` before `create-key-secret`. */
function stemOf(file: string): string {
  return file.slice(0, -'.ts'.length);
}

function listOf(root: string, service: string): GeneratedFile {
  const folder = `services/${service}/src/operations`;
  const files = globSync('*/**/*.ts', { cwd: join(root, folder) }).filter((file) => !file.endsWith('.test.ts'));
  const entries = files
    .toSorted((left, right) => (stemOf(left) < stemOf(right) ? -1 : 1))
    .flatMap((file) => {
      const names = [...readFileSync(join(root, folder, file), 'utf8').matchAll(declared)].map(([, name = '']) => name);
      return names.length === 0 ? [] : [{ file, names }];
    });
  const imports = entries.map(({ file, names }) => `import { ${names.join(', ')} } from './${file}';`);
  const names = entries.flatMap((entry) => entry.names);
  const head = '// Written by `npm run generate`: every file of this folder that declares an operation.';
  const list = `/** Everything that ${service} does for clients. */\nexport const operations = [\n${names.map((name) => `  ${name},\n`).join('')}];\n`;
  return { path: `${folder}/index.ts`, content: `${head}\n${imports.join('\n')}\n\n${list}` };
}

export const operationLists: Step = {
  name: 'lists of operations',
  make: async (root) => databaseServices.map((service) => listOf(root, service)),
};
