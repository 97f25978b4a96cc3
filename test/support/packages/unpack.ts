/** Packages as others get them: packed, and unpacked in an empty folder beside what they need. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { packPackage } from './pack.ts';

/**
 * Returns the folder; the dependencies of the packages, and `linked`, are links to the
 * repository's.
 */
export function unpackPackages(cleanup: AsyncDisposableStack, names: readonly string[], linked: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-packages-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) unpackPackage(folder, name, packPackage(name, folder));
  for (const name of linked) linkPackage(folder, name);
  return folder;
}

/** The name in a registry of a package in the folder packages. */
export function publishedName(folder: string): string {
  return folder.startsWith('create-') ? folder : `@tessera/${folder}`;
}

/** Unpacks one of our packages, and links what it needs. */
export function unpackPackage(folder: string, name: string, packed: string): void {
  const installed = join(folder, 'node_modules', publishedName(name));
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', packed, '-C', installed, '--strip-components=1']);
  const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const needed of Object.keys(dependencies).filter((each) => !each.startsWith('@tessera/'))) linkPackage(folder, needed);
}

export function linkPackage(folder: string, name: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  try {
    symlinkSync(join(repositoryFolder, 'node_modules', name), place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The ES modules of an unpacked package, compressed: what it adds to a deployment. */
export function compressedBytes(folder: string, name: string): number {
  const dist = join(folder, 'node_modules', '@tessera', name, 'dist');
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !file.startsWith('cjs/'))
    .sort();
  return brotliCompressSync(scripts.map((file) => readFileSync(join(dist, file), 'utf8')).join('')).length;
}

/** A block of code of a package's README in a language: the first, or another one. */
export function readmeExample(name: string, language: string, place = 0): string {
  const readme = readFileSync(join(repositoryFolder, 'packages', name, 'README.md'), 'utf8');
  const [, example] = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))][place] ?? [];
  if (example === undefined) throw new Error(`the README of ${name} has no example ${place + 1} in ${language}`);
  return example;
}
