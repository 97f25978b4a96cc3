import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres/server.ts';
import { startTestStack, writeStackFile } from '../testing/stack.ts';
import { discover, usesSharedStack } from './discover.ts';
import { type Engine, engines, isInstalled, startEngine } from './engines.ts';
import { openEvidence } from './evidence-folder.ts';
import { type Counts, report } from './report.ts';
import { judge, searchSecrets } from './secret-search.ts';

const usage = `npm test [-- [--deep] [--only <name>] [path …]]

  path …         only the test files at or below these paths
  --only <name>  only the tests whose name has this in it; may be repeated
  --deep         also the long suites (*.deep.test.ts)`;
const fileTimeoutMs = { normal: 4 * 60_000, deep: 60 * 60_000 };

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const { values: flags, positionals } = readArguments();
let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const faults: string[] = [];
try {
  await using evidence = await openEvidence();
  counts = await main();
  if (!stopping.signal.aborted) searchEvidence(evidence.folder);
  if (counts.passed + counts.failed === 0) faults.push('No test ran: that is a failure.');
  if (stopping.signal.aborted) faults.push('Interrupted.');
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
for (const fault of faults) console.error(fault);
const failed = counts.failed + faults.length;
console.log(`${counts.passed} passed, ${failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);

function readArguments() {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: { deep: { type: 'boolean', default: false }, only: { type: 'string', multiple: true }, help: { type: 'boolean' } },
    });
    if (!read.values.help) return read;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

async function main(): Promise<Counts> {
  const files = discover(positionals, flags.deep);
  console.log(`${files.length} test files, ${availableParallelism()} at a time`);

  await using parts = new AsyncDisposableStack();
  await prepare(files, parts);
  const stream = run({
    files: [...files],
    concurrency: availableParallelism(),
    timeout: flags.deep ? fileTimeoutMs.deep : fileTimeoutMs.normal,
    signal: stopping.signal,
    ...(flags.only === undefined ? {} : { testNamePatterns: flags.only }),
  });
  return await report(stream, flags.only !== undefined);
}

/** Once everything has stopped: what the run wrote is searched for what must be in none of it. */
function searchEvidence(folder: string): void {
  const began = performance.now();
  const searched = searchSecrets(folder);
  const isWholeRun = positionals.length === 0 && flags.only === undefined;
  if (!isWholeRun && Object.values(searched.bytes).every((bytes) => bytes === 0)) return;
  const { line, faults: found } = judge(searched, isWholeRun);
  console.log(`${line}: ${found.length === 0 ? 'none found' : 'FAILED'} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  faults.push(...found);
}

/** Starts what the files need, and tells them by TEST_ variables. A part that fails to stop fails the run. */
async function prepare(files: readonly string[], parts: AsyncDisposableStack): Promise<void> {
  const began = performance.now();
  await Promise.all([prepareDatabase(parts), ...engines.map((engine) => prepareEngine(engine, parts))]);
  const systemTests = files.filter(usesSharedStack);
  if (systemTests.length > 0) await prepareStack(parts);
  console.log(`Prepared in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

async function prepareDatabase(parts: AsyncDisposableStack): Promise<void> {
  if (process.env.TEST_DATABASE_ADMIN_URL) return;
  const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-test-')), profile: 'fast', ephemeral: true });
  parts.defer(() => server.stop());
  process.env.TEST_DATABASE_ADMIN_URL = server.adminUrl;
}

async function prepareEngine(engine: Engine, parts: AsyncDisposableStack): Promise<void> {
  if (process.env[engine.variable]) return;
  if (!isInstalled(engine)) {
    console.log(`!!! ${engine.program} is not installed: the tests against the real ${engine.protocol.toUpperCase()} are SKIPPED`);
    return;
  }
  const { url, stop } = await startEngine(engine);
  parts.defer(stop);
  process.env[engine.variable] = url;
}

async function prepareStack(parts: AsyncDisposableStack): Promise<void> {
  const stack = await startTestStack({
    signal: stopping.signal,
    died: ({ name }, reason) => faults.push(`${name} of the shared stack ended: ${reason}`),
  });
  parts.defer(() => stack.stop());
  const folder = mkdtempSync(join(tmpdir(), 'tessera-test-'));
  parts.defer(() => rmSync(folder, { recursive: true }));
  process.env.TEST_STACK_FILE = join(folder, 'stack.json');
  writeStackFile(stack, process.env.TEST_STACK_FILE);
}
