/** A code by mail as a way in (decision 28): who gets in, what is counted, what tells nothing. */
import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { until } from '../../../../test/support/until.ts';
import { openBrowser } from '../testing/browser.ts';
import { codeOf, secondFactor, withTotp } from '../testing/factors.ts';
import { startOauth } from '../testing/oauth.ts';
import { openidOf } from '../testing/openid.ts';
import { projectsOf } from '../testing/project.ts';
import { appUrl, claimsOf, login, type Registered, registered } from '../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const projects = await projectsOf(service);
const openid = openidOf(service, projects);

const ask = (email: string, more: object = {}, ip = '192.0.2.1') =>
  service.ask('POST', '/api/auth/email-code', { body: { email, ...more }, ip });
const verify = (email: string, code: string, userAgent = 'test agent') =>
  service.ask('POST', '/api/auth/email-code/verify', { body: { email, code }, userAgent });
const origin = { origin: appUrl };

async function codesTo(email: string, count: number): Promise<string[]> {
  let codes: string[] = [];
  await until(async () => {
    codes = (await service.mails(email, 0)).filter(({ template }) => template === 'sign-in-code').map(({ data }) => String(data.code));
    return codes.length >= count;
  });
  return codes;
}
const newest = async (email: string, count = 1) => (await codesTo(email, count)).at(-1) ?? '';
/** Another one than this. */
const wrong = (code: string, step = 1) => String((Number(code) + step) % 1_000_000).padStart(6, '0');

async function requested(person: Pick<Registered, 'email'>, count = 1): Promise<string> {
  expect((await ask(person.email)).status).toBe(202);
  return newest(person.email, count);
}

describe('a code by mail', () => {
  test('signs in once, in whatever way the address is written, with one factor and a session like every other', async () => {
    const person = await registered(service);
    expect((await ask(person.email.toUpperCase())).status).toBe(202);
    const code = await newest(person.email);
    const [mail] = (await service.mails(person.email, 1)).filter(({ template }) => template === 'sign-in-code');
    expect(mail?.subject).toContain(code);
    expect(mail?.text).not.toContain('ends what was made');
    const answer = await verify(person.email.toUpperCase(), ` ${code.slice(0, 3)} ${code.slice(3)} `, 'telephone');
    expect([answer.status, claimsOf(answer.body.data.accessToken)]).toMatchObject([200, { sub: person.userId, acr: 'aal1', amr: ['otp'] }]);
    expect(answer.cookie).toMatch(/^refresh_token=/);
    expect((await verify(person.email, code, 'telephone')).status).toBe(400);
    expect((await service.ask('GET', '/api/me', { token: person.accessToken })).status).toBe(200);
  });

  test('of requests that send it at once signs in one', async () => {
    const person = await registered(service);
    const code = await requested(person);
    const answers = await Promise.all([1, 2, 3, 4].map((n) => verify(person.email, code, `agent ${n}`)));
    expect(answers.map(({ status }) => status).toSorted()).toStrictEqual([200, 400, 400, 400]);
  });

  test('ends with the next one of the same client', async () => {
    const person = await registered(service);
    const first = await requested(person);
    const second = await requested(person, 2);
    if (first !== second) expect((await verify(person.email, first)).status).toBe(401);
    expect((await verify(person.email, second)).status).toBe(200);
  });

  test('is over after ten minutes, and at the fifth wrong try', async () => {
    const person = await registered(service);
    const code = await requested(person);
    for (const step of [1, 2, 3, 4, 5]) expect((await verify(person.email, wrong(code, step))).status).toBe(401);
    expect((await verify(person.email, code)).status).toBe(400);
    const late = await requested(person, 2);
    await service.database.query({ text: `UPDATE email_codes SET expires_at = now() - interval '1 second'` }, []);
    expect((await verify(person.email, late)).status).toBe(400);
  });

  test('ten wrong ones an hour are tried, whichever codes they were for; then the right one is refused too', async () => {
    const person = await registered(service);
    for (const count of [1, 2]) {
      const code = await requested(person, count);
      for (const step of [1, 2, 3, 4, 5]) expect((await verify(person.email, wrong(code, step))).status).toBe(401);
    }
    const answer = await verify(person.email, await requested(person, 3));
    expect([answer.status, Number(answer.headers['retry-after'])]).toStrictEqual([429, expect.any(Number)]);
    // Nor is the person kept out of anything else.
    expect((await login(service, person.email)).status).toBe(200);
    await service.database.query({ text: `UPDATE email_code_tries SET since = since - interval '61 minutes'` }, []);
    expect((await verify(person.email, await newest(person.email, 3))).status).toBe(200);
  });

  test('parallel guesses count one after the other', async () => {
    const person = await registered(service);
    const code = await requested(person);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, step) => verify(person.email, wrong(code, step + 1))));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7);
  });

  test('asks for a second factor where there is one, and says both in the token', async () => {
    const person = await withTotp(service);
    const answer = await verify(person.email, await requested(person), 'second device');
    expect(Object.keys(answer.body.data)).toStrictEqual(['secondFactor']);
    const { token } = answer.body.data.secondFactor;
    const done = await secondFactor(service, { token, method: 'totp', code: codeOf(person.secret) });
    expect(claimsOf(done.body.data.accessToken)).toMatchObject({ acr: 'aal2', amr: ['otp', 'mfa'] });
  });

  test('an address without an account, and one with, answer alike to every step, and only one gets mail', async () => {
    const person = await registered(service);
    const nobody = `${newId()}@example.com`;
    const steps = async (email: string) => {
      const answers = [await ask(email)];
      for (const _ of [1, 2, 3, 4, 5, 6]) answers.push(await verify(email, '000000'));
      answers.push(await ask(email), await verify(email, 'nonsense'));
      return answers.map(({ status, body }) => [status, body.code, body.error, body.data, Object.keys(body).toSorted()]);
    };
    const [known, unknown] = [await steps(person.email), await steps(nobody)];
    expect((await codesTo(person.email, 1)).length).toBeGreaterThan(0);
    expect(known).toStrictEqual(unknown);
    expect(await service.mails(nobody, 0)).toStrictEqual([]);
  });

  test('five are mailed in ten minutes; a request more leaves the last one good', async () => {
    const person = await registered(service);
    for (const count of [1, 2, 3, 4, 5]) await requested(person, count);
    expect((await ask(person.email)).status).toBe(202);
    expect((await verify(person.email, await newest(person.email, 5))).status).toBe(200);
    expect(await codesTo(person.email, 5)).toHaveLength(5);
  });

  test('five are for one client: a stranger who takes them leaves the owner theirs, and an address gets twenty', async () => {
    const [person, other] = [await registered(service), await registered(service)];
    const client = (network: number, host = 1) => `2001:db8:0:${network}::${host}`;
    const newestRow = () => service.database.query({ text: 'SELECT hash FROM email_codes ORDER BY created_at DESC LIMIT 1' }, []);
    // One network of IPv6 is one client, however many addresses it has.
    for (const host of [1, 2, 3, 4, 5]) {
      await ask(person.email, {}, client(1, host));
      await codesTo(person.email, host);
    }
    const fifth = await newestRow();
    for (const host of [6, 7]) expect((await ask(person.email, {}, client(1, host))).status).toBe(202);
    expect(await newestRow()).toStrictEqual(fifth);
    expect((await verify(person.email, await requested(person, 6))).status).toBe(200);
    for (const network of [2, 3, 4]) for (const host of [1, 2, 3, 4, 5]) await ask(person.email, {}, client(network, host));
    const twentieth = await newestRow();
    expect((await ask(person.email, {}, client(5))).status).toBe(202);
    expect(await newestRow()).toStrictEqual(twentieth);
    await ask(other.email, {}, client(5));
    expect(await newestRow()).not.toStrictEqual(twentieth);
  });

  test('stands in the log of the person, the wrong ones too', async () => {
    const person = await registered(service);
    const code = await requested(person);
    await verify(person.email, wrong(code));
    await verify(person.email, code);
    const text = `SELECT outcome, detail FROM audit_log WHERE action = 'session.login' AND (actor_id = $1 OR target_id = $1::text) ORDER BY at`;
    const rows = await service.database.query({ text }, [person.userId]);
    expect(rows.slice(-2)).toMatchObject([{ outcome: 'refused' }, { outcome: 'ok', detail: { method: 'emailCode' } }]);
  });
});

describe('a browser', () => {
  test('alone can type the code that it requested; guesses from elsewhere meet none, and another request does not end it', async () => {
    const person = await registered(service);
    const [own, other] = [openBrowser(service), openBrowser(service)];
    expect((await own.post('/api/auth/email-code', { email: person.email }, origin)).status).toBe(202);
    const code = await newest(person.email);
    for (const foreign of [other, openBrowser(service)])
      expect((await foreign.post('/api/auth/email-code/verify', { email: person.email, code }, origin)).status).toBe(400);
    expect((await verify(person.email, code)).status).toBe(400);
    await other.post('/api/auth/email-code', { email: person.email }, origin);
    await codesTo(person.email, 2);
    expect((await own.post('/api/auth/email-code/verify', { email: person.email, code }, origin)).status).toBe(200);
  });
});

describe('an account that does not hold its address', () => {
  test('ends what was made before, and then signs in the reader of the mail', async () => {
    const squatter = await registered(service, { verified: false });
    const code = await requested(squatter);
    const told = (await service.mails(squatter.email, 0)).find(({ template }) => template === 'sign-in-code')?.text;
    expect(told).toMatch(/it ends what was made in it before: the password.*"Forgot your password\?" on the sign-in page/);
    const answer = await verify(squatter.email, code, 'the owner');
    expect([answer.status, claimsOf(answer.body.data.accessToken)]).toMatchObject([200, { sub: squatter.userId, isVerified: true }]);
    expect((await login(service, squatter.email)).status).toBe(401);
    expect((await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: squatter.refreshToken } })).status).toBe(401);
    expect(service.peers.events.map(({ event }) => [event.type, event.key])).toContainEqual(['user.reclaimed', squatter.userId]);
    const enrolled = await service.ask('POST', '/api/me/second-factors/totp', { token: answer.body.data.accessToken, body: {} });
    expect(enrolled.status).toBe(201);
  });

  test('in the account’s own session nothing ends: mailbox and account came together', async () => {
    const person = await registered(service, { verified: false });
    const code = await requested(person);
    const answer = await service.ask('POST', '/api/auth/email-code/verify', {
      body: { email: person.email, code },
      token: person.accessToken,
      userAgent: 'another device',
    });
    expect(answer.status).toBe(200);
    expect((await login(service, person.email)).status).toBe(200);
  });
});

describe('where codes are not allowed', () => {
  type App = Awaited<ReturnType<typeof openid.makeClient>>;
  const forbid: Record<string, (app: App) => Promise<unknown>> = {
    'the app says no': (app) =>
      service.database.query({ text: 'UPDATE project_apps SET allow_email_code = false WHERE id = $1' }, [app.id]),
    'its organization says no': async (app) =>
      service.peers.sessionPolicies.set(app.scope.id.slice(0, 36), { requireSecondFactor: false, refusesEmailCode: true }),
  };
  for (const [name, change] of Object.entries(forbid))
    test(`${name}: no mail for that app, and a session by a code is not let in to it`, async () => {
      const app = await openid.makeClient({ is_first_party: true });
      const person = await openid.person(app);
      const config = await openid.discover(app);
      const interactionOf = async () => {
        const { location } = await person.browser.get((await openid.request(config)).url.href.replace(appUrl, ''));
        const id = location.searchParams.get('interaction');
        return id === null ? undefined : (await person.browser.get(`/api/auth/interactions/${id}`)).body.data;
      };
      await service.database.query({ text: `UPDATE sessions SET amr = '["otp"]' WHERE user_id = $1` }, [person.userId]);
      expect(await interactionOf()).toBeUndefined();
      await change(app);
      const shown = await interactionOf();
      assert(shown);
      expect(shown).toMatchObject({ prompt: 'sign_in', reasons: ['way_to_sign_in'], hasEmailCodes: false, app: { id: app.id } });
      expect((await ask(person.email, { appId: app.id })).status).toBe(202);
      expect((await ask(person.email)).status).toBe(202);
      // The one without the app comes after it, and is the only one.
      expect(await codesTo(person.email, 1)).toHaveLength(1);
    });
});
