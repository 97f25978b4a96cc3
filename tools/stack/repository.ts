import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../services.ts';

export const repositoryFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Entry points of a service: `main.ts` serves, `migrate.ts` migrates its schema. The tools' own
 * tests replace the services through TESSERA_SERVICES_FOLDER.
 */
export function serviceScript(service: Service, script: 'main.ts' | 'migrate.ts'): string {
  const path = join(process.env.TESSERA_SERVICES_FOLDER ?? join(repositoryFolder, 'services'), service, 'src', script);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  return path;
}
