/** What the stages of deploy/Dockerfile build and run has all files that it imports. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';
import { parseDockerfile } from './dockerfile.ts';

/** What stays when the types are gone: static imports, exports from, and import(). */
const specifiers = /(?:^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\bfrom\s+)?|\bimport\s*\(\s*)'(\.{1,2}\/[^']+)'/gm;

function importedBy(file: string): readonly string[] {
  const text = readFileSync(join(repositoryFolder, file), 'utf8');
  const paths = [...text.matchAll(specifiers)].map(([, specifier = '']) => join(dirname(file), specifier.replace(/\?.*$/, '')));
  return paths.filter((path) => existsSync(join(repositoryFolder, path)));
}

/** Finds the database of `npm start`, which the image does not have. */
const outside = 'tools/platform/embedded.ts';

function reachedFrom(entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const file of reached)
    if (/\.(?:tsx?|mjs)$/.test(file)) for (const path of importedBy(file)) if (path !== outside) reached.add(path);
  return reached;
}

function copiedInto(stage: string): readonly string[] {
  const stages = parseDockerfile(readFileSync(join(repositoryFolder, 'deploy', 'Dockerfile'), 'utf8'));
  const instructions = stages.find(({ name }) => name === stage)?.instructions ?? [];
  return instructions.flatMap((each) => (each.kind === 'COPY' && each.from === undefined ? each.sources : []));
}

function missingFrom(copied: readonly string[], entries: readonly string[]): readonly string[] {
  const isCopied = (file: string) => copied.some((source) => file === source || file.startsWith(`${source}/`));
  return [...reachedFrom(entries)].filter((file) => !isCopied(file));
}

const pages = globSync('web/src/**/*.{ts,tsx}', { cwd: repositoryFolder, exclude: ['**/*.test.*'] });
const programs = [
  ...globSync('services/*/src/main.ts', { cwd: repositoryFolder }),
  ...['migrate', 'doctor', 'platform'].map((name) => `tools/${name}/main.ts`),
];

test('the image builds the pages from all that they import', () => {
  expect(reachedFrom(pages).size).toBeGreaterThan(300);
  expect(missingFrom(copiedInto('web'), pages)).toStrictEqual([]);
});

test('the image has all that its services and jobs import', () => {
  expect(programs.length).toBeGreaterThan(7);
  expect(missingFrom(copiedInto(''), programs)).toStrictEqual([]);
});

test('a file that a stage lacks is named', () => {
  const copied = copiedInto('web').filter((source) => source !== 'proto/generated');
  expect(missingFrom(copied, pages)).toStrictEqual(['proto/generated/audit-actions.ts', 'proto/generated/built-in-roles.ts']);
});
