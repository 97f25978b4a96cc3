/**
 * `npm run audit:verify`: follows the chains of all logs, with each service's <NAME>_DATABASE_URL.
 * Exits with 1 and names each row that was changed, removed or inserted. `--heads <file>` notes the
 * ends of the chains; `--against <file>` finds chains that were written anew since.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { databaseServices, variablePrefix } from '../services.ts';
import { type Head, rewritten, verifyChains } from './chain.ts';

const { values } = parseArgs({ options: { heads: { type: 'string' }, against: { type: 'string' } } });
// Only --heads writes this file.
const noted: Record<string, readonly Head[]> = values.against === undefined ? {} : JSON.parse(readFileSync(values.against, 'utf8'));
const heads: Record<string, readonly Head[]> = {};
let isWhole = true;

for (const service of databaseServices) {
  const url = process.env[`${variablePrefix(service)}_DATABASE_URL`];
  if (url === undefined) throw new Error(`Missing: ${variablePrefix(service)}_DATABASE_URL`);
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${service}` });
  await client.connect();
  try {
    const verdict = await verifyChains(client);
    const anew = await rewritten(client, noted[service] ?? []);
    heads[service] = verdict.heads;
    console.log(`${service}: ${verdict.rows} rows in ${verdict.heads.length} chains, ${verdict.faults.length + anew.length} faults`);
    for (const { kind, chain, position, id, at } of verdict.faults)
      console.log(`  ${kind}: row ${id ?? '-'} of ${at ?? '-'}, tenant ${chain === '' ? '(none)' : chain}, link ${position ?? '-'}`);
    for (const { chain, position } of anew) console.log(`  written anew: tenant ${chain === '' ? '(none)' : chain}, link ${position}`);
    isWhole &&= verdict.faults.length + anew.length === 0;
  } finally {
    await client.end();
  }
}
if (values.heads !== undefined) writeFileSync(values.heads, JSON.stringify(heads));
process.exitCode = isWhole ? 0 : 1;
