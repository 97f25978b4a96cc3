import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packPackage } from '../../test/support/packages/pack.ts';
import { linkPackage, publishedName, unpackPackage } from '../../test/support/packages/unpack.ts';
import { repositoryFolder } from '../stack/repository.ts';
import { makePublishable, packBuilt, publishedPackages } from './pack.ts';
import { changesOf, releaseFaults, versionFaults } from './ready.ts';

/** A package with the manifest of @tessera/verifier, whose build makes some of its files. */
function copyOfPackage(cleanup: DisposableStack, made: (target: string) => boolean, prepack: string) {
  const root = mkdtempSync(join(tmpdir(), 'tessera-package-'));
  cleanup.defer(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'packages', 'copy');
  mkdirSync(folder, { recursive: true });
  for (const file of ['LICENSE', 'NOTICE']) copyFileSync(join(repositoryFolder, file), join(root, file));
  const manifest = JSON.parse(readFileSync(join(repositoryFolder, 'packages', 'verifier', 'package.json'), 'utf8'));
  const targets = JSON.stringify(manifest.exports).match(/\.\/dist\/[^"]+/g) ?? [];
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts: { prepack, build: 'node build.mjs' } }));
  writeFileSync(
    join(folder, 'build.mjs'),
    `import { mkdirSync, writeFileSync } from 'node:fs'; mkdirSync('dist/cjs', { recursive: true });
    writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }');
    for (const file of ${JSON.stringify(targets.filter(made))}) writeFileSync(file, file.includes('cjs') ? 'exports.a = 1;' : 'export const a = 1;');`,
  );
  return folder;
}

const prepack = `node ${join(repositoryFolder, 'tools/release/prepack.mjs')}`;
const isScript = (target: string) => target.endsWith('.js');

test('npm pack in a package fails, and says why, when the build made less than the manifest leads to', () => {
  using cleanup = new DisposableStack();
  const folder = copyOfPackage(cleanup, isScript, prepack);
  const { status, stderr } = spawnSync('npm', ['pack', '--pack-destination', folder], { cwd: folder, encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/@tessera\/verifier was not packed: its build made no \.\/dist\/index\.d\.ts/);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tgz'))).toStrictEqual([]);
});

test('a release refuses a packed package without its types, or without its JavaScript', async () => {
  using cleanup = new DisposableStack();
  for (const made of [isScript, (target: string) => !isScript(target)]) {
    const folder = copyOfPackage(cleanup, made, 'node build.mjs');
    const packed = packBuilt(folder, folder);
    mkdirSync(join(folder, 'out'));
    await expect(makePublishable(packed, join(folder, 'out'))).rejects.toThrow(
      /@tessera\/verifier was not packed:\n.*dist\/.* does not exist/,
    );
    expect(readdirSync(join(folder, 'out'))).toStrictEqual([]);
  }
});

test('no package can be published past the release: all are private in the repository', () => {
  const folders = readdirSync(join(repositoryFolder, 'packages'));
  expect([...publishedPackages, 'rules'].sort()).toStrictEqual(folders.sort());
  for (const name of folders) {
    const manifest = JSON.parse(readFileSync(join(repositoryFolder, 'packages', name, 'package.json'), 'utf8'));
    expect(manifest.private).toStrictEqualFor(name, true);
  }
});

test('everything has one version, and what differs is named', () => {
  using cleanup = new DisposableStack();
  expect(versionFaults(repositoryFolder)).toStrictEqual([]);
  const root = mkdtempSync(join(tmpdir(), 'tessera-versions-'));
  cleanup.defer(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('package.json', '{ "name": "tessera", "version": "0.2.0" }');
  write('packages/cli/package.json', '{ "name": "@tessera/cli", "version": "0.2.0", "dependencies": { "@tessera/client": "0.1.0" } }');
  write('packages/client/package.json', '{ "name": "@tessera/client", "version": "0.1.0" }');
  write('deploy/kubernetes/tessera/Chart.yaml', 'version: 0.2.0\nappVersion: 0.1.0\n');
  write('CHANGELOG.md', '# Changelog\n\n## [Unreleased]\n\n- something\n\n## [0.1.0] - 2026-01-01\n\n- first\n');
  const differing = [
    '@tessera/cli needs @tessera/client 0.1.0, not 0.2.0',
    '@tessera/client has version 0.1.0, not 0.2.0',
    'Chart.yaml has appVersion 0.1.0, not 0.2.0',
  ];
  expect(versionFaults(root)).toStrictEqual(differing);
  expect(releaseFaults(root)).toStrictEqual([
    ...differing,
    'CHANGELOG.md has no heading "## [0.2.0] - <date>"',
    'CHANGELOG.md has changes under "Unreleased": give them a version',
  ]);
  expect(changesOf('0.1.0', readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))).toBe('- first');
});

describe('the packages as they are published', () => {
  const cleanup = new AsyncDisposableStack();
  let folder: string;
  const manifestOf = (name: string) => JSON.parse(readFileSync(join(folder, 'node_modules', publishedName(name), 'package.json'), 'utf8'));
  /** Every entry that can be imported: `@tessera/verifier/express`. */
  const entries = () =>
    publishedPackages.flatMap((name) =>
      Object.keys(manifestOf(name).exports)
        .filter((entry) => !entry.endsWith('.json'))
        .map((entry) => `${publishedName(name)}${entry.slice(1)}`),
    );

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tessera-published-'));
    cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'out'));
    for (const name of publishedPackages)
      unpackPackage(folder, name, await makePublishable(packPackage(name, folder), join(folder, 'out')));
    for (const name of ['react', '@types/react', '@types/node', 'undici-types', 'csstype']) linkPackage(folder, name);
    // Next.js is no dependency of this repository.
    mkdirSync(join(folder, 'node_modules', 'next'));
    writeFileSync(join(folder, 'node_modules', 'next', 'package.json'), '{ "name": "next", "exports": { "./*": "./*.js" } }');
    for (const name of ['headers', 'navigation', 'server']) {
      const script = 'exports.cookies = exports.redirect = exports.NextResponse = undefined;';
      writeFileSync(join(folder, 'node_modules', 'next', `${name}.js`), script);
    }
  });
  afterAll(() => cleanup.disposeAsync());

  test('each has a licence, the Node that it needs, its words, and nothing of this repository', () => {
    for (const name of publishedPackages) {
      const { scripts: _, ...manifest } = manifestOf(name);
      expect(manifest).toMatchObject({
        name: publishedName(name),
        license: 'Apache-2.0',
        engines: { node: '^20.19.0 || >=22.12.0' },
        publishConfig: { access: 'public' },
        description: expect.stringMatching(/.{20}/),
      });
      expect([manifest.private, manifest.repository]).toStrictEqualFor(name, [undefined, undefined]);
      const files = readdirSync(join(folder, 'node_modules', publishedName(name))).filter((file) => file !== 'templates');
      expect(files.sort()).toStrictEqualFor(name, ['LICENSE', 'NOTICE', 'README.md', 'dist', 'package.json']);
    }
  });

  test('import and require of every entry give the same names', () => {
    const script = `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      for (const name of ${JSON.stringify(entries())}) {
        const [one, other] = [Object.keys(await import(name)), Object.keys(require(name))].map((names) => names.filter((each) => each !== 'module.exports' && each !== 'default').sort().join());
        if (one === '' || one !== other) throw new Error(name + ': ' + one + ' / ' + other);
      }`;
    writeFileSync(join(folder, 'load.mjs'), script);
    expect(entries().length).toBeGreaterThan(8);
    const done = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'load.mjs'], { cwd: folder, encoding: 'utf8' });
    expect([done.status, done.stderr]).toStrictEqual([0, '']);
  });

  test('types of every entry are found in ES modules, in CommonJS and by a bundler, in strict mode', () => {
    const names = entries().map(
      (name, index) => `import * as entry${index} from '${name}';\nexport const all${index}: object = entry${index};\n`,
    );
    writeFileSync(join(folder, 'module.mts'), names.join(''));
    writeFileSync(join(folder, 'common.cts'), names.join(''));
    const compile = (...options: readonly string[]) => {
      const strict = ['--strict', '--noEmit', '--ignoreConfig', '--pretty', 'false', '--skipLibCheck', 'false', '--types', 'node'];
      const tsc = join(repositoryFolder, 'node_modules/typescript/bin/tsc');
      const lib = ['--target', 'es2024', '--lib', 'es2024,dom,dom.iterable,dom.asynciterable'];
      return spawnSync(process.execPath, [tsc, ...strict, ...lib, ...options], { cwd: folder, encoding: 'utf8' }).stdout;
    };
    expect(compile('--module', 'node16', 'module.mts', 'common.cts')).toBe('');
    expect(compile('--module', 'commonjs', '--moduleResolution', 'bundler', 'common.cts')).toBe('');
    writeFileSync(join(folder, 'wrong.cts'), "import { createVerifier } from '@tessera/verifier';\ncreateVerifier({ issuers: 1 });\n");
    expect(compile('--module', 'node16', 'wrong.cts')).toContain('error TS');
  });

  test('the command starts, and says the version', () => {
    const { version, bin } = manifestOf('cli');
    expect(bin).toStrictEqual({ tessera: 'dist/main.js' });
    const said = execFileSync(process.execPath, [join(folder, 'node_modules/@tessera/cli', bin.tessera), '--version'], {
      encoding: 'utf8',
    });
    expect(said.trim()).toBe(version);
  });
});
