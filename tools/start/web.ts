import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { repositoryFolder } from '../stack/repository.ts';

/** Everything that the build reads. */
const sources = [
  'web/src',
  'web/pages.html',
  'web/console.html',
  'web/vite.config.ts',
  'packages/client/src',
  'packages/rules/src',
  'package-lock.json',
];
const folder = join(repositoryFolder, 'web', 'dist');

/** Builds the hosted pages and the console, if their sources have changed since the last build. */
export async function buildWeb(say: (line: string) => void): Promise<void> {
  const fingerprint = fingerprintOf(sources);
  if (builtFrom() === fingerprint) return;
  const began = performance.now();
  // Two test files may build at once: each into a folder of its own, which then takes the place.
  const fresh = join(repositoryFolder, 'node_modules', '.cache', `tessera-web-${process.pid}`);
  const vite = join(repositoryFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(
    process.execPath,
    [vite, 'build', join(repositoryFolder, 'web'), '--logLevel', 'warn', '--outDir', fresh, '--emptyOutDir'],
    {
      cwd: repositoryFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  const ended = new Promise<number>((done) => child.once('close', (exitCode) => done(exitCode ?? 1)));
  const [said, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (exitCode !== 0) throw new Error(`the pages could not be built:\n${said}${errors}`);
  writeFileSync(join(fresh, '.sources'), fingerprint);
  takePlace(fresh, fingerprint);
  say(`  ${'pages built'.padEnd(14)} ${((performance.now() - began) / 1_000).toFixed(2)} s`);
}

/** The fingerprint of the sources of the present build. */
function builtFrom(): string | undefined {
  const stamp = join(folder, '.sources');
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

function takePlace(fresh: string, fingerprint: string): void {
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process was faster with the same sources.
    if (builtFrom() !== fingerprint) throw error;
  }
}

function fingerprintOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesOf).sort()) hash.update(`${path}\n`).update(readFileSync(join(repositoryFolder, path)));
  return hash.digest('hex');
}

function filesOf(path: string): string[] {
  const isFolder = !/\.\w+$/.test(path);
  if (!isFolder) return [path];
  const found = readdirSync(join(repositoryFolder, path), { recursive: true, withFileTypes: true });
  return found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(repositoryFolder.length)] : []));
}
