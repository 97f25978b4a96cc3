import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres/server.ts';
import { startTestStack, writeStackFile } from '../testing/stack.ts';
import { discover, shortName, usesSharedStack } from './discover.ts';
import { type Engine, engines, isInstalled, startEngine } from './engines.ts';
import { openEvidence } from './evidence-folder.ts';
import { endOverdueFiles } from './overdue.ts';
import { type Counts, report } from './report.ts';
import { judge, searchSecrets } from './secret-search.ts';

const limitSeconds = { normal: 240, deep: 3_600 };
const usage = `npm test [-- [--deep] [--only <name>] [path …]]

  path …         only the test files at or below these paths
  --only <name>  only the tests whose name has this in it; may be repeated
  --deep         also the long suites (*.deep.test.ts)
  --limit <s>    the seconds after which a test has failed: ${limitSeconds.normal} by default, ${limitSeconds.deep} with --deep;
                 a file that has not ended half as long again after that is ended`;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const { values: flags, positionals } = readArguments();
let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
const faults: string[] = [];
try {
  await using evidence = await openEvidence();
  await main();
  if (!stopping.signal.aborted) searchEvidence(evidence.folder);
  if (counts.passed + counts.failed === 0) faults.push('No test ran: that is a failure.');
  if (stopping.signal.aborted) faults.push('Interrupted.');
} catch (error) {
  faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
conclude();

function conclude(): never {
  for (const fault of faults) console.error(fault);
  const failed = counts.failed + faults.length;
  console.log(`${counts.passed} passed, ${failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`);
  process.exit(failed === 0 ? 0 : 1);
}

function readArguments() {
  try {
    const read = parseArgs({
      allowPositionals: true,
      options: {
        deep: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
        limit: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (read.values.limit !== undefined && !(Number(read.values.limit) > 0)) throw new Error('--limit takes a number of seconds');
    if (!read.values.help) return read;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

async function main(): Promise<void> {
  const files = discover(positionals, flags.deep);
  console.log(`${files.length} test files, ${availableParallelism()} at a time`);

  await using parts = new AsyncDisposableStack();
  await prepare(files, parts);
  const limitMs = 1_000 * Number(flags.limit ?? (flags.deep ? limitSeconds.deep : limitSeconds.normal));
  const stream = run({
    files: [...files],
    concurrency: availableParallelism(),
    timeout: limitMs,
    signal: stopping.signal,
    ...(flags.only === undefined ? {} : { testNamePatterns: flags.only }),
  });
  using _overdue = endOverdueFiles({
    stream,
    limitMs: 1.5 * limitMs,
    ended: (file) => console.log(`!!! ${shortName(file)} has not ended after ${(1.5 * limitMs) / 1_000} s and is killed`),
    stuck: () => {
      console.log('!!! what a killed file has left behind still holds its output: the run ends here');
      stopping.abort();
    },
  });
  counts = await report(stream, flags.only !== undefined);
  setTimeout(() => {
    faults.push(`What was started for the tests has not stopped after ${limitMs / 1_000} s.`);
    conclude();
  }, limitMs);
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
