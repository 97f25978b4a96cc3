import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '../support/client.ts';
import { startOwnStack } from '../support/shared-stack.ts';
import { createPerson, PASSWORD } from '../support/world.ts';

// Real bcrypt cost, because cheap hashes never fill the queue; and a long timeout for slow
// machines.
const stack = await startOwnStack({ env: { TOKEN_BCRYPT_ROUNDS: '10', GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '600' } });
const person = await createPerson(stack);
afterAll(() => stack.close());

/** As many sign-ins wait or run; the longest that one waits, at this cost of a hash. */
const [places, longestWaitMs] = [96, 3_948];

test('logins beyond the queue are refused at once, and signed-in users do not wait behind them', async () => {
  const { client, email, token } = person;
  const body = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
  const timed = async <Answer>(work: Promise<Answer>) => {
    const askedAt = performance.now();
    const answer = await work;
    return { answer, ms: performance.now() - askedAt };
  };
  let isOver = false;
  const flood = timed(
    Promise.all(
      Array.from({ length: 300 }, (_, at) => timed(createClient(stack.url, `device ${at % 8}`).post('/api/auth/login', body))),
    ).finally(() => {
      isOver = true;
    }),
  );
  const waits: number[] = [];
  while (!isOver) {
    const { answer, ms } = await timed(client.get('/api/me', token));
    expect(answer.status).toBe(200);
    waits.push(ms);
    await setTimeout(50);
  }
  const { answer: all, ms: lasted } = await flood;
  const answers = Map.groupBy(all, ({ answer }) => answer.status);
  expect([...answers.keys()].sort()).toStrictEqual([200, 503]);
  const [served = [], refused = []] = [answers.get(200), answers.get(503)];
  expect(new Set(refused.map(({ answer }) => answer.body.code))).toStrictEqual(new Set(['SIGN_IN_BUSY']));
  // How many are served depends on the machine. No place of the queue is given up before its time.
  const [late, atOnce] = [refused.filter(({ ms }) => ms >= longestWaitMs), refused.filter(({ ms }) => ms < longestWaitMs)];
  expect(served.length + late.length).toBeGreaterThanOrEqual(places);
  expect(Math.max(...atOnce.map(({ ms }) => ms)) < longestWaitMs / 2).toStrictEqualFor(
    atOnce.map(({ ms }) => Math.round(ms)),
    true,
  );
  // Behind the flood the first look would be the only one. It waits for the flood's connections.
  const seen = `waited ${waits.map(Math.round)} ms of ${Math.round(lasted)}`;
  expect(waits.length >= 10 && Math.max(...waits.slice(1)) < lasted / 2).toStrictEqualFor(seen, true);
});
