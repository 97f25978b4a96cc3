/** Where the time of a run went: by project, by file, and how busy the machine was. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { repositoryFolder } from '../../tools/stack/repository.ts';

/** What is read of Jest's result of a file. */
export interface FileTime {
  readonly testFilePath: string;
  readonly perfStats: { readonly runtime: number };
  readonly displayName?: { readonly name: string } | undefined;
}

/** Seconds that all processors together have spent since the machine started. */
export interface ProcessorTime {
  readonly busy: number;
  /** What the machine below gave to others although this one had work. */
  readonly steal: number;
  readonly at: number;
}

const shownFiles = 20;
const ticksPerSecond = 100;

/** Undefined where the system does not tell (it has no /proc). */
export function readProcessorTime(file = '/proc/stat', at = performance.now() / 1_000): ProcessorTime | undefined {
  try {
    const [, ...fields] = (readFileSync(file, 'utf8').split('\n')[0] ?? '').split(/ +/);
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields.map((ticks) => Number(ticks) / ticksPerSecond);
    return { busy: user + nice + system + irq + softirq, steal, at };
  } catch {
    return undefined;
  }
}

/** Each file's seconds by its path in the repository, the longest first. */
export function secondsByFile(files: readonly FileTime[]): readonly (readonly [string, number])[] {
  return files
    .map(({ testFilePath, perfStats }) => [relative(repositoryFolder, testFilePath), perfStats.runtime / 1_000] as const)
    .sort(([, one], [, other]) => other - one);
}

export function describeTimes(files: readonly FileTime[], before?: ProcessorTime, after?: ProcessorTime): readonly string[] {
  const projects = Map.groupBy(files, ({ displayName }) => displayName?.name ?? 'tests');
  const perProject = [...projects].map(([name, of]) => {
    const seconds = of.reduce((sum, { perfStats }) => sum + perfStats.runtime / 1_000, 0);
    return `${name} ${seconds.toFixed(0)} s in ${of.length} files`;
  });
  const slowest = secondsByFile(files).slice(0, shownFiles);
  return [
    `Seconds inside files: ${perProject.join(', ')}`,
    ...(before && after ? [describeProcessors(before, after)] : []),
    'Slowest files:',
    ...slowest.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
  ];
}

function describeProcessors(before: ProcessorTime, after: ProcessorTime): string {
  const seconds = after.at - before.at;
  const share = (of: number) => (of / seconds).toFixed(2);
  return `Busy cores: ${share(after.busy - before.busy)}, stolen by other machines: ${share(after.steal - before.steal)}, over ${seconds.toFixed(0)} s`;
}
