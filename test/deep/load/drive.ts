/** Load from one process: closed loop for throughput, open loop for latency. */
import { setTimeout as sleep } from 'node:timers/promises';

/** One request of a workload; rejects when the answer is not the expected one. */
export type Shot = () => Promise<void>;

export type Throughput = { readonly perSecond: number; readonly answered: number; readonly failures: number };
export type Latency = { readonly rate: number; readonly p50Ms: number; readonly p99Ms: number; readonly failures: number };

/** The first failure of a run, to explain why a workload failed. */
let firstFailure: unknown;
export function takeFirstFailure(): unknown {
  const taken = firstFailure;
  firstFailure = undefined;
  return taken;
}

/** `concurrency` loops, each sending its next request when the last was answered. */
export async function closedLoop(shot: Shot, { concurrency, seconds }: { concurrency: number; seconds: number }): Promise<Throughput> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let answered = 0;
  let failures = 0;
  const loop = async () => {
    while (performance.now() < endsAt) {
      try {
        await shot();
        answered += 1;
      } catch (error) {
        failures += 1;
        firstFailure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { perSecond: answered / ((performance.now() - startedAt) / 1_000), answered, failures };
}

/** Responses per second while all loops run; the start and the end of a round are not counted. */
export async function steadyRate(
  shot: Shot,
  { concurrency, leadSeconds, seconds }: { concurrency: number; leadSeconds: number; seconds: number },
): Promise<Pick<Throughput, 'perSecond' | 'failures'>> {
  const from = performance.now() + leadSeconds * 1_000;
  const until = from + seconds * 1_000;
  let counted = 0;
  const timed = async () => {
    await shot();
    const answeredAt = performance.now();
    if (answeredAt >= from && answeredAt < until) counted += 1;
  };
  const { failures } = await closedLoop(timed, { concurrency, seconds: leadSeconds + seconds });
  return { perSecond: counted / seconds, failures };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Sends at a fixed rate and measures from when a request was due (no coordinated omission). */
export async function openLoop(shot: Shot, { rate, seconds }: { rate: number; seconds: number }): Promise<Latency> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const total = Math.floor(rate * seconds);
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate) + 1);
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent / rate) * 1_000;
      pending.push(
        shot().then(
          () => void times.push(performance.now() - dueAt),
          (error: unknown) => {
            failures += 1;
            firstFailure ??= error;
          },
        ),
      );
    }
    await sleep(1);
  }
  await Promise.all(pending);
  times.sort((a, b) => a - b);
  return { rate, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), failures };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
