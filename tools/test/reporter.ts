/** Names the skipped tests, and keeps the counts for the last line. */

/** What this reporter reads of Jest's results. */
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly numFailingTests: number; readonly failureMessage?: string | null }[];
}

interface FileResult {
  readonly testResults: readonly { readonly fullName: string; readonly status: string }[];
}

let results: Results | undefined;

export default class Reporter {
  readonly #namesSkipped: boolean;

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
  }
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
