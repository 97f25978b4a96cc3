/**
 * `npm run generate` writes all generated files; `--check` writes nothing and fails when one would
 * change. A step returns paths from the repository's root and their content.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { auditActions } from './audit-actions.ts';
import { cli } from './cli.ts';
import { client } from './client.ts';
import { conformance } from './conformance.ts';
import { mailLayout } from './mail-layout.ts';
import { openApi } from './openapi.ts';
import { protoTypes } from './proto-types.ts';
import { references } from './references.ts';
import type { Step } from './step.ts';
import { supergraph } from './supergraph.ts';

const steps: readonly Step[] = [protoTypes, auditActions, supergraph, openApi, client, mailLayout, references, cli, conformance];

const root = resolve(import.meta.dirname, '../..');
const checkOnly = process.argv.includes('--check');
const stale: string[] = [];

for (const step of steps) {
  for (const { path, content } of await step.make(root)) {
    const file = join(root, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === content) continue;
    stale.push(`${step.name}: ${path}`);
    if (checkOnly) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

for (const line of stale) console.log(`${checkOnly ? 'stale' : 'wrote'}  ${line}`);
if (checkOnly && stale.length > 0) {
  console.error('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}
