import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

const folders = ['kernel', 'services', 'packages', 'proto', 'tools', 'test'];

/** The test files of the repository, or those at or below the given paths; `*.deep.test.ts` only when asked for or named. */
export function discover(paths: readonly string[], deep: boolean): readonly string[] {
  const files =
    paths.length === 0 ? folders.flatMap((folder) => below(join(repositoryFolder, folder))) : paths.flatMap((path) => at(resolve(path)));
  const named = new Set(paths.map((path) => resolve(path)));
  return [...new Set(files)].filter((file) => deep || named.has(file) || !file.endsWith('.deep.test.ts')).sort();
}

function at(path: string): readonly string[] {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  return statSync(path).isFile() ? [path] : below(path);
}

function below(folder: string): readonly string[] {
  const found = globSync('**/*.test.ts', { cwd: folder, exclude: (name) => name === 'node_modules' });
  return found.map((file) => join(folder, file));
}

export function shortName(file: string) {
  return relative(repositoryFolder, file);
}

/** System tests talk to a whole stack: those under test/ that open it. */
export function usesSharedStack(file: string) {
  return shortName(file).startsWith('test/') && /\b(openStack|sharedStack)\b/.test(readFileSync(file, 'utf8'));
}
