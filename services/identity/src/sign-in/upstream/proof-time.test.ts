/** What a provider of OpenID Connect says of when a person signed in there counts here, too. */
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { type Browser, openBrowser, pathOf } from '../../testing/browser.ts';
import { providerUser, startOauth } from '../../testing/oauth.ts';
import { openidOf } from '../../testing/openid.ts';
import { exchange, platformOf, start } from '../../testing/platform.ts';
import { projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';
import { provenAtMs } from './proof-time.ts';

const service = await startOauth({ CODEHOST_PROFILE: 'openid' });
afterAll(() => service.stop());
afterEach(() => service.provider.remember(undefined));
const { signIn } = platformOf(service);
const openid = openidOf(service, await projectsOf(service));
const hour = 3_600;

async function signedIn(query: string, browser = openBrowser(service), user = providerUser()) {
  const end = await signIn(browser, user, query);
  const { body } = await exchange(browser, end.searchParams.get('code'));
  const accessToken = String(body.data.accessToken);
  return { user, browser, accessToken, ageSeconds: ageOf(accessToken) };
}

function ageOf(token: string): number {
  const { iat, auth_time: authTime } = claimsOf(token);
  return Number(iat) - Number(authTime);
}

async function confirm(browser: Browser, user: ReturnType<typeof providerUser>, token: string) {
  const { searchParams } = await signIn(browser, user, '?action=confirm');
  const body = { method: 'provider', code: searchParams.get('confirmation') };
  return { error: searchParams.get('error'), answer: await service.ask('POST', '/api/auth/confirm', { token, body }) };
}

/** Where the browser is sent at the provider. */
async function sentTo(browser: Browser, query: string) {
  const { searchParams } = (await browser.get(`${start}${query}`)).location;
  return { prompt: searchParams.get('prompt'), maxAge: searchParams.get('max_age') };
}

describe('the time of a proof at a provider', () => {
  test('is that of its auth_time, by its own clock', async () => {
    service.provider.remember({ secondsAgo: 2 * hour });
    expect((await signedIn('?action=register')).ageSeconds).toBeGreaterThanOrEqual(2 * hour);
  });

  test('is the moment of its answer when it says none', async () => {
    expect((await signedIn('?action=register')).ageSeconds).toBeLessThan(60);
  });

  test('is not before a new sign-in that was demanded, when the clocks differ by less than a minute', () => {
    const [now, freshSinceMs] = [new Date(1_000_000), 990_000];
    expect(provenAtMs({ proofAgeSeconds: 60 }, { freshSinceMs }, now)).toBe(freshSinceMs);
    expect(provenAtMs({ proofAgeSeconds: 5 }, { freshSinceMs }, now)).toBe(995_000);
    expect(provenAtMs({ proofAgeSeconds: 600 }, { freshSinceMs }, now)).toBe(400_000);
    expect(provenAtMs({ proofAgeSeconds: 60 }, {}, now)).toBe(940_000);
  });
});

describe('a confirmation', () => {
  test('asks the provider for a new sign-in, which makes the session fresh', async () => {
    service.provider.remember({ secondsAgo: 2 * hour });
    const { browser, user, accessToken } = await signedIn('?action=register');
    expect(await sentTo(browser, '?action=confirm')).toStrictEqual({ prompt: 'login', maxAge: '0' });
    const { answer } = await confirm(browser, user, accessToken);
    expect([answer.status, ageOf(answer.body.data.accessToken) < 60]).toStrictEqual([200, true]);
  });

  test('is refused when the provider has approved in silence', async () => {
    service.provider.remember({ secondsAgo: 2 * hour, ignoresPrompt: true });
    const { browser, user, accessToken } = await signedIn('?action=register');
    const { error, answer } = await confirm(browser, user, accessToken);
    expect([error, answer.status]).toStrictEqual(['not_fresh', 400]);
    const [row] = (await service.auditOf('oauth.confirm')).slice(-1);
    expect([row?.outcome, row?.code]).toStrictEqual(['refused', 'not_fresh']);
  });

  test('at a provider that says no auth_time is believed', async () => {
    const { browser, user, accessToken } = await signedIn('?action=register');
    expect((await confirm(browser, user, accessToken)).answer.status).toBe(200);
  });
});

describe('an app that sends prompt=login', () => {
  /** Signs in at the provider on the page that the app led to, and goes on. */
  async function goOn(query: string) {
    const { browser, user, ageSeconds } = await signedIn('?action=register');
    const config = await openid.discover(await openid.makeClient());
    const { url } = await openid.request(config, { prompt: 'login' });
    const interaction = (await browser.get(pathOf(url))).location.searchParams.get('interaction');
    const again = await signedIn(query, browser, user);
    const { status } = await browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' });
    return { before: ageSeconds, after: again.ageSeconds, status };
  }

  test('gets a sign-in that the provider has just asked for', async () => {
    service.provider.remember({ secondsAgo: 2 * hour });
    const { before, after, status } = await goOn('?prompt=login');
    expect([before >= 2 * hour, after < 60, status]).toStrictEqual([true, true, 200]);
  });

  test.each(['?prompt=login', ''])('gets no silent one of a provider that asks nobody again (%s)', async (query) => {
    service.provider.remember({ secondsAgo: 2 * hour, ignoresPrompt: true });
    const { after, status } = await goOn(query);
    expect([after >= 2 * hour, status]).toStrictEqual([true, 403]);
  });
});

test('an ordinary sign-in asks for the time alone, and no other prompt is taken', async () => {
  const browser = openBrowser(service);
  expect(await sentTo(browser, '')).toStrictEqual({ prompt: null, maxAge: String(30 * 24 * hour) });
  const refused = await browser.get(`${start}?prompt=none`);
  expect([refused.status, refused.body.extensions?.field]).toStrictEqual([400, 'prompt']);
});
