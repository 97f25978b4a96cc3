/** Names the skipped tests, says where the time went, and keeps the counts for the last line. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../tools/stack/repository.ts';
import { weightsFile } from './sequencer.ts';
import { describeTimes, type FileTime, readProcessorTime, secondsByFile } from './times.ts';

/** What this reporter reads of Jest's results. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly (FileTime & { readonly numFailingTests: number; readonly failureMessage?: string | null })[];
}

interface FileResult {
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[];
}

let results: Results | undefined;

export default class Reporter {
  readonly #namesSkipped: boolean;
  readonly #before = readProcessorTime();

  constructor({ testNamePattern }: { readonly testNamePattern?: string | undefined }) {
    // With `-t`, Jest counts every test of another name as skipped.
    this.#namesSkipped = !testNamePattern;
  }

  onTestResult(_test: unknown, { testResults }: FileResult): void {
    if (!this.#namesSkipped) return;
    for (const { fullName, status } of testResults) if (status === 'pending') console.log(`    skipped: ${fullName}`);
  }

  onRunComplete(_contexts: unknown, aggregated: Results): void {
    results = aggregated;
    const { testResults: files } = aggregated;
    if (files.length > 1) for (const line of describeTimes(files, this.#before, readProcessorTime())) console.log(line);
    if (process.env['TEST_WEIGHTS'] === 'write') writeWeights(files);
  }
}

/** Tenths of a second of the files that ran, beside those of the files that did not. */
function writeWeights(files: readonly FileTime[]): void {
  const before = JSON.parse(readFileSync(weightsFile, 'utf8')) as Readonly<Record<string, number>>;
  const now = Object.fromEntries(secondsByFile(files).map(([file, seconds]) => [file, Math.round(seconds * 10) / 10]));
  const all = Object.entries({ ...before, ...now }).filter(([file]) => existsSync(join(repositoryFolder, file)));
  writeFileSync(weightsFile, `${JSON.stringify(Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))), null, 2)}\n`);
}

/** Prints `N passed, N failed` last. A fault outside the tests or a run without tests fails. */
export function concludeRun(faults: readonly string[]): void {
  const passed = results?.numPassedTests ?? 0;
  const skipped = (results?.numPendingTests ?? 0) + (results?.numTodoTests ?? 0);
  const failedTests = (results?.numFailedTests ?? 0) + countBrokenFiles();
  const all = passed + failedTests === 0 ? [...faults, 'No test ran: that is a failure.'] : faults;
  for (const fault of all) console.error(fault);
  const failed = failedTests + all.length;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  if (failed > 0) process.exitCode = 1;
}

/** Files that failed although no test did: they broke before, between or after their tests. */
function countBrokenFiles(): number {
  return results?.testResults.filter(({ failureMessage, numFailingTests }) => numFailingTests === 0 && failureMessage).length ?? 0;
}
