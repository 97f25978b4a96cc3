import bcrypt from 'bcrypt';
import { generateSync } from 'otplib';
import { createAuthenticator } from '../../../services/identity/src/testing/authenticator.ts';
import { type Client, createClient } from '../../system/client.ts';
import type { Bench } from '../bench.ts';
import { median } from '../drive.ts';
import type { Result } from '../report.ts';
import { credentials, data, PASSWORD, type Person, registerPerson } from '../tenant.ts';
import type { Workload } from '../workload.ts';

/** One at a time: what a person waits for, not what the machine can do at most. */
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
    for (const person of people) await withPasskey(person);
    return [
      await measure(bench, 'an authenticator app', codes, ({ person, step }) => withCode(person, step)),
      await measure(bench, 'a passkey', passkeys, withPasskey),
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
  return { ...person, client, secret, authenticator };
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

/** The median of what a sign-in takes beyond the bcrypt that was measured right before it. */
async function measure<Item>(
  { isQuick }: Bench,
  name: string,
  items: readonly Item[],
  signIn: (item: Item) => Promise<void>,
): Promise<Result> {
  const hash = await bcrypt.hash(PASSWORD, 10);
  const [beyond, hashes]: [number[], number[]] = [[], []];
  for (const item of items) {
    const startedAt = performance.now();
    await bcrypt.compare(PASSWORD, hash);
    const hashedAt = performance.now();
    await signIn(item);
    hashes.push(hashedAt - startedAt);
    beyond.push(performance.now() - hashedAt - (hashedAt - startedAt));
  }
  return {
    ...{ workload: `sign-in with a password and ${name}`, unit: 'ms beyond one bcrypt', measured: median(beyond), failures: 0 },
    promise: { atMost: 10 },
    note: `medians of ${items.length} sign-ins one after the other; one bcrypt takes ${median(hashes).toFixed(1)} ms${isQuick ? ', in a quick run' : ''}`,
  };
}
