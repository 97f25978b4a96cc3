/** `npm run compare [-- --quick] [--only <work>] [--write]`: see README.md. */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { takeFirstFailure } from '../load/drive.ts';
import { type Pace, race, type Side, type Standing } from '../load/race.ts';
import { type Comparison, describeRow, type Row, renderComparison } from './document.ts';
import { installPeers, openBetterAuth, openCasbin, openCerbos, openOidcProvider } from './peers.ts';
import { type Product, works } from './product.ts';
import { openTessera } from './tessera.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
  },
});
const unknown = values.only?.find((wanted) => !works.some(({ name }) => name === wanted));
if (unknown !== undefined) {
  console.error(`There is no work '${unknown}'. There are: ${works.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const chosen = works.filter(({ name }) => values.only?.includes(name) ?? true);
/** V8 optimizes a path after thousands of requests. */
const pace: Pace = values.quick ? { rounds: 2, seconds: 0.5, warmSeconds: 0.5 } : { rounds: 5, seconds: 2, warmSeconds: 3 };

function totalOf({ cpuMsPerRequest }: Standing): number {
  return Object.entries(cpuMsPerRequest).reduce((sum, [name, ms]) => (name === 'client' ? sum : sum + ms), 0);
}

/** All products that do the work, in turn in each round, so that other load meets all alike. */
async function compare({ name, title, concurrency }: (typeof works)[number], products: readonly Product[]): Promise<readonly Row[]> {
  using opened = new DisposableStack();
  const sides: (Side & { readonly product: Product; readonly note: string })[] = [];
  for (const product of products) {
    const task = await product.tasks[name]?.();
    if (task === undefined) continue;
    opened.use(task);
    sides.push({ name: product.name, shot: task.shot, concurrency, processes: product.processes, product, note: task.note });
  }
  await race(sides, { ...pace, rounds: 0 });
  const rounds: (readonly Standing[])[] = [];
  for (let round = 0; round < pace.rounds; round += 1) {
    const isForth = round % 2 === 0;
    const standings = await race(isForth ? sides : sides.toReversed(), { ...pace, rounds: 1, warmSeconds: 0 });
    rounds.push(isForth ? standings : standings.toReversed());
  }
  return sides.map(({ product, note }, index) => {
    const standings = rounds.flatMap((round) => round[index] ?? []);
    return {
      work: title,
      product: product.name,
      perSecond: standings.map(({ perSecond }) => perSecond).sort((one, other) => one - other),
      cpuMs: standings.map(totalOf).sort((one, other) => one - other),
      failures: standings.reduce((sum, { failures }) => sum + failures, 0),
      note,
    };
  });
}

const began = performance.now();
const loadBefore = loadavg()[0] ?? 0;
await using cleanup = new AsyncDisposableStack();
const installed = installPeers(cleanup);
const products = [
  await openTessera(cleanup),
  await openBetterAuth(installed, cleanup),
  await openOidcProvider(installed),
  await openCerbos(installed),
  await openCasbin(installed),
];
console.log(`All are ready after ${((performance.now() - began) / 1_000).toFixed(0)} s.`);

const rows: Row[] = [];
for (const work of chosen) {
  const found = await compare(work, products);
  rows.push(...found);
  for (const row of found) console.log(describeRow(row));
  const failure = takeFirstFailure();
  if (failure !== undefined) console.log(`  first failure: ${Error.isError(failure) ? failure.message : String(failure)}`);
}

const [{ model } = { model: 'unknown' }, { length: cores }] = [cpus()[0], cpus()];
const comparison: Comparison = {
  at: new Date().toISOString(),
  isQuick: values.quick,
  pace,
  machine: { cpu: model.trim(), cores, memoryGibibytes: totalmem() / 2 ** 30, system: type(), node: process.versions.node },
  load: { before: loadBefore, after: loadavg()[0] ?? 0 },
  versions: products.map(({ name, version }) => ({ name, version })),
  rows,
};
if (values.write) {
  writeFileSync(join(repositoryFolder, 'docs/comparison.md'), renderComparison(comparison));
  console.log('written: docs/comparison.md');
}
console.log(`The run took ${((performance.now() - began) / 1_000).toFixed(0)} s.`);
if (rows.some(({ failures }) => failures > 0)) process.exitCode = 1;
