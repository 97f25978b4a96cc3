/** `npm run bench [-- --quick] [--only <workload>] [--beside <code>] [--write]`: see README.md. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { type Bench, openBench, processesOf } from './bench.ts';
import { takeFirstFailure } from './drive.ts';
import { memoryMebibytes } from './processes.ts';
import { describeResult, isKept, type Machine, type Result, type Run, renderDocument, short } from './report.ts';
import { workloads } from './workloads/index.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    write: { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
});

const unknown = values.only?.find((name) => !workloads.some((workload) => workload.name === name));
if (unknown !== undefined) {
  console.error(`There is no workload '${unknown}'. There are: ${workloads.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const chosen = workloads.filter(({ name, isLeisurely = false }) => values.only?.includes(name) ?? !(values.quick && isLeisurely));

async function describeMachine({ stack }: Bench): Promise<Machine> {
  const [{ model } = { model: 'unknown' }, { length: cores }] = [cpus()[0], cpus()];
  const postgres = await withClient(
    stack.adminDatabaseUrl ?? '',
    async (client) => (await client.query('SHOW server_version')).rows[0].server_version,
  );
  return { cpu: model.trim(), cores, memoryGibibytes: totalmem() / 2 ** 30, system: type(), node: process.versions.node, postgres };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const latest = 'test/deep/load/results/latest.json';
const began = performance.now();
const loadBefore = loadavg()[0] ?? 0;
const results: Result[] = [];
const missing: Record<string, string> = {};

for (const { prepare } of chosen) await prepare?.();
await using bench = await openBench(values.quick, values.beside);
console.log(`The stack is ready after ${((performance.now() - began) / 1_000).toFixed(1)} s.\n`);

for (const workload of chosen) {
  console.log(`${workload.name}: ${workload.about}`);
  const startedAt = performance.now();
  try {
    const found = await workload.run(bench);
    results.push(...found);
    for (const result of found) console.log(`  ${describeResult(result)}`);
    const failure = takeFirstFailure();
    if (failure !== undefined) console.log(`  first failure: ${Error.isError(failure) ? failure.message : String(failure)}`);
  } catch (error) {
    missing[workload.name] = Error.isError(error) ? error.message.slice(0, 300) : String(error);
    console.log(`  could not be run: ${Error.isError(error) ? error.stack : String(error)}`);
  }
  console.log(`  (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)\n`);
}

const memory = Object.fromEntries(
  Object.entries(processesOf(bench.stack, Object.keys(bench.stack.processes))).map(([name, pid]) => [name, memoryMebibytes(pid)]),
);
const run: Run = {
  at: new Date().toISOString(),
  isQuick: values.quick,
  machine: await describeMachine(bench),
  load: { before: loadBefore, after: loadavg()[0] ?? 0 },
  memoryMebibytes: memory,
  results,
  missing,
};
/** A part that is written alone takes its place among the results of the last whole run. */
function amongOthers(part: Run): Run {
  if (values.only === undefined) return part;
  const last: Run = JSON.parse(readFileSync(`${root}${latest}`, 'utf8'));
  const names = new Set(results.map(({ workload }) => workload));
  const apart = results.map((result) => ({
    ...result,
    note: [result.note, `measured apart, ${run.at.slice(0, 10)}, at a load average of ${short(run.load.before)}`]
      .filter(Boolean)
      .join('; '),
  }));
  return { ...last, results: [...last.results.filter(({ workload }) => !names.has(workload)), ...apart] };
}

const broken = results.filter((result) => isKept(result) === false);
console.log(
  `${results.filter((result) => isKept(result) === true).length} promises kept, ${broken.length} not kept${broken.map(({ workload }) => `\n  not kept: ${workload}`).join('')}`,
);

function keep(path: string, text: string): void {
  mkdirSync(dirname(`${root}${path}`), { recursive: true });
  writeFileSync(`${root}${path}`, text);
  console.log(`written: ${path}`);
}
const kept = amongOthers(run);
if (values.write || values.only === undefined) keep(latest, `${JSON.stringify(kept, null, 2)}\n`);
if (values.write) keep('docs/performance.md', renderDocument(kept));
console.log(`The run took ${((performance.now() - began) / 1_000).toFixed(0)} s.`);
