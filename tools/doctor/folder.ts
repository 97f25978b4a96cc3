import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { about, type Finding, reasonOf } from '../../packages/cli/src/doctor/finding.ts';

interface Settings {
  readonly DATA_DIR: string;
  readonly EMAIL_PROVIDER: string;
  readonly STORAGE_PROVIDER: string;
}

/**
 * Whether identity can write where it keeps mails and pictures. Identity makes missing folders, so
 * the check looks at the nearest parent that exists.
 */
export function checkDataFolder({ DATA_DIR, EMAIL_PROVIDER, STORAGE_PROVIDER }: Settings): Finding[] {
  const { ok, error } = about('folder', 'identity');
  const contents = [...(EMAIL_PROVIDER === 'outbox' ? ['mails'] : []), ...(STORAGE_PROVIDER === 'local' ? ['pictures'] : [])].join(' and ');
  if (contents === '') return [];
  try {
    const folder = nearestFolder(resolve(DATA_DIR));
    accessSync(folder, constants.W_OK | constants.X_OK);
    return [ok(`DATA_DIR can be written, for ${contents}`)];
  } catch (thrown) {
    return [error(`DATA_DIR can not be written, and ${contents} go there: ${reasonOf(thrown)}`)];
  }
}

function nearestFolder(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return nearestFolder(dirname(path));
  if (!stats.isDirectory()) throw new Error(`${path} is no folder`);
  return path;
}
