/**
 * `npm run scan -- FOLDER [--require-lookup] [--bill FILE]`: what is wrong in the files of an
 * image, which lie in FOLDER as in its root. Writes its bill of materials (CycloneDX).
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { conclude, scanImage } from './scan.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'require-lookup': { type: 'boolean', default: false }, bill: { type: 'string', default: 'dist/image.cdx.json' } },
});
const [root, ...others] = positionals;
if (root === undefined || others.length > 0 || !existsSync(root)) {
  console.error('usage: npm run scan -- FOLDER [--require-lookup] [--bill FILE]');
  process.exit(2);
}
const report = await scanImage({ root });
mkdirSync(dirname(values.bill), { recursive: true });
writeFileSync(values.bill, `${JSON.stringify(report.bill, null, 2)}\n`);
const [text, isGood] = conclude(report, values['require-lookup']);
console.log(`${text}\n  bill of materials: ${values.bill}, ${report.bill.components.length} components`);
process.exitCode = isGood ? 0 : 1;
