/** Packages as others get them: packed, and installed in an empty folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { packPackage } from './pack.ts';

export const packageFolder = join(repositoryFolder, 'packages', 'client');

/** Returns the folder in which the package is installed. */
export function installClient(cleanup: AsyncDisposableStack): string {
  return installPackages(cleanup, ['client']);
}

/** Installs packages of ours from their packed files; `linked` are those of this repository. */
export function installPackages(cleanup: AsyncDisposableStack, names: readonly string[], linked: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-packed-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' }).trim();
  const files = names.map((name) => packPackage(name, folder));
  writeFileSync(join(folder, 'package.json'), '{ "name": "tryout", "type": "module", "private": true }');
  npm(['install', '--offline', '--legacy-peer-deps', ...files], folder);
  for (const name of linked) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(repositoryFolder, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

/** Builds a page there whose script makes a client. Returns the folder of the built page. */
export function bundleClient(folder: string): string {
  return bundlePage(folder, 'entry.js', "import { createClient } from '@tessera/client';\nwindow.tessera = createClient();\n");
}

/** Builds a page with one script. Returns the folder of the built page. */
export function bundlePage(folder: string, name: string, script: string): string {
  writeFileSync(join(folder, 'index.html'), `<!doctype html><title>Tryout</title><script type="module" src="${name}"></script>`);
  writeFileSync(join(folder, name), script);
  const vite = join(repositoryFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--base', './', '--logLevel', 'error'], { cwd: folder });
  return join(folder, 'dist');
}
