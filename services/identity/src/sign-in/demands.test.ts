/** Each way to a token of an app, while its organization demands something. */
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { openBrowser, pathOf } from '../testing/browser.ts';
import { providerUser, startOauth } from '../testing/oauth.ts';
import { openidOf } from '../testing/openid.ts';
import { fragmentOf, projectsOf } from '../testing/project.ts';
import { registered } from '../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const projects = await projectsOf(service);
const openid = openidOf(service, projects);
afterEach(() => service.peers.sessionPolicies.clear());

type App = Awaited<ReturnType<typeof openid.makeClient>>;
type Policy = { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes?: number };

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const grants = { grant_types: ['authorization_code', 'refresh_token', deviceGrant] };
const secondFactor: Policy = { requireSecondFactor: true };
const age: Policy = { requireSecondFactor: false, maxSessionAgeMinutes: 30 };

function demand({ scope }: Pick<App, 'scope'>, policy: Policy): void {
  service.peers.sessionPolicies.set(scope.id.slice(0, 36), policy);
}
/** What the demand of a case is not met by, and is met by. */
const sessions = (userId: string, change: string) =>
  service.database.query({ text: `UPDATE sessions SET ${change} WHERE user_id = $1` }, [userId]);
const makeOld = (userId: string) => sessions(userId, `authenticated_at = now() - interval '2 hours'`);
const meet = (userId: string) => sessions(userId, `acr = 'aal2', amr = '["pwd","otp","mfa"]', authenticated_at = now()`);

for (const [demanded, policy, reason] of [
  ['a second factor', secondFactor, 'second_factor'],
  ['a younger sign-in', age, 'session_age'],
] as const)
  describe(`an organization that demands ${demanded}`, () => {
    test('an app gets no code at authorize until the session is that, whether it is first-party or not', async () => {
      for (const isFirstParty of [false, true]) {
        const app = await openid.makeClient({ is_first_party: isFirstParty });
        const person = await openid.person(app);
        const config = await openid.discover(app);
        await openid.signIn(app, person.browser);
        demand(app, policy);
        await makeOld(person.userId);
        const { url } = await openid.request(config);
        const { location } = await person.browser.get(pathOf(url));
        const interaction = location.searchParams.get('interaction');
        const shown = await person.browser.get(`/api/auth/interactions/${interaction}`);
        expect(shown.body.data).toMatchObject({ prompt: 'sign_in', reasons: [reason] });
        const silent = await person.browser.get(pathOf((await openid.request(config, { prompt: 'none' })).url));
        expect([silent.location.searchParams.has('code'), silent.location.searchParams.has('error')]).toStrictEqual([false, true]);
        await meet(person.userId);
        expect((await openid.signIn(app, person.browser)).tokens.access_token).toBeDefined();
      }
    });

    test('a code from before the demand gives no token', async () => {
      const app = await openid.makeClient({ is_first_party: true });
      const person = await openid.person(app);
      await makeOld(person.userId);
      const config = await openid.discover(app);
      const { url, checks } = await openid.request(config);
      const { location } = await openid.follow(person.browser, url);
      demand(app, policy);
      await expect(client.authorizationCodeGrant(config, location, checks)).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    test('a refresh token from before the demand gives no token', async () => {
      const app = await openid.makeClient();
      const person = await openid.person(app);
      await makeOld(person.userId);
      const { config, tokens } = await openid.signIn(app, person.browser, { scope: 'openid offline_access' });
      demand(app, policy);
      await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    });

    test('a device gets no token', async () => {
      const app = await openid.makeClient({ type: 'native', token_endpoint_auth_method: 'none', ...grants });
      const person = await openid.person(app);
      const config = await openid.discover(app, client.None());
      const device = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
      demand(app, policy);
      await makeOld(person.userId);
      const entered = await person.browser.post('/api/auth/device', { userCode: device.user_code });
      expect(entered.body.data).toMatchObject({ prompt: 'sign_in', reasons: [reason] });
      // Also a device that was allowed just before.
      service.peers.sessionPolicies.clear();
      const before = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
      const { body } = await person.browser.post('/api/auth/device', { userCode: before.user_code });
      expect(body.data.prompt).toBe('device');
      const { body: answered } = await person.browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'consent' });
      await person.browser.get(pathOf(answered.data.redirectTo), { accept: 'text/html' });
      demand(app, policy);
      const polled = client.pollDeviceAuthorizationGrant(config, { ...before, interval: 0 });
      await expect(polled).rejects.toMatchObject({ error: 'invalid_grant' });
    });
  });

describe('the fragment flow, where nothing more can be asked', () => {
  test('a sign-in by a provider and by a magic link is refused while a second factor is demanded', async () => {
    const app = await projects.makeApp({ enabledProviders: ['codehost', 'email'] });
    const { email, userId } = await registered(service);
    projects.member(app, userId);
    demand(app, secondFactor);
    const user = providerUser({ email });
    expect(fragmentOf(await projects.signIn(app, user))).toMatchObject({ error: 'access_denied' });
    await projects.requestLink(app, email);
    const link = await projects.linkIn(email, 3);
    expect(fragmentOf(await openBrowser(service).get(pathOf(link)))).toMatchObject({ error: 'access_denied' });
    service.peers.sessionPolicies.clear();
    expect(fragmentOf(await projects.signIn(app, user))).toHaveProperty('access_token');
  });
});

test('the projects of an account have no organization that demands anything', async () => {
  const app = await openid.makeClient({}, {}, 'accountProject');
  const person = await openid.person(app);
  demand(app, secondFactor);
  expect((await openid.signIn(app, person.browser)).tokens.access_token).toBeDefined();
});
