import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { packPackage } from '../../test/support/packages/pack.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { packRelease, publishedPackages } from './pack.ts';

/** A package with the manifest of @tessera/verifier, whose build does what is given. */
function copyOfPackage(cleanup: DisposableStack, prepack: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-package-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = JSON.parse(readFileSync(join(repositoryFolder, 'packages', 'verifier', 'package.json'), 'utf8'));
  const targets = Object.values<{ types: string; default: string }>(manifest.exports).flatMap(({ types, default: script }) => [
    types,
    script,
  ]);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts: { prepack } }));
  writeFileSync(
    join(folder, 'build.mjs'),
    `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync('dist', { recursive: true });
    for (const file of ${JSON.stringify(targets)}) writeFileSync(file, '');`,
  );
  const destination = join(folder, 'packed');
  mkdirSync(destination);
  return { folder, destination };
}

test('a package without its JavaScript is refused, and none is made', () => {
  using cleanup = new DisposableStack();
  const { folder, destination } = copyOfPackage(cleanup, 'node -e ""');
  expect(() => packRelease(folder, destination)).toThrow(/^@tessera\/verifier was not packed: it lacks .*\.\/dist\/index\.js/);
  expect(readdirSync(destination)).toStrictEqual([]);
});

test('a package that is built has its JavaScript, its types and the licence, and can be published', () => {
  using cleanup = new DisposableStack();
  const { folder, destination } = copyOfPackage(cleanup, 'node build.mjs');
  const file = packRelease(folder, destination);
  const files = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).split('\n');
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'LICENSE', 'NOTICE']) expect(files).toContain(`package/${name}`);
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' }));
  expect([manifest.name, manifest.private]).toStrictEqual(['@tessera/verifier', undefined]);
});

test('no package can be published past the release: all are private in the repository', () => {
  const folders = readdirSync(join(repositoryFolder, 'packages'));
  expect([...publishedPackages, 'rules'].sort()).toStrictEqual(folders.sort());
  for (const name of folders) {
    const manifest = JSON.parse(readFileSync(join(repositoryFolder, 'packages', name, 'package.json'), 'utf8'));
    expect(manifest.private).toStrictEqualFor(name, true);
  }
});

test('npm pack alone builds each package first, with its types and the licence', () => {
  using cleanup = new DisposableStack();
  const destination = mkdtempSync(join(tmpdir(), 'tessera-packed-'));
  cleanup.defer(() => rmSync(destination, { recursive: true, force: true }));
  for (const name of publishedPackages) {
    const files = execFileSync('tar', ['-tzf', packPackage(name, destination)], { encoding: 'utf8' }).split('\n');
    const entry = name === 'cli' ? ['dist/main.js'] : ['dist/index.js', 'dist/index.d.ts'];
    for (const file of [...entry, 'LICENSE', 'NOTICE', 'README.md']) expect(files).toContainEqual(`package/${file}`);
  }
});
