/** Measures sides in alternating rounds of one run, so that other load affects all equally. */
import { closedLoop, type Latency, median, openLoop, type Shot } from './drive.ts';
import { cpuSeconds, type Processes } from './processes.ts';

export type Pace = { readonly rounds: number; readonly seconds: number; readonly warmSeconds: number };

/** For workloads over many processes: V8 optimizes only after about ten thousand requests. */
export function steady({ rounds, seconds, warmSeconds }: Pace): Pace {
  return { rounds, seconds: Math.max(seconds, 0.7), warmSeconds: Math.max(warmSeconds, 2) };
}

export type Side = {
  readonly name: string;
  readonly shot: Shot;
  readonly concurrency: number;
  /** The processes whose CPU time is measured. */
  readonly processes?: Processes;
  /** How many requests one shot stands for. */
  readonly perShot?: number;
};

export type Standing = {
  readonly perSecond: number;
  readonly failures: number;
  readonly cpuMsPerRequest: Readonly<Record<string, number>>;
};

type Tally = { readonly rates: number[]; answered: number; failures: number; readonly cpu: Record<string, number> };

function cpuNow(processes: Processes): Readonly<Record<string, number>> {
  const { user, system } = process.cpuUsage();
  return { client: (user + system) / 1e6, ...Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuSeconds(pid)])) };
}

async function runRound({ shot, concurrency, processes = {}, perShot = 1 }: Side, seconds: number, tally: Tally): Promise<void> {
  const before = cpuNow(processes);
  const { perSecond, answered, failures } = await closedLoop(shot, { concurrency, seconds });
  const after = cpuNow(processes);
  tally.rates.push(perSecond * perShot);
  tally.answered += answered * perShot;
  tally.failures += failures;
  for (const name of Object.keys(after)) tally.cpu[name] = (tally.cpu[name] ?? 0) + (after[name] ?? 0) - (before[name] ?? 0);
}

/** Medians of alternating rounds, in the order of the sides. */
export async function race(sides: readonly Side[], { rounds, seconds, warmSeconds }: Pace): Promise<readonly Standing[]> {
  const tallies = sides.map((): Tally => ({ rates: [], answered: 0, failures: 0, cpu: {} }));
  for (const side of sides) await closedLoop(side.shot, { concurrency: side.concurrency, seconds: warmSeconds });
  for (let round = 0; round < rounds; round += 1) {
    const order = sides.map((side, index) => [side, tallies[index] as Tally] as const);
    for (const [side, tally] of round % 2 === 0 ? order : order.reverse()) await runRound(side, seconds, tally);
  }
  return tallies.map(({ rates, answered, failures, cpu }) => ({
    perSecond: median(rates),
    failures,
    cpuMsPerRequest: Object.fromEntries(Object.entries(cpu).map(([name, used]) => [name, (used * 1_000) / Math.max(1, answered)])),
  }));
}

/** Latency at one fixed rate for all sides: medians over alternating rounds. */
export async function paced(shots: readonly Shot[], rate: number, { rounds, seconds }: Pace): Promise<readonly Latency[]> {
  const seen = shots.map((): Latency[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = shots.map((_, index) => index);
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const shot = shots[index];
      if (shot !== undefined) seen[index]?.push(await openLoop(shot, { rate, seconds }));
    }
  }
  return seen.map((latencies) => ({
    rate,
    p50Ms: median(latencies.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(latencies.map(({ p99Ms }) => p99Ms)),
    failures: latencies.reduce((sum, { failures }) => sum + failures, 0),
  }));
}

/** A rate that every side can keep, in round numbers. */
export function comfortableRate(standings: readonly Standing[], share = 0.3): number {
  const rate = Math.min(...standings.map(({ perSecond }) => perSecond)) * share;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(rate)) - 1);
  return Math.max(1, Math.floor(rate / step) * step);
}
