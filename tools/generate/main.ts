/**
 * `npm run generate` writes all generated files; `--check` writes nothing and fails when one would
 * change. A step returns paths from the repository's root and their content.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { operationLists } from './operation-lists.ts';
import type { Step } from './step.ts';

const root = resolve(import.meta.dirname, '../..');
const checkOnly = process.argv.includes('--check');
const stale: string[] = [];

async function renew(step: Step): Promise<void> {
  for (const { path, content } of await step.make(root)) {
    const file = join(root, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === content) continue;
    stale.push(`${step.name}: ${path}`);
    if (checkOnly) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

await renew(operationLists);
// They import the lists, so only now.
const { steps } = await import('./steps.ts');
for (const step of steps) await renew(step);

for (const line of stale) console.log(`${checkOnly ? 'stale' : 'wrote'}  ${line}`);
if (checkOnly && stale.length > 0) {
  console.error('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}
