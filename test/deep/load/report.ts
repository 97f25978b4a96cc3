import { readFileSync } from 'node:fs';

/** The results of a run. Absolute numbers are valid for that machine only. */
export type Result = {
  readonly workload: string;
  readonly unit: string;
  readonly measured: number;
  /** The floor beside it, where there is one. */
  readonly floor?:
    | { readonly name: string; readonly measured: number; readonly cpuMsPerRequest?: Readonly<Record<string, number>> }
    | undefined;
  readonly ratio?: number | undefined;
  /** The same ratio by CPU time per request of each side's busiest process. */
  readonly cpuRatio?: number | undefined;
  /** The least (or, for `atMost`, the greatest) ratio or value that the project promises. */
  readonly promise?: { readonly atLeast: number } | { readonly atMost: number } | undefined;
  /** The promise is one of CPU time: rates differ where neighbours take the cores away. */
  readonly isByCpu?: boolean | undefined;
  readonly rate?: number | undefined;
  readonly p50Ms?: number | undefined;
  readonly p99Ms?: number | undefined;
  readonly cpuMsPerRequest?: Readonly<Record<string, number>> | undefined;
  readonly queriesPerRequest?: number | undefined;
  readonly failures: number;
  readonly note?: string | undefined;
};

export function isKept({ promise, isByCpu = false, ratio, cpuRatio, measured, failures }: Result): boolean | undefined {
  if (promise === undefined) return undefined;
  const value = (isByCpu ? cpuRatio : ratio) ?? measured;
  if (failures > 0) return false;
  return 'atLeast' in promise ? value >= promise.atLeast : value <= promise.atMost;
}

export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function promiseText({ promise, isByCpu = false }: Result): string {
  if (promise === undefined) return '';
  const by = isByCpu ? ' by CPU' : '';
  return 'atLeast' in promise ? `≥ ${promise.atLeast}${by}` : `≤ ${promise.atMost}${by}`;
}

function cpuText(cpu: Readonly<Record<string, number>>): string {
  return Object.entries(cpu)
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name} ${short(ms)}`)
    .join(', ');
}

export function describeResult(result: Result): string {
  const { workload, unit, measured, floor, ratio, cpuRatio, promise, rate, p50Ms, p99Ms } = result;
  const { cpuMsPerRequest, queriesPerRequest, failures, note } = result;
  const parts = [
    `${short(measured)} ${unit}`,
    ...(floor ? [`${ratio === undefined ? '' : `${short(ratio)} of `}${floor.name} (${short(floor.measured)})`] : []),
    ...(cpuRatio === undefined ? [] : [`${short(cpuRatio)} by CPU`]),
    ...(promise ? [`promise ${promiseText(result)} ${isKept(result) ? 'kept' : 'NOT KEPT'}`] : []),
    ...(p50Ms === undefined || p99Ms === undefined ? [] : [`p50 ${short(p50Ms)} ms, p99 ${short(p99Ms)} ms at ${short(rate ?? 0)}/s`]),
    ...(queriesPerRequest === undefined ? [] : [`${short(queriesPerRequest)} queries`]),
    ...(cpuMsPerRequest === undefined
      ? []
      : [`CPU ms: ${cpuText(cpuMsPerRequest)}${floor?.cpuMsPerRequest ? ` (floor: ${cpuText(floor.cpuMsPerRequest)})` : ''}`]),
    ...(failures > 0 ? [`${failures} FAILURES`] : []),
    ...(note === undefined ? [] : [note]),
  ];
  return `${workload.padEnd(44)} ${parts.join(' · ')}`;
}

export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGibibytes: number;
  readonly system: string;
  readonly node: string;
  readonly postgres: string;
};

export type Run = {
  readonly at: string;
  readonly isQuick: boolean;
  readonly machine: Machine;
  /** Load averages when it began and ended: what else the machine had to do. */
  readonly load: { readonly before: number; readonly after: number };
  /** Resident MiB of each process after the run. */
  readonly memoryMebibytes: Readonly<Record<string, number>>;
  readonly results: readonly Result[];
  /** Workloads that could not be run, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
};

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function promised(result: Result): readonly string[] {
  const { workload, unit, measured, floor, ratio, cpuRatio, note, failures } = result;
  return [
    workload,
    `${short(measured)} ${unit}`,
    floor ? `${short(floor.measured)} (${floor.name})` : '',
    ratio === undefined ? '' : short(ratio),
    cpuRatio === undefined ? '' : short(cpuRatio),
    promiseText(result),
    isKept(result) ? 'kept' : '**not kept**',
    [failures > 0 ? `${failures} failures` : '', note ?? ''].filter((text) => text !== '').join('; '),
  ];
}

function observed(result: Result): readonly string[] {
  const { workload, unit, measured, floor, ratio, rate, p50Ms, p99Ms } = result;
  const { queriesPerRequest, cpuMsPerRequest, note } = result;
  return [
    workload,
    `${short(measured)} ${unit}`,
    floor ? `${ratio === undefined ? '' : `${short(ratio)} of `}${floor.name}` : '',
    p50Ms === undefined || p99Ms === undefined ? '' : `${short(p50Ms)} / ${short(p99Ms)} at ${short(rate ?? 0)}/s`,
    queriesPerRequest === undefined ? '' : short(queriesPerRequest),
    cpuMsPerRequest === undefined ? '' : cpuText(cpuMsPerRequest),
    note ?? '',
  ];
}

/**
 * Measured once outside this bench, and kept. What is written into docs/performance.md alone is
 * lost with the next run that writes it.
 */
const mended = readFileSync(new URL('./results/mended-reads.md', import.meta.url), 'utf8').trimEnd();

/** docs/performance.md: nothing else in it is written by hand. */
export function renderDocument({ at, isQuick, machine, load, memoryMebibytes, results, missing }: Run): string {
  const { cpu, cores, memoryGibibytes, system, node, postgres } = machine;
  return [
    '# Performance',
    '',
    '<!-- Written by `npm run bench -- --write` from test/deep/load/results/latest.json. -->',
    '',
    'Every workload runs beside the floor under it, in alternating rounds of one run: the same client, the same concurrency, medians of rounds.',
    'Ratios travel from machine to machine; absolute numbers do not. `npm run bench` repeats it, `-- --quick` judges every promise within three minutes, `-- --only <workload>` one part.',
    '',
    `Measured ${at.slice(0, 10)}${isQuick ? ' (quick run)' : ''} on ${cores} cores of ${cpu}, ${short(memoryGibibytes)} GiB, ${system}, Node ${node}, Postgres ${postgres}.`,
    `Client, services and Postgres shared these cores; the load average was ${short(load.before)} when the run began and ${short(load.after)} when it ended.`,
    '',
    '## Promises',
    '',
    'Promises are judged by the measured ratio, or by the ratio of CPU where they say so. Where neighbours take the cores away, a side with more processes loses more of its rate; the ratio',
    'by CPU (floor to measured, of the busiest process on each side) shows what is left where each process has a core of its own.',
    '',
    row(['Workload', 'Measured', 'Floor', 'Ratio', 'By CPU', 'Promise', '', 'Note']),
    row(Array(8).fill('---')),
    ...results.filter(({ promise }) => promise !== undefined).map((result) => row(promised(result))),
    '',
    '## Observed',
    '',
    row(['Workload', 'Measured', 'Beside', 'p50 / p99 ms', 'Queries', 'CPU ms a request', 'Note']),
    row(Array(7).fill('---')),
    ...results
      .filter(({ promise, cpuMsPerRequest, p50Ms }) => promise === undefined || cpuMsPerRequest || p50Ms)
      .map((result) => row(observed(result))),
    '',
    mended,
    '',
    '## Memory after the run',
    '',
    Object.entries(memoryMebibytes)
      .map(([name, mebibytes]) => `${name} ${short(mebibytes)} MiB`)
      .join(', '),
    '',
    ...(Object.keys(missing).length === 0
      ? []
      : ['## Not measured', '', ...Object.entries(missing).map(([name, reason]) => `- ${name}: ${reason}`), '']),
  ].join('\n');
}
