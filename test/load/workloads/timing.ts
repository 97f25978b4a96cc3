import { randomUUID } from 'node:crypto';
import type { Bench } from '../bench.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

/** Under the null hypothesis 997 of 1,000 runs stay below this. */
const acceptedDeviations = 3;

/** Sends one request for an address and returns its status, equal for known and unknown ones. */
type Probe = { readonly name: string; readonly ask: (email: string) => Promise<number> };

export const timing: Workload = {
  name: 'timing',
  about: 'whether answers for known and unknown addresses can be told apart by their time (Mann-Whitney)',
  run: async (bench) => {
    const results: Result[] = [];
    for (const probe of probesOf(bench)) results.push(await compareTimes(bench, probe));
    return results;
  },
};

function probesOf({ tenant: { client } }: Bench): readonly Probe[] {
  return [
    {
      name: 'login',
      ask: async (email) =>
        (await client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: 'Wrong-Horse7!' } }))
          .status,
    },
    { name: 'password reset', ask: async (email) => (await client.post('/api/auth/request-password-reset', { email })).status },
    { name: 'resend verification', ask: async (email) => (await client.post('/api/auth/resend-verification', { email })).status },
  ];
}

/** Pairs in random order, so that whatever else the machine does disturbs both alike. */
async function compareTimes({ isQuick, tenant }: Bench, { name, ask }: Probe): Promise<Result> {
  const pairs = isQuick ? 60 : 250;
  const [known, unknown]: [number[], number[]] = [[], []];
  let failures = 0;
  for (let pair = -5; pair < pairs; pair += 1) {
    const statuses: number[] = [];
    const sides = [
      { email: tenant.owner.email, times: known },
      { email: `${randomUUID()}@example.com`, times: unknown },
    ];
    for (const { email, times } of Math.random() < 0.5 ? sides : sides.reverse()) {
      const startedAt = performance.now();
      statuses.push(await ask(email));
      if (pair >= 0) times.push(performance.now() - startedAt);
    }
    if (statuses[0] !== statuses[1]) failures += 1;
  }
  const measured = Math.abs(deviations(known, unknown));
  const promise = { atMost: acceptedDeviations };
  return { workload: `timing: ${name}, known or unknown`, unit: 'standard deviations from chance', measured, promise, failures };
}

/** How far the rank sum of `one` is from chance, in standard deviations (ties count half). */
function deviations(one: readonly number[], other: readonly number[]): number {
  const wins = one.reduce(
    (sum, mine) => sum + other.reduce((count, theirs) => count + (mine > theirs ? 1 : mine === theirs ? 0.5 : 0), 0),
    0,
  );
  const [n, m] = [one.length, other.length];
  return (wins - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
