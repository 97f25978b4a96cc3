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
  const flood = Promise.all(
    Array.from({ length: 300 }, (_, at) => createClient(stack.url, `device ${at % 8}`).post('/api/auth/login', body)),
  );
  const waits: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    const askedAt = performance.now();
    expect((await client.get('/api/me', token)).status).toBe(200);
    waits.push(performance.now() - askedAt);
  }
  const all = await flood;
  const lasted = performance.now() - beganAt;
  const answers = Map.groupBy(all, ({ status }) => status);
  expect([...answers.keys()].sort()).toStrictEqual([200, 503]);
  expect(answers.get(503)?.[0]?.body.code).toBe('SERVICE_UNAVAILABLE');
  // Those that get their turn within 4 s are served: about 90 where the processors are free.
  expect(answers.get(200)?.length ?? 0).toBeGreaterThanOrEqual(20);
  expect(Math.max(...waits.slice(1)) < lasted / 2).toStrictEqualFor(`waited ${waits.map(Math.round)} ms of ${Math.round(lasted)}`, true);
});
