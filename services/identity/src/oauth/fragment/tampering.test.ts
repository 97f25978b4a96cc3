import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { type App, clientState, fragmentOf, projectsOf, refused, requestOf } from '../../testing/project.ts';
import { registered } from '../../testing/service.ts';

const service = await startOauth();
afterAll(() => service.stop());
const { makeApp, member, owner, signIn } = await projectsOf(service);

describe('sign-in to an app, each parameter tampered', () => {
  async function underWay(changes: object = { allowSignUp: true }) {
    const app = await makeApp(changes);
    const browser = openBrowser(service);
    const { location } = await browser.get(requestOf(app, { provider: 'codehost' }));
    return { app, browser, back: await service.provider.approve(location.href, providerUser()) };
  }
  const errorPage = async (path: string, status = 400, browser = openBrowser(service)) => {
    const answer = await browser.get(path);
    expect([answer.status, answer.headers.location]).toStrictEqualFor(answer.body, [status, undefined]);
  };

  test('state: missing, unknown, twice, replayed, of the other flow [spec:oauth-state.1]', async () => {
    const { browser, back } = await underWay();
    await errorPage(pathOf(withParameter(back, 'state')), 400, browser);
    await errorPage(pathOf(withParameter(back, 'state', 'A'.repeat(43))), 400, browser);
    await errorPage(`${pathOf(back)}&state=x`, 400, browser);
    const swapped = new URL(back);
    swapped.pathname = '/api/auth/codehost/callback';
    expect((await browser.get(pathOf(swapped))).location.searchParams.get('error')).toBe('invalid_state');
    expect(fragmentOf(await browser.get(pathOf(back))).access_token).toBeTruthy();
    await errorPage(pathOf(back), 400, browser);
    const noted = (await service.auditOf('project-oauth.login')).filter(({ code }) => code === 'invalid_state');
    // An unknown state is free to send, so it leaves no row.
    expect(noted).toStrictEqual([]);
  });

  test('a flow of another browser is refused, so that a link cannot sign a person in as another one [spec:oauth-state.1]', async () => {
    const app = await makeApp();
    const thief = openBrowser(service);
    const person = await registered(service);
    const user = providerUser({ email: person.email });
    member(app, person.userId);
    const { location } = await thief.get(requestOf(app, { provider: 'codehost' }));
    const link = pathOf(await service.provider.approve(location.href, user));
    const victim = openBrowser(service);
    // And the flow is over.
    expect([(await victim.get(link)).status, (await thief.get(link)).status]).toStrictEqual([400, 400]);
    await victim.get(requestOf(app, { provider: 'codehost' }));
    const again = await thief.get(requestOf(app, { provider: 'codehost' }));
    expect((await victim.get(pathOf(await service.provider.approve(again.location.href, user)))).status).toBe(400);
    const noted = (await service.auditOf('project-oauth.login')).filter(({ code }) => code === 'invalid_state');
    expect(noted.map(({ outcome }) => outcome)).toStrictEqual(['refused', 'refused']);
    expect(fragmentOf(await signIn(app, user)).access_token).toBeTruthy();
  });

  test('state: too old', async () => {
    await using cleanup = new AsyncDisposableStack();
    const hasty = await startOauth({ OAUTH_STATE_TTL_SECONDS: '1' });
    cleanup.defer(() => hasty.stop());
    const app = await (await projectsOf(hasty)).makeApp({ allowSignUp: true }, 'accountProject');
    const browser = openBrowser(hasty);
    const { location } = await browser.get(requestOf(app));
    const back = await hasty.provider.approve(location.href, providerUser());
    await sleep(1_100);
    expect((await browser.get(pathOf(back))).status).toBe(400);
  });

  test('code: missing, replayed, of another flow; iss of another provider; the provider says no or breaks', async () => {
    const end = async (change: (back: URL) => URL) => {
      const { browser, back } = await underWay();
      return fragmentOf(await browser.get(pathOf(change(new URL(back)))));
    };
    expect(await end((back) => withParameter(back, 'code'))).toStrictEqual(refused);
    expect(await end((back) => withParameter(back, 'iss', 'https://evil.example'))).toStrictEqual(refused);
    expect(await end((back) => withParameter(back, 'error', 'access_denied'))).toStrictEqual(refused);
    expect(await end((back) => withParameter(back, 'token', 'x'))).toStrictEqual(refused);
    const attacker = await underWay();
    const victim = await underWay();
    const injected = withParameter(victim.back, 'code', new URL(attacker.back).searchParams.get('code') ?? '');
    expect(fragmentOf(await victim.browser.get(pathOf(injected)))).toStrictEqual(refused);
    const { browser, back } = await underWay();
    service.provider.failWith(500);
    const broken = await browser.get(pathOf(back)).finally(() => service.provider.failWith(undefined));
    expect(fragmentOf(broken)).toStrictEqual({ error: 'temporarily_unavailable', state: clientState });
  });

  test('what changes at the app between the steps is asked again: redirect URI, provider, the app itself [spec:project-oauth.1]', async () => {
    const moved = await underWay();
    const change = (app: App, body: object) =>
      service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope: app.scope, ...body }, token: owner.accessToken });
    await change(moved.app, { redirectUris: ['https://client.example/other'] });
    await errorPage(pathOf(moved.back), 400, moved.browser);
    const closed = await underWay();
    await change(closed.app, { enabledProviders: ['email'] });
    await errorPage(pathOf(closed.back), 400, closed.browser);
    const gone = await underWay();
    await service.ask('DELETE', `/api/project-apps/${gone.app.id}?tenant=${gone.app.scope.tenant}&scopeId=${gone.app.scope.id}`, {
      token: owner.accessToken,
    });
    await errorPage(pathOf(gone.back), 404, gone.browser);
    const ended = await underWay();
    await service.deliver('project.deleted', { scope: ended.app.scope, hard: false });
    await errorPage(pathOf(ended.back), 404, ended.browser);
  });

  test('parameters of the callback can’t say where it ends', async () => {
    const { browser, back } = await underWay();
    const bent = `${pathOf(back)}&redirect_uri=${encodeURIComponent('https://evil.example/')}&client_id=app_other`;
    expect((await browser.get(bent)).location.origin).toBe('https://client.example');
  });
});
