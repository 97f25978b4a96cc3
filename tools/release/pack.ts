import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../stack/repository.ts';

export const publishedPackages = ['verifier', 'authorizer', 'client', 'react', 'cli'] as const;

const notices = ['LICENSE', 'NOTICE'] as const;

type Manifest = {
  readonly name: string;
  readonly exports?: unknown;
  readonly bin?: unknown;
  readonly private?: boolean;
  readonly files?: readonly string[];
};

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The files that a manifest leads to, in `exports` and `bin`. */
function targetsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(targetsOf) : [];
}

function npm(folder: string, args: readonly string[]): string {
  const quiet = ['--silent', '--no-audit', '--no-fund'];
  return (
    execFileSync('npm', [...args, ...quiet], { cwd: folder, encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1) ?? ''
  );
}

/**
 * Builds a package and packs it with the licence; returns the file. A package that lacks a file
 * that its manifest leads to is refused.
 */
export function packRelease(source: string, destination: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'tessera-release-'));
  try {
    // `prepack` removes what was built before, builds, and adds the licence.
    const built = npm(source, ['pack', '--pack-destination', staging]);
    const folder = join(staging, 'package');
    mkdirSync(folder);
    execFileSync('tar', ['-xzf', join(staging, built), '-C', folder, '--strip-components=1']);
    const { private: _, files = [], ...manifest } = readManifest(folder);
    const missing = [...targetsOf(manifest.exports), ...targetsOf(manifest.bin)].filter((file) => !existsSync(join(folder, file)));
    if (missing.length > 0) throw new Error(`${manifest.name} was not packed: it lacks ${missing.join(', ')}. Does its build work?`);
    writeFileSync(
      join(folder, 'package.json'),
      `${JSON.stringify({ ...manifest, files: [...new Set([...files, ...notices])] }, null, 2)}\n`,
    );
    for (const file of notices) copyFileSync(join(repositoryFolder, file), join(folder, file));
    return join(destination, npm(folder, ['pack', '--ignore-scripts', '--pack-destination', destination]));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
