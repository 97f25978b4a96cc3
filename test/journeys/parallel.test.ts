import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Answer, createClient } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { createPerson, dataOf, PASSWORD } from '../support/world.ts';

/** What arrives at the same moment, through the gateway and every service behind it. */
const stack = await openStack();

function atOnce(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, ask));
}
function statuses(answers: readonly Answer[]): Record<number, number> {
  return Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]));
}
function credentials(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
}

describe('at the same moment', () => {
  test('200 refreshes of one session: one successor, one session, and no other device is logged out [spec:session-states.3 spec:auth.3]', async () => {
    const { client, email, token, refreshToken } = await createPerson(stack);
    const other = createClient(stack.url, `another device of ${email}`);
    const elsewhere = dataOf(await other.post('/api/auth/login', credentials(email)));

    const answers = await atOnce(200, () => client.post('/api/auth/refresh', { refreshToken }));
    expect(statuses(answers)).toStrictEqual({ 200: 200 });
    const successors = new Set(answers.map(({ body }) => body.data.refreshToken));
    expect(successors.size).toBe(1);
    expect(new Set(answers.map(({ body }) => decodeJwt(body.data.accessToken).jti))).toStrictEqual(new Set([decodeJwt(token).jti]));

    const [successor] = successors;
    const next = dataOf(await client.post('/api/auth/refresh', { refreshToken: successor }));
    for (const accessToken of [token, next.accessToken, elsewhere.accessToken])
      expect((await client.get('/api/me', accessToken)).status).toBe(200);
    expect((await other.post('/api/auth/refresh', { refreshToken: elsewhere.refreshToken })).status).toBe(200);
    const { totalCount } = dataOf(await client.get('/api/me/sessions', next.accessToken));
    expect(totalCount).toBe(2);
  });

  test('50 logins of one device: one session, whose last token refreshes; the first device stays [spec:sessions.7]', async () => {
    const { client, email, token } = await createPerson(stack);
    const device = createClient(stack.url, `a new device of ${email}`);
    const answers = await atOnce(50, () => device.post('/api/auth/login', credentials(email)));
    expect(statuses(answers)).toStrictEqual({ 200: 50 });
    expect(new Set(answers.map(({ body }) => decodeJwt(body.data.accessToken).jti)).size).toBe(1);
    const looks = await Promise.all(answers.map(({ body }) => device.get('/api/me', body.data.accessToken)));
    expect(statuses(looks)).toStrictEqual({ 200: 50 });
    const refreshed = await Promise.all(
      answers.map(({ body }) => device.post('/api/auth/refresh', { refreshToken: body.data.refreshToken })),
    );
    expect(statuses(refreshed)).toStrictEqual({ 200: 1, 401: 49 });
    expect(dataOf(await client.get('/api/me/sessions', token)).totalCount).toBe(2);
  });

  test('50 registrations of one address: one person with one account, 49 conflicts', async () => {
    const email = `${randomUUID()}@example.com`;
    const client = createClient(stack.url, `device of ${email}`);
    const answers = await atOnce(50, () => client.post('/api/auth/register', credentials(email)));
    expect(statuses(answers)).toStrictEqual({ 201: 1, 409: 49 });
    const refusals = answers.filter(({ status }) => status === 409).map(({ body }) => [body.code, body.extensions]);
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toStrictEqual(1);
    expect(refusals[0]).toStrictEqual(['CONFLICT', { resource: 'AuthenticationMethod', field: 'providerId' }]);
    await waitForMail(stack.dataDir, email);
    const { accessToken, accounts } = dataOf(await client.post('/api/auth/login', credentials(email)));
    const winner = answers.find(({ status }) => status === 201)?.body.data.account;
    expect(accounts.map(({ id }: { id: string }) => id)).toStrictEqual([winner.id]);
    expect(dataOf(await client.get('/api/me', accessToken)).user.id).toBe(winner.ownerId);
  });
});
