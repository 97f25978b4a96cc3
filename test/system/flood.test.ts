import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from './client.ts';
import { startOwnStack } from './stack.ts';
import { createPerson, PASSWORD } from './world.ts';

// Real bcrypt cost, because cheap hashes never fill the queue; and a long timeout for slow
// machines.
const stack = await startOwnStack({ env: { TOKEN_BCRYPT_ROUNDS: '10', GATEWAY_UPSTREAM_TIMEOUT_SECONDS: '600' } });
const person = await createPerson(stack);
afterAll(() => stack.close());

test('logins beyond the queue are refused at once, and signed-in users do not wait behind them', async () => {
  const { client, email, token } = person;
  const body = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
  const beganAt = performance.now();
  let lasted: number | undefined;
  const flood = Promise.all(
    Array.from({ length: 300 }, (_, at) => createClient(stack.url, `device ${at % 8}`).post('/api/auth/login', body)),
  ).finally(() => {
    lasted = performance.now() - beganAt;
  });
  const waits: number[] = [];
  while (lasted === undefined) {
    const askedAt = performance.now();
    expect((await client.get('/api/me', token)).status).toBe(200);
    waits.push(performance.now() - askedAt);
    await setTimeout(50);
  }
  const answers = Map.groupBy(await flood, ({ status }) => status);
  // How many are served depends on the machine: those that get their turn within 4 s.
  expect([...answers.keys()].sort()).toStrictEqual([200, 503]);
  expect(answers.get(503)?.[0]?.body.code).toBe('SERVICE_UNAVAILABLE');
  // Behind the flood the first look would be the only one. It waits for the flood's connections.
  const seen = `waited ${waits.map(Math.round)} ms of ${Math.round(lasted)}`;
  expect(waits.length >= 5 && Math.max(...waits.slice(1)) < lasted / 2).toStrictEqualFor(seen, true);
});
