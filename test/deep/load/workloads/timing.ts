import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import { data, signIn } from '../../../support/load/tenant.ts';
import type { Bench } from '../bench.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

/** Under the null hypothesis 997 of 1,000 runs stay below this. */
const acceptedDeviations = 3;

/** Sends one request for an address and returns its status, equal for known and unknown ones. */
type Probe = {
  readonly name: string;
  readonly ask: (email: string) => Promise<number>;
  /** By default the owner's and addresses at random. */
  readonly known?: () => string;
  readonly unknown?: () => string;
  /** So many pairs at once: a refused sign-in waits for most of its time. */
  readonly lanes?: number;
};

export const timing: Workload = {
  name: 'timing',
  about: 'whether answers for known and unknown addresses can be told apart by their time (Mann-Whitney)',
  run: async (bench) => {
    const results: Result[] = [];
    const probes = probesOf(bench);
    for (const probe of probes) results.push(await compareTimes(bench, probe));
    const [login] = probes;
    if (login !== undefined) results.push(await compareTimes(bench, await amongImported(bench, login)));
    return results;
  },
};

const perKind = 200;
const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
/** Hashes of no password, which cost as others of their kind. */
const importedHashes = {
  argon2: () => `$argon2id$v=19$m=19456,t=2,p=1$${base64(16)}$${base64(32)}`,
  scrypt: () => `$scrypt$ln=14,r=8,p=1$${base64(16)}$${base64(32)}`,
  pbkdf2: () => `$pbkdf2-sha256$200000$${base64(16)}$${base64(32)}`,
} as const;

function letters(): string {
  return `${Array.from({ length: 12 }, () => String.fromCharCode(97 + randomInt(26))).join('')}@example.com`;
}

/** Imported hashes cost their own time; a refusal must take no other for it. */
async function amongImported({ stack, tenant }: Bench, login: Probe): Promise<Probe> {
  const people = Object.entries(importedHashes).flatMap(([hashAlgorithm, hash]) =>
    Array.from({ length: perKind }, () => ({ email: letters(), passwordHash: hash(), hashAlgorithm, emailVerified: true })),
  );
  const known = await withClient(stack.adminDatabaseUrl ?? '', async (admin) => {
    await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [tenant.owner.userId]);
    Object.assign(tenant.owner, await signIn(tenant.client, tenant.owner.email));
    for (let from = 0; from < people.length; from += 500)
      data(await tenant.client.post('/api/platform/users/import', { users: people.slice(from, from + 500) }, tenant.owner.token));
    const { rows } = await admin.query<{ email: string }>(
      `SELECT provider_id AS email FROM identity.authentication_methods WHERE provider_data ->> 'passwordHash' LIKE 'imported:%'`,
    );
    return rows.map(({ email }) => email);
  });
  if (known.length !== people.length) throw new Error(`${known.length} of ${people.length} people are there`);
  return {
    ...login,
    name: 'login among people imported with argon2, scrypt and pbkdf2',
    known: () => known[randomInt(known.length)] ?? '',
    unknown: letters,
  };
}

function probesOf({ tenant: { client } }: Bench): readonly Probe[] {
  return [
    {
      name: 'login',
      lanes: 4,
      ask: async (email) =>
        (await client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: 'Wrong-Horse7!' } }))
          .status,
    },
    { name: 'password reset', ask: async (email) => (await client.post('/api/auth/request-password-reset', { email })).status },
    { name: 'resend verification', ask: async (email) => (await client.post('/api/auth/resend-verification', { email })).status },
  ];
}

/** Pairs in random order, so that whatever else the machine does disturbs both alike. */
async function compareTimes({ isQuick, tenant }: Bench, { name, ask, lanes = 1, ...addresses }: Probe): Promise<Result> {
  const { known: knownOne = () => tenant.owner.email, unknown: unknownOne = () => `${randomUUID()}@example.com` } = addresses;
  const pairs = Math.ceil((isQuick ? 60 : 250) / lanes);
  const [known, unknown]: [number[], number[]] = [[], []];
  let failures = 0;
  const askPairs = async () => {
    for (let pair = -5; pair < pairs; pair += 1) {
      const statuses: number[] = [];
      const sides = [
        { email: knownOne(), times: known },
        { email: unknownOne(), times: unknown },
      ];
      for (const { email, times } of Math.random() < 0.5 ? sides : sides.reverse()) {
        const startedAt = performance.now();
        statuses.push(await ask(email));
        if (pair >= 0) times.push(performance.now() - startedAt);
      }
      if (statuses[0] !== statuses[1]) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, askPairs));
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
