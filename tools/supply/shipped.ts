import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Package {
  readonly name: string;
  readonly version: string;
  /** Below the repository's folder. */
  readonly path: string;
}

/**
 * What the image and the packages contain: the dependencies of every workspace, and theirs. `npm
 * sbom --omit dev` leaves out what the root also needs for development.
 */
export function shippedPackages(): readonly Package[] {
  const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(repositoryFolder, 'package-lock.json'), 'utf8'),
  );
  const workspaces = Object.entries(packages).flatMap(([path, { link, resolved }]) =>
    link === true && path.startsWith('node_modules/@tessera/') ? [resolved ?? ''] : [],
  );
  const seen = new Set<string>();
  const waiting = [...workspaces];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = resolve(packages, path, name);
      if (found !== undefined) waiting.push(found);
    }
  }
  return [...seen]
    .filter((path) => path.includes('node_modules/'))
    .map((path) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: packages[path]?.version ?? '',
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.path.localeCompare(other.path));
}

/** As Node does: in the package's own folder, then in those above it. */
function resolve(packages: Readonly<Record<string, Locked>>, from: string, name: string): string | undefined {
  const parts = from.split('/node_modules/');
  const folders = parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/node_modules/')}/`);
  for (const folder of [...folders, '']) {
    const path = `${folder}node_modules/${name}`;
    const found = packages[path];
    if (found !== undefined) return found.link === true ? found.resolved : path;
  }
  return undefined;
}
