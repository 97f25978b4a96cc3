/** The last release, as CHANGELOG.md and git know it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

export type Release = { readonly version: string; readonly commit: string };

/** The newest version in CHANGELOG.md that has a commit. */
export function lastRelease(text = readFileSync(join(repositoryFolder, 'CHANGELOG.md'), 'utf8')): Release {
  const [, version, commit] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d\n\nCommit `([0-9a-f]{40})`/m.exec(text) ?? [];
  if (version === undefined || commit === undefined) throw new Error('CHANGELOG.md names no release with its commit');
  return { version, commit };
}

export function git(...words: readonly string[]): string {
  return execFileSync('git', words, {
    cwd: repositoryFolder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Why the code of the release cannot be read here, or false. */
export function historyUnless({ version, commit }: Release): string | false {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repositoryFolder });
  return status !== 0 && `NOT RUN: this clone has no history as far as ${version}`;
}
