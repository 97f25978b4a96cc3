import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { openStack } from '../system/stack.ts';

const packageFolder = join(repositoryFolder, 'packages', 'client');
const mostBytes = 12_000;

test('@tessera/client, packed and installed in an empty folder, runs its example and is small in a bundle', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tessera-client-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' }).trim();

  const file = npm(['pack', '--ignore-scripts=false', '--pack-destination', folder], packageFolder).split('\n').at(-1) ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "name": "tryout", "type": "module", "private": true }');
  npm(['install', '--offline', join(folder, file)], folder);
  copyFileSync(join(packageFolder, 'example', 'journey.mjs'), join(folder, 'journey.mjs'));

  const { url } = await openStack();
  const said = execFileSync(process.execPath, ['journey.mjs', url], { cwd: folder, encoding: 'utf8' });
  expect(said.replace(/since \S+/, 'since …').split('\n')).toStrictEqual([
    'Hello Ada, you have 1 account.',
    'Signed in since …',
    'GraphQL knows the same address.',
    expect.stringMatching(/^CONFLICT: /),
    'Now signed-out.',
    '',
  ]);

  writeFileSync(join(folder, 'index.html'), '<script type="module" src="entry.js"></script>');
  writeFileSync(join(folder, 'entry.js'), "import { createClient } from '@tessera/client';\nwindow.tessera = createClient();\n");
  const vite = join(repositoryFolder, 'node_modules', 'vite', 'bin', 'vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: folder });
  const assets = join(folder, 'dist', 'assets');
  const bytes = brotliCompressSync(
    readdirSync(assets)
      .map((name) => readFileSync(join(assets, name), 'utf8'))
      .join(''),
  ).length;
  expect(bytes).toBeLessThan(mostBytes);
  console.info(`@tessera/client: ${bytes} bytes compressed`);
});
