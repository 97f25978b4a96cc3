import type { TestsStream } from 'node:test';
import { inspect } from 'node:util';
import { shortName } from './discover.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface FileRun {
  readonly output: string[];
  readonly failures: string[];
  readonly skips: string[];
  readonly names: string[];
  /** Groups whose own code failed: Node counts their tests only, and a group that fails early has none. */
  brokenSuites: number;
}

/** Prints a line for each file, what a failing one wrote, and each failure in full; resolves with the counts. */
export async function report(stream: TestsStream, quiet = false): Promise<Counts> {
  const files = new Map<string, FileRun>();
  const runOf = (file = '') => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const created: FileRun = { output: [], failures: [], skips: [], names: [], brokenSuites: 0 };
    files.set(file, created);
    return created;
  };
  let total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const empty: string[] = [];
  const summed = new Set<string>();

  for await (const { type, data } of stream) {
    if (type === 'test:stdout' || type === 'test:stderr') keep(runOf(data.file).output, data.message);
    // Node reports a file without tests as a test of the file's name that passes.
    if (type === 'test:pass' && data.nesting === 0 && data.name === data.file) empty.push(data.name);
    if (type === 'test:pass' && data.skip !== undefined)
      runOf(data.file).skips.push(`${data.name}${typeof data.skip === 'string' ? `: ${data.skip}` : ''}`);
    if (type === 'test:fail' && data.details.error.failureType !== 'subtestsFailed') {
      if (data.details.type === 'suite') runOf(data.file).brokenSuites += 1;
      runOf(data.file).failures.push(
        `✖ ${data.name} (${shortName(data.file ?? '')}:${data.line ?? 0})\n${indented(explain(data.details.error))}`,
      );
    }
    if (type === 'test:summary') {
      const broken =
        data.file === undefined ? [...files.values()].reduce((sum, run) => sum + run.brokenSuites, 0) : runOf(data.file).brokenSuites;
      const counted = countsOf(data.counts);
      const counts = { ...counted, failed: counted.failed + broken };
      if (data.file !== undefined) summed.add(data.file);
      if (data.file === undefined) total = counts;
      else if (!quiet || counts.failed > 0) printFile(data.file, counts, data.duration_ms, runOf(data.file));
    }
  }
  // What belongs to no file, and files that were killed: nobody counted these.
  for (const [file, run] of files) {
    if (summed.has(file) || run.failures.length === 0) continue;
    if (file !== '') console.log(`✖ ${shortName(file)}  did not end as it should`);
    if (run.output.length > 0) console.log(indented(lastLines(run.output)));
    for (const failure of run.failures) console.log(indented(failure));
  }
  if (!quiet) for (const file of empty) console.log(`✖ ${shortName(file)} holds no test`);
  return { ...total, passed: total.passed - empty.length, failed: total.failed + (quiet ? 0 : empty.length) };
}

function countsOf({
  passed,
  failed,
  cancelled,
  skipped,
  todo,
}: {
  passed: number;
  failed: number;
  cancelled: number;
  skipped: number;
  todo: number;
}): Counts {
  return { passed, failed: failed + cancelled, skipped: skipped + todo };
}

function printFile(file: string, { passed, failed, skipped }: Counts, ms: number, run: FileRun): void {
  const counts = [`${passed} passed`, ...(failed > 0 ? [`${failed} FAILED`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  console.log(`${failed > 0 ? '✖' : '✔'} ${shortName(file)}  ${counts.join(', ')}  ${(ms / 1000).toFixed(1)} s`);
  for (const skip of run.skips) console.log(`    skipped: ${skip}`);
  if (failed === 0) return;
  if (run.output.length > 0) console.log(indented(lastLines(run.output)));
  for (const failure of run.failures) console.log(indented(failure));
}

function explain(error: Error & { readonly cause?: unknown }): string {
  const cause = error.cause ?? error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause, { depth: 6 });
}

/** Only its end is ever shown, and whoever writes without end must not fill the memory. */
function keep(output: string[], message: string): void {
  if (output.push(message) > 1_000) output.splice(0, 500);
}

function lastLines(output: readonly string[]) {
  return output.join('').trimEnd().split('\n').slice(-60).join('\n');
}

function indented(text: string) {
  return text.replace(/^/gm, '    ');
}
