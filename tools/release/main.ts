/**
 * `npm run release -- [--dry-run] [FOLDER]`: one version of everything. It writes what is published
 * into the folder: the packages, the bill of materials, the licences, the changes and the digests,
 * and sets the tag. A dry run sets none, and says what is missing. It is the only way: in the
 * repository the packages are private, which npm refuses.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryFolder } from '../stack/repository.ts';
import { billOfMaterials } from '../supply/bill.ts';
import { licenseTexts } from '../supply/licenses.ts';
import { shippedPackages } from '../supply/shipped.ts';
import { makePublishable, packBuilt, publishedPackages, readManifest } from './pack.ts';
import { changesOf, git, releaseFaults } from './ready.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean', default: false } } });
const isDry = values['dry-run'];
const folder = resolve(positionals[0] ?? 'dist');
const { version } = readManifest(repositoryFolder);
const say = (line: string) => process.stdout.write(`${line}\n`);

const faults = releaseFaults(repositoryFolder);
for (const fault of faults) say(`${isDry ? 'not yet' : 'refused'}: ${fault}`);
if (faults.length > 0 && !isDry) process.exit(1);

mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) {
  say(`refused: ${folder} is not empty`);
  process.exit(1);
}
const packed: string[] = [];
const staging = mkdtempSync(join(tmpdir(), 'tessera-built-'));
for (const name of publishedPackages) {
  packed.push(await makePublishable(packBuilt(join(repositoryFolder, 'packages', name), staging), folder));
  say(`packed ${basename(packed.at(-1) ?? '')}`);
}
rmSync(staging, { recursive: true });

const shipped = shippedPackages();
const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
write('sbom.cdx.json', `${JSON.stringify(billOfMaterials(shipped), null, 2)}\n`);
write('THIRD-PARTY-LICENSES.txt', licenseTexts(shipped));
write('CHANGES.md', `${changesOf(version, readFileSync(join(repositoryFolder, 'CHANGELOG.md'), 'utf8')) ?? ''}\n`);
const digests = readdirSync(folder)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
  );
write('SHA256SUMS', digests.join(''));
say(`wrote ${folder}`);

if (isDry) say(`Nothing was tagged: a dry run of ${version}.`);
else {
  git(repositoryFolder, 'tag', '--annotate', `v${version}`, '--message', `Tessera ${version}`);
  say(`tagged v${version}`);
  for (const file of packed) say(`npm publish ${file}`);
}
