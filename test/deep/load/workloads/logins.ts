import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials } from '../../../support/load/tenant.ts';
import { closedLoop, type Latency, median, openLoop, steadyRate } from '../drive.ts';
import { httpShot } from '../http.ts';
import { runFloor } from '../processes.ts';
import type { Workload } from '../workload.ts';

const devices = 32;
const meRate = 200;
const settleMs = 600;
/**
 * With about seventy logins a second V8 takes a minute to optimize the path: besides bcrypt a login
 * costs 6.5 ms at first and 4.1 ms then. A quick run has no time for that.
 */
const warmSeconds = { quick: 4, full: 40 };
/** A round starts with all loops at once and ends with fewer loops than cores. */
const leadSeconds = 0.5;

export const logins: Workload = {
  name: 'logins',
  about: 'logins at full rate against bcrypt alone on all cores, and what GET /api/me feels of them',
  run: async ({ isQuick, pace, stack, tenant }) => {
    let device = 0;
    using login = httpShot({
      origin: stack.url,
      method: 'POST',
      path: '/api/auth/login',
      headers: () => {
        device = (device + 1) % devices;
        return { 'user-agent': `device ${device}` };
      },
      body: JSON.stringify(credentials(tenant.owner.email)),
    });
    using me = httpShot({
      origin: stack.url,
      path: '/api/me',
      headers: { authorization: `Bearer ${tenant.owner.token}`, 'user-agent': 'bench' },
    });
    // A hundredth must be some requests, or the one that meets the garbage collector is it.
    const [rounds, feltSeconds, seconds] = isQuick ? [4, 1.5, 2.5] : [11, 4, 12];
    const cores = String(availableParallelism());
    const concurrency = 4 * availableParallelism();
    const full = (forSeconds: number) => closedLoop(login.shot, { concurrency, seconds: forSeconds });
    const feel = () => openLoop(me.shot, { rate: meRate, seconds: feltSeconds });

    const ours = () => steadyRate(login.shot, { concurrency, leadSeconds, seconds });
    const floor = () =>
      runFloor('bcrypt-all-cores.ts', seconds, { UV_THREADPOOL_SIZE: cores, ROUNDS: '10', LEAD_SECONDS: String(leadSeconds) });
    const during = async () => {
      // Starts counting when the first simultaneous logins have spread out, and lets running ones
      // continue until the end.
      const [{ failures }, felt] = await Promise.all([full(feltSeconds + settleMs / 1_000), sleep(settleMs).then(feel)]);
      return { ...felt, failures: felt.failures + failures };
    };
    await full(isQuick ? warmSeconds.quick : warmSeconds.full);
    await openLoop(me.shot, { rate: meRate, seconds: pace.warmSeconds });
    const [idle, busy] = await alternating(rounds, feel, during);
    const [reached, possible] = await alternating(pace.rounds, ours, floor);
    const failures = [...idle, ...busy, ...reached].reduce((sum, felt) => sum + felt.failures, 0);
    const [calm, felt] = [typical(idle), typical(busy)] as const;
    const rate = median(reached.map(({ perSecond }) => perSecond));
    return [
      {
        workload: 'logins',
        unit: 'a second',
        measured: rate,
        promise: { atLeast: 0.85 },
        failures,
        floor: { name: 'bcrypt alone on all cores', measured: median(possible) },
        ratio: rate / median(possible),
        note: 'both at the priority that the product gives bcrypt (niced by 10, in a session of its own)',
      },
      {
        workload: 'GET /api/me during logins: p99',
        unit: `ms at ${meRate}/s`,
        measured: felt.p99Ms,
        promise: { atMost: 2 },
        failures,
        floor: { name: 'idle', measured: calm.p99Ms },
        ratio: felt.p99Ms / calm.p99Ms,
        note: `medians of ${rounds} alternating rounds; p50 ${felt.p50Ms.toFixed(1)} ms against ${calm.p50Ms.toFixed(1)} ms idle`,
      },
    ];
  },
};

function typical(latencies: readonly Latency[]) {
  return {
    p50Ms: median(latencies.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(latencies.map(({ p99Ms }) => p99Ms)),
  };
}

/** Each side comes first equally often, so that other load affects both. */
async function alternating<One, Other>(
  rounds: number,
  one: () => Promise<One>,
  other: () => Promise<Other>,
): Promise<readonly [One[], Other[]]> {
  const [ones, others]: [One[], Other[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) ones.push(await one());
    others.push(await other());
    if (round % 2 === 1) ones.push(await one());
  }
  return [ones, others];
}
