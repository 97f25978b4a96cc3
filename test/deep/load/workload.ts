import type { Bench } from './bench.ts';
import { type HttpTarget, httpShot } from './http.ts';
import { comfortableRate, type Pace, paced, race, type Side, type Standing } from './race.ts';
import type { Result } from './report.ts';

export type Workload = {
  readonly name: string;
  readonly about: string;
  /** Has no promise and takes long, so that quick runs leave it out unless it is named. */
  readonly isLeisurely?: boolean;
  /** What must be there before the stack of the run starts. */
  readonly prepare?: () => Promise<void>;
  run(bench: Bench): Promise<readonly Result[]>;
};

type Comparison = {
  readonly workload: string;
  readonly unit?: string;
  readonly measured: Side;
  readonly floor: Side;
  readonly promise?: Result['promise'];
  readonly isByCpu?: boolean;
  /** Also at one fixed rate; with `atMost`, the p99 may be that many times the floor's. */
  readonly latency?: { readonly atMost?: number; readonly share?: number; readonly rate?: number };
  readonly queriesPerRequest?: number;
  readonly note?: string;
};

/** Of single processes on the servers' side; Postgres is many. */
function busiest(cpuMs: Standing['cpuMsPerRequest']): number {
  return Math.max(...Object.entries(cpuMs).map(([name, ms]) => (name === 'client' || name === 'postgres' ? 0 : ms)));
}

/** The measured side against its floor: rates, and on request latencies at a fixed rate. */
export async function compare(pace: Pace, comparison: Comparison): Promise<readonly Result[]> {
  const { workload, unit = 'a second', measured, floor, promise, isByCpu, latency, queriesPerRequest, note } = comparison;
  const standings = await race([measured, floor], pace);
  const [ours, floors] = standings;
  if (ours === undefined || floors === undefined) throw new Error('a race has no result');
  const rates: Result = {
    workload,
    unit,
    measured: ours.perSecond,
    floor: { name: floor.name, measured: floors.perSecond, cpuMsPerRequest: floors.cpuMsPerRequest },
    ratio: ours.perSecond / floors.perSecond,
    cpuRatio: busiest(floors.cpuMsPerRequest) / busiest(ours.cpuMsPerRequest),
    promise,
    isByCpu,
    cpuMsPerRequest: ours.cpuMsPerRequest,
    queriesPerRequest,
    failures: ours.failures + floors.failures,
    note,
  };
  if (latency === undefined) return [rates];
  const rate = latency.rate ?? comfortableRate(standings, latency.share);
  // Where nothing is promised of it, one look will do.
  const looks = latency.atMost === undefined ? { ...pace, rounds: 1 } : pace;
  const [ourTimes, floorTimes] = await paced([measured.shot, floor.shot], rate, looks);
  if (ourTimes === undefined || floorTimes === undefined) throw new Error('a race has no latency');
  return [
    { ...rates, rate, p50Ms: ourTimes.p50Ms, p99Ms: ourTimes.p99Ms, failures: rates.failures + ourTimes.failures + floorTimes.failures },
    {
      workload: `${workload}: p99`,
      unit: `ms at ${rate}/s`,
      measured: ourTimes.p99Ms,
      floor: { name: floor.name, measured: floorTimes.p99Ms },
      ratio: ourTimes.p99Ms / floorTimes.p99Ms,
      promise: latency.atMost === undefined ? undefined : { atMost: latency.atMost },
      failures: ourTimes.failures + floorTimes.failures,
    },
  ];
}

type RequestSide = Pick<Side, 'name' | 'processes'> & { readonly target: HttpTarget };
type RequestComparison = Omit<Comparison, 'measured' | 'floor'> & { readonly measured: RequestSide; readonly floor: RequestSide };

/** The same request on both sides, 64 at a time. */
export async function compareRequests(pace: Pace, { measured, floor, ...more }: RequestComparison): Promise<readonly Result[]> {
  using ours = httpShot(measured.target);
  using bare = httpShot(floor.target);
  const sides = { measured: { ...measured, ...ours, concurrency: 64 }, floor: { ...floor, ...bare, concurrency: 64 } };
  return await compare(pace, { ...more, ...sides });
}

/** One side alone, closed loop and then at a fixed rate. */
export async function observe(pace: Pace, workload: string, side: Side, extra: Partial<Result> = {}): Promise<Result> {
  const [standing] = await race([side], pace);
  if (standing === undefined) throw new Error('a race has no result');
  const rate = comfortableRate([standing]);
  const [times] = await paced([side.shot], rate, { ...pace, rounds: 1 });
  return {
    workload,
    unit: 'a second',
    measured: standing.perSecond,
    cpuMsPerRequest: standing.cpuMsPerRequest,
    rate,
    p50Ms: times?.p50Ms,
    p99Ms: times?.p99Ms,
    failures: standing.failures + (times?.failures ?? 0),
    ...extra,
  };
}
