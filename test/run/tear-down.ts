/** Stops what a run started, searches what it wrote for secrets, and prints the counts. */
import { concludeRun } from './reporter.ts';
import { closeRun } from './run.ts';
import { judge, searchSecrets } from './secret-search.ts';

/** What is read of Jest's configuration. */
interface Config {
  readonly watch: boolean;
  readonly watchAll: boolean;
  readonly onlyChanged: boolean;
  readonly testNamePattern?: string | undefined;
  readonly testPathPatterns: { readonly patterns: readonly string[] };
  readonly projects: readonly unknown[];
}

const allProjects = 4;
const exitTimeoutMs = 10_000;

export default async function tearDown(config: Config): Promise<void> {
  const faults = await closeRun((folder) => searchEvidence(folder, isWholeRun(config)));
  if (faults === undefined) return;
  concludeRun(faults);
  if (config.watch || config.watchAll) return;
  // A process that a test left behind can hold the output of its worker, which would keep this
  // process alive.
  setTimeout(() => {
    console.error('!!! A process that a test left behind still holds the output: the run ends here.');
    process.exit(1);
  }, exitTimeoutMs).unref();
}

function isWholeRun({ testPathPatterns, testNamePattern, onlyChanged, projects }: Config): boolean {
  return testPathPatterns.patterns.length === 0 && !testNamePattern && !onlyChanged && projects.length >= allProjects;
}

/** A part of the tests may leave nothing to search. A whole run must leave every kind. */
function searchEvidence(folder: string, isWhole: boolean): readonly string[] {
  const began = performance.now();
  const searched = searchSecrets(folder);
  if (!isWhole && Object.values(searched.bytes).every((bytes) => bytes === 0)) return [];
  const { line, faults } = judge(searched, isWhole);
  console.log(`${line}: ${faults.length === 0 ? 'none found' : 'FAILED'} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  return faults;
}
