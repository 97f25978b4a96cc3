/** Whether a test that a document names exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../tools/stack/repository.ts';

/** The names of the tests of a file. One that is composed at run time fits by its fixed parts. */
export function namesIn(source: string): RegExp[] {
  const calls = source.matchAll(/\btest(?:Unless\([^)]*\)|\.each\([^;]*?\))?\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g);
  return [...calls].map(([, plain, composed]) => {
    const parts = composed === undefined ? [plain ?? ''] : composed.split(/\$\{[^}]*\}/);
    return new RegExp(`^${parts.map((part) => part.replaceAll("\\'", "'").replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`);
  });
}

/** Files without a folder are in the given one. */
export function hasTestIn(folder: string) {
  return ({ file, name }: { readonly file: string; readonly name: string }): boolean => {
    const path = join(repositoryFolder, file.includes('/') ? file : join(folder, file));
    return existsSync(path) && namesIn(readFileSync(path, 'utf8')).some((known) => known.test(name));
  };
}
