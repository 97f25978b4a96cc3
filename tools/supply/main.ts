/**
 * `npm run sbom -- [FOLDER]`: writes sbom.cdx.json (CycloneDX, of npm's own `npm sbom`) and
 * THIRD-PARTY-LICENSES.txt of everything that is shipped.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './bill.ts';
import { licenseTexts } from './licenses.ts';
import { shippedPackages } from './shipped.ts';

const [folder = 'dist'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const packages = shippedPackages();
const bill = billOfMaterials(packages);
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(packages));
process.stdout.write(
  `${bill.components.length} components: ${join(folder, 'sbom.cdx.json')}, ${join(folder, 'THIRD-PARTY-LICENSES.txt')}\n`,
);
