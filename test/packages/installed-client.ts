/** @tessera/client as others get it: packed, and installed in an empty folder. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '../../tools/stack/repository.ts';

export const packageFolder = join(repositoryFolder, 'packages', 'client');

/** Returns the folder in which the package is installed. */
export function installClient(cleanup: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-client-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' }).trim();
  const file = npm(['pack', '--ignore-scripts=false', '--pack-destination', folder], packageFolder).split('\n').at(-1) ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "name": "tryout", "type": "module", "private": true }');
  npm(['install', '--offline', join(folder, file)], folder);
  return folder;
}

/** Builds a page there whose script makes a client. Returns the folder of the built page. */
export function bundleClient(folder: string): string {
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Tryout</title><script type="module" src="entry.js"></script>');
  writeFileSync(join(folder, 'entry.js'), "import { createClient } from '@tessera/client';\nwindow.tessera = createClient();\n");
  const vite = join(repositoryFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--base', './', '--logLevel', 'error'], { cwd: folder });
  return join(folder, 'dist');
}
