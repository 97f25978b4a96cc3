import bcrypt from 'bcrypt';
import { generateSync } from 'otplib';
import { createAuthenticator } from '../../../../services/identity/src/testing/authenticator.ts';
import { type Client, createClient } from '../../../support/client.ts';
import { credentials, data, PASSWORD, type Person, registerPerson } from '../../../support/load/tenant.ts';
import type { Bench } from '../bench.ts';
import { median } from '../drive.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

/**
 * One at a time: what a person waits for, not what the machine can do at most. What requests take
 * that do nothing is measured beside them: it depends on the machine and the network.
 */
export const secondFactors: Workload = {
  name: 'second-factors',
  about: 'whole sign-ins of people with an authenticator app, a passkey and recovery codes, each against one bcrypt beside it',
  run: async (bench) => {
    const people: Enrolled[] = [];
    for (let count = bench.isQuick ? 8 : 20; count > 0; count -= 1) people.push(await enrol(bench));
    const [first] = people;
    if (first === undefined) throw new Error('no person has enrolled');
    // The code of the step before has confirmed the app; each later one is good once.
    const codes = people.flatMap((person) => [0, 1].map((step) => ({ person, step })));
    const passkeys = Array.from({ length: bench.isQuick ? 20 : 100 }, () => first);
    await warmUp(bench, people);
    return [
      ...(await measure(bench, { name: 'an authenticator app', requests: 2 }, codes, ({ person, step }) => withCode(person, step), first)),
      ...(await measure(bench, { name: 'a passkey', requests: 3 }, passkeys, withPasskey, first)),
    ];
  },
};

type Enrolled = Person & {
  readonly client: Client;
  readonly secret: string;
  readonly authenticator: ReturnType<typeof createAuthenticator>;
};

async function enrol({ stack }: Bench): Promise<Enrolled> {
  const client = createClient(stack.url, 'tessera-bench factors');
  const person = await registerPerson(stack, client, 'factors');
  const post = async (path: string, body: object, token: string) => data(await client.post(path, body, token));
  const { factor, secret } = await post('/api/me/second-factors/totp', {}, person.token);
  await post(`/api/me/second-factors/${factor.id}/confirm`, { code: codeOf(secret, -1) }, person.token);
  const { accessToken } = data(await client.post('/api/auth/refresh', { refreshToken: person.refreshToken }));
  const authenticator = createAuthenticator(stack.url);
  const options = await post('/api/me/passkeys/options', {}, accessToken);
  await post('/api/me/passkeys', { credential: authenticator.create(options) }, accessToken);
  return { ...person, token: accessToken, client, secret, authenticator };
}

/** Of the time step so many steps away. */
function codeOf(secret: string, steps: number): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}

async function firstFactor({ client, email }: Enrolled): Promise<string> {
  return data(await client.post('/api/auth/login', credentials(email))).secondFactor.token;
}

async function withCode(person: Enrolled, step: number): Promise<void> {
  const token = await firstFactor(person);
  data(await person.client.post('/api/auth/second-factor', { token, method: 'totp', code: codeOf(person.secret, step) }));
}

async function withPasskey(person: Enrolled): Promise<void> {
  const { client, authenticator } = person;
  const token = await firstFactor(person);
  const options = data(await client.post('/api/auth/second-factor/options', { token }));
  const credential = authenticator.get(options);
  data(await client.post('/api/auth/second-factor', { token, method: 'passkey', credential }));
}

/** Passkeys alone need no bcrypt, so that the services are warm soon. */
async function warmUp({ isQuick }: Bench, people: readonly Enrolled[]): Promise<void> {
  const end = performance.now() + (isQuick ? 2_000 : 15_000);
  await Promise.all(
    people.slice(0, 8).map(async ({ client, authenticator }) => {
      while (performance.now() < end) {
        const options = data(await client.post('/api/auth/passkey/options', {}));
        data(await client.post('/api/auth/passkey', { credential: authenticator.get(options) }));
      }
    }),
  );
  for (const person of people) await withPasskey(person);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The medians of what a sign-in takes beyond the bcrypt that was measured right before it. */
async function measure<Item>(
  { isQuick }: Bench,
  { name, requests }: { readonly name: string; readonly requests: number },
  items: readonly Item[],
  signIn: (item: Item) => Promise<void>,
  { client, token }: Enrolled,
): Promise<readonly Result[]> {
  const hash = await bcrypt.hash(PASSWORD, 10);
  const bcryptOnce = () => timed(() => bcrypt.compare(PASSWORD, hash));
  const [bare, beyond, hashes]: [number[], number[], number[]] = [[], [], []];
  for (const item of items) {
    await bcryptOnce();
    bare.push(await timed(async () => data(await client.get('/api/me', token))));
    const hashMs = await bcryptOnce();
    hashes.push(hashMs);
    beyond.push((await timed(() => signIn(item))) - hashMs);
  }
  const workload = `sign-in with a password and ${name}`;
  const note = `medians of ${items.length} sign-ins one after the other; one bcrypt takes ${median(hashes).toFixed(1)} ms${isQuick ? ', in a quick run' : ''}`;
  const bareNote = `without ${requests} times ${median(bare).toFixed(1)} ms, what GET /api/me takes in the same rhythm`;
  return [
    { workload: `${workload}: whole`, unit: 'ms beyond one bcrypt', measured: median(beyond), failures: 0, note },
    {
      workload: `${workload}: its own work`,
      unit: 'ms beyond one bcrypt',
      measured: median(beyond) - requests * median(bare),
      failures: 0,
      promise: { atMost: 10 },
      note: bareNote,
    },
  ];
}
