import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/**
 * Platform packages that are missing in the lockfile; `npm ci` fails without them on some platform.
 */
export function missingFromLockfile(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8')) as Lockfile;
  const names = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)));
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${name}, which ${path || 'package.json'} names, is not in package-lock.json`),
  );
}
