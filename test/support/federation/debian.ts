/** Products of Debian that the tests start: installed where this process may, else named. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const options = { stdio: 'ignore', timeout: 300_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;

export function hasFiles(...files: readonly string[]): boolean {
  return files.every((file) => existsSync(file));
}

/**
 * False when it is there; else why the tests are skipped. Only root may install, as
 * `.ci/run` does.
 */
export function lacking(product: string, isThere: () => boolean, packages: readonly string[]): string | false {
  if (isThere()) return false;
  if (process.getuid?.() === 0) spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  return isThere() ? false : `NOT RUN with ${product}: apt-get install --no-install-recommends ${packages.join(' ')}`;
}
