import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const SERVICES = ['identity', 'tenancy', 'rbac', 'keys'] as const;

/** A module of this repository, by its path from the root. */
export async function load(root: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(join(root, path)).href);
}
