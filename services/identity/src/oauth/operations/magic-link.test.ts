import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { type App, callback, clientState, fragmentOf, projectsOf, refused } from '../../testing/project.ts';
import { appUrl, claimsOf, goodPassword, registered } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { linkIn, makeApp, member, requestLink, signIn } = await projectsOf(service);

describe('magic link', () => {
  test('once only, for a member by their verified address [spec:auth.10 spec:auth.11 spec:auth.15]', async () => {
    const app = await makeApp();
    const person = await registered(service);
    member(app, person.userId);
    const answer = await requestLink(app, person.email);
    expect([answer.status, answer.body]).toStrictEqual([202, { success: true, data: { success: true } }]);
    const link = await linkIn(person.email, 2);
    expect(new URL(link).origin + new URL(link).pathname).toBe(appUrl + callback);
    expect([...new URL(link).searchParams.keys()].sort()).toStrictEqual(['client_id', 'state', 'token']);
    const ends = await Promise.all(Array.from({ length: 10 }, () => openBrowser(service).get(pathOf(link))));
    expect(ends.map(({ status }) => status).sort()).toStrictEqual([302, ...Array.from({ length: 9 }, () => 400)]);
    const landed = ends.find(({ status }) => status === 302);
    assert.ok(landed);
    const fragment = fragmentOf(landed);
    expect(claimsOf(fragment.access_token ?? '').sub).toBe(person.userId);
    expect(fragment.state).toBe(clientState);
  });

  test('signs up a stranger where the app allows it; the address counts as verified from then on', async () => {
    const app = await makeApp({ allowSignUp: true });
    const email = `new.${newId()}@example.com`;
    await requestLink(app, email.toUpperCase());
    const first = fragmentOf(await openBrowser(service).get(pathOf(await linkIn(email))));
    const { sub } = claimsOf(first.access_token ?? '');
    const [method] = await service.database.query<{ is_verified: boolean; is_primary: boolean }>(
      { text: 'SELECT is_verified, is_primary FROM authentication_methods WHERE user_id = $1' },
      [sub],
    );
    expect(method).toStrictEqual({ is_verified: true, is_primary: true });
    const linked = fragmentOf(await signIn(app, providerUser({ email })));
    expect(claimsOf(linked.access_token ?? '').sub).toBe(sub);
  });

  test('a link that was asked for by a stranger leads into no account that has been made of the address since, unproven', async () => {
    const app = await makeApp({ allowSignUp: true });
    const email = `late.${newId()}@example.com`;
    await requestLink(app, email);
    const link = await linkIn(email);
    const body = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
    expect((await service.ask('POST', '/api/auth/register', { body })).status).toBe(201);
    expect(fragmentOf(await openBrowser(service).get(pathOf(link)))).toStrictEqual(refused);
  });

  test('a wrong or missing token is refused and costs the link; HEAD takes nothing', async () => {
    const app = await makeApp({ allowSignUp: true });
    const link = async () => {
      const email = `new.${newId()}@example.com`;
      await requestLink(app, email);
      return linkIn(email);
    };
    const wrong = await link();
    expect(fragmentOf(await openBrowser(service).get(pathOf(withParameter(wrong, 'token', 'A'.repeat(43)))))).toStrictEqual(refused);
    expect((await service.ask('GET', pathOf(wrong))).status).toBe(400);
    const twice = await link();
    expect(fragmentOf(await openBrowser(service).get(`${pathOf(twice)}&token=x`))).toStrictEqual(refused);
    const none = await link();
    expect(fragmentOf(await openBrowser(service).get(pathOf(withParameter(none, 'token'))))).toStrictEqual(refused);
    const scanned = await link();
    expect((await service.ask('HEAD', pathOf(scanned))).status).toBe(404);
    expect(fragmentOf(await openBrowser(service).get(pathOf(scanned))).access_token).toBeTruthy();
  });

  test('the same answer for every app and address; mail only where it can lead somewhere [spec:auth.10]', async () => {
    const closed = await makeApp();
    const open = await makeApp({ allowSignUp: true });
    const byProviderOnly = await makeApp({ allowSignUp: true, enabledProviders: ['codehost'] });
    const squatter = await registered(service, { verified: false });
    const stranger = () => `stranger.${newId()}@example.com`;
    const claimed = providerUser({ verified: false });
    await signIn(open, claimed);
    const cases: readonly [Pick<App, 'clientId'>, string, object][] = [
      [closed, stranger(), {}],
      [{ clientId: 'app_unknown' }, stranger(), {}],
      [open, stranger(), { redirect_uri: 'https://evil.example/' }],
      [byProviderOnly, stranger(), {}],
      [open, squatter.email, {}],
      [closed, claimed.email ?? '', {}],
    ];
    for (const [app, email, changes] of cases) {
      const answer = await requestLink(app, email, changes);
      expect([answer.status, answer.body]).toStrictEqual([202, { success: true, data: { success: true } }]);
    }
    const reached = stranger();
    await requestLink(open, reached);
    await linkIn(reached);
    for (const [, email] of cases) {
      const links = (await service.mails(email, 0)).filter(({ template }) => template === 'magic-link');
      expect(links.length).toStrictEqualFor(email, 0);
    }
    const malformed = await requestLink(open, 'no address');
    expect([malformed.status, malformed.body.extensions.field]).toStrictEqual([400, 'email']);
    expect((await requestLink(open, reached, { unknown: 1 })).status).toBe(400);
  });

  test('one address is not flooded: five links for one app within ten minutes', async () => {
    const app = await makeApp({ allowSignUp: true });
    const email = `busy.${newId()}@example.com`;
    for (let asked = 0; asked < 8; asked += 1) expect((await requestLink(app, email)).status).toBe(202);
    await service.mails(email, 5);
    await sleep(200);
    expect(await service.mails(email, 5)).toHaveLength(5);
  });

  test('a link keeps its own app: neither the app nor the redirect can be changed by its parameters', async () => {
    const app = await makeApp({ allowSignUp: true });
    const other = await makeApp({ allowSignUp: true });
    const email = `new.${newId()}@example.com`;
    await requestLink(app, email);
    const link = withParameter(await linkIn(email), 'client_id', other.clientId);
    const { access_token = '' } = fragmentOf(await openBrowser(service).get(pathOf(link)));
    expect(claimsOf(access_token).aud).toBe(app.clientId);
  });
});
