import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const page = new URL('../../../docs/reliability.md', import.meta.url);
const head =
  '# Reliability\n\nWhat was broken on purpose, and what held. Each table is written by its suite: `npm run faults` writes the ledgers,\n`RELIABILITY_WRITE=1 npm test -- test/journeys/faults test/laws/hostile` the others (`npm run test:deep`: those at length).\n';

/** Writes a suite's results into its section of docs/reliability.md, when requested. */
export function record(title: string, lines: readonly string[]): void {
  if (process.env.RELIABILITY_WRITE !== '1') return;
  const known = existsSync(page) ? readFileSync(page, 'utf8') : head;
  const sections = known.trimEnd().split(/\n(?=## )/);
  const section = [`## ${title}`, '', ...lines].join('\n');
  const place = sections.findIndex((text) => text.startsWith(`## ${title}\n`));
  const next =
    place === -1 ? [...sections.map((text) => text.trimEnd()), section] : sections.with(place, section).map((text) => text.trimEnd());
  writeFileSync(page, `${next.join('\n\n')}\n`);
}
