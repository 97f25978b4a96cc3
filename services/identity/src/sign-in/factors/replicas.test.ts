/** Two replicas of the service on one database: what counts, counts in both. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { codeOf, firstFactor, secondFactor, withTotp } from '../../testing/factors.ts';
import { startIdentity } from '../../testing/service.ts';

const first = await startIdentity();
const second = await startIdentity({ IDENTITY_DATABASE_URL: first.databaseUrl });
const replicas = [first, second];

describe('two replicas', () => {
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  test('five wrong codes end the token, however they are spread', async () => {
    const { email, secret } = await withTotp(first);
    const { token } = await firstFactor(first, email);
    const wrong = { token, method: 'totp', code: '000000' };
    const answers = await Promise.all(replicas.flatMap((replica) => Array.from({ length: 6 }, () => secondFactor(replica, wrong))));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([...Array(7).fill(400), ...Array(5).fill(401)]);
    for (const replica of replicas) expect((await secondFactor(replica, { token, method: 'totp', code: codeOf(secret) })).status).toBe(400);
  });

  test('ten wrong codes an hour are judged, from sign-ins that both began at once, then neither takes the right one', async () => {
    const { email, secret } = await withTotp(first);
    const tried = replicas.flatMap((replica, at) =>
      Array.from({ length: 4 }, async (_, device) => {
        const { token } = await firstFactor(replica, email, `device ${at} ${device}`);
        const other = replicas[1 - at] ?? replica;
        const wrong = { token, method: 'totp', code: '000000' };
        return Promise.all([secondFactor(replica, wrong), secondFactor(other, wrong)]);
      }),
    );
    const statuses = (await Promise.all(tried)).flat().map(({ status }) => status);
    expect(statuses.toSorted()).toStrictEqual([...Array(10).fill(401), ...Array(6).fill(429)]);
    for (const replica of replicas) {
      const { token } = await firstFactor(replica, email, 'owner');
      const answer = await secondFactor(replica, { token, method: 'totp', code: codeOf(secret) });
      expect([answer.status, answer.body.code]).toStrictEqual([429, 'RATE_LIMIT_EXCEEDED']);
    }
  });

  test('a code that one takes is used up in the other, also at the same moment', async () => {
    const { email, secret } = await withTotp(first);
    const code = codeOf(secret);
    const waiting = await Promise.all(replicas.map((replica, at) => firstFactor(replica, email, `device ${at}`)));
    const answers = await Promise.all(
      replicas.map((replica, at) => secondFactor(replica, { token: waiting[at]?.token, method: 'totp', code })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 401]);
  });
});
