/** What a run measured. Ratios are of medians of alternating rounds in one run; absolute numbers hold for that machine only. */
export type Result = {
  readonly workload: string;
  readonly unit: string;
  readonly measured: number;
  /** The floor beside it, where there is one. */
  readonly floor?: { readonly name: string; readonly measured: number };
  readonly ratio?: number;
  /** The least (or, for `atMost`, the greatest) ratio or value that the project promises. */
  readonly promise?: { readonly atLeast: number } | { readonly atMost: number };
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly cpuMsPerRequest?: Readonly<Record<string, number>>;
  readonly queriesPerRequest?: number;
  readonly failures: number;
  readonly note?: string;
};

export const isKept = ({ promise, ratio, measured }: Result): boolean | undefined => {
  if (promise === undefined) return undefined;
  const value = ratio ?? measured;
  return 'atLeast' in promise ? value >= promise.atLeast : value <= promise.atMost;
};

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export const printTable = (results: readonly Result[]): void => {
  for (const result of results) {
    const { workload, unit, measured, floor, ratio, promise, p50Ms, p99Ms, cpuMsPerRequest, queriesPerRequest, failures, note } = result;
    const parts = [
      `${short(measured)} ${unit}`,
      ...(floor && ratio !== undefined ? [`${short(ratio)} of ${floor.name} (${short(floor.measured)})`] : []),
      ...(promise
        ? [`promise ${'atLeast' in promise ? `≥ ${promise.atLeast}` : `≤ ${promise.atMost}`} ${isKept(result) ? 'kept' : 'NOT KEPT'}`]
        : []),
      ...(p50Ms === undefined || p99Ms === undefined ? [] : [`p50 ${short(p50Ms)} ms, p99 ${short(p99Ms)} ms`]),
      ...(queriesPerRequest === undefined ? [] : [`${short(queriesPerRequest)} queries`]),
      ...(cpuMsPerRequest === undefined
        ? []
        : [
            Object.entries(cpuMsPerRequest)
              .map(([name, ms]) => `${name} ${short(ms)} ms CPU`)
              .join(', '),
          ]),
      ...(failures > 0 ? [`${failures} FAILURES`] : []),
      ...(note === undefined ? [] : [note]),
    ];
    console.log(`${workload.padEnd(34)} ${parts.join(' · ')}`);
  }
};
