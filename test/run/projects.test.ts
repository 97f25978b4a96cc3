import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';

interface Project {
  readonly displayName: string;
  readonly testMatch: readonly string[];
  readonly testPathIgnorePatterns: readonly string[];
}

// The word makes the configuration name the project of the long suites too. Another file of this
// worker may have loaded the configuration without it.
process.argv.push('deep');
const configuration = `${pathToFileURL(join(repositoryFolder, 'jest.config.mjs')).href}?deep`;
const { default: config }: { default: { readonly projects: readonly Project[] } } = await import(configuration);
process.argv.pop();

const find = (pattern: string) => globSync(pattern, { cwd: repositoryFolder, exclude: ['**/node_modules/**', '**/dist/**'] });

test('every test file belongs to one project: no project would leave it unrun, two would run it twice', () => {
  const owners = new Map(find('**/*.test.{ts,tsx}').map((file) => [file, [] as string[]]));
  for (const { displayName, testMatch, testPathIgnorePatterns } of config.projects) {
    const files = new Set(testMatch.flatMap((pattern) => find(pattern.replace('<rootDir>/', ''))));
    for (const file of files)
      if (!testPathIgnorePatterns.some((ignored) => new RegExp(ignored).test(`/${file}`))) owners.get(file)?.push(displayName);
  }
  expect(owners.size).toBeGreaterThan(300);
  expect([...owners].filter(([, names]) => names.length !== 1)).toStrictEqual([]);
});
