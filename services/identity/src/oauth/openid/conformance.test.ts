/** Modules of the OpenID plans that no other file shows: see docs/openid-conformance.md. */
import { afterAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const html = { accept: 'text/html' };
const bye = 'https://client.example/bye';

async function signedIn(parameters: Readonly<Record<string, string>> = {}, columns: Readonly<Record<string, unknown>> = {}) {
  const app = await openid.makeClient(columns);
  const person = await openid.person(app);
  return { app, person, ...(await openid.signIn(app, person.browser, parameters)) };
}

describe('userinfo', () => {
  for (const [name, method, inBody] of [
    ['GET with the token in the header', 'GET', false],
    ['POST with the token in the header', 'POST', false],
    ['POST with the token in the body', 'POST', true],
  ] as const) {
    test(`userinfo answers ${name}`, async () => {
      const { app, person, tokens } = await signedIn();
      const headers = inBody ? form : { authorization: `Bearer ${tokens.access_token}` };
      const body = inBody ? { body: new URLSearchParams({ access_token: tokens.access_token }).toString() } : {};
      const answer = await service.ask(method, pathOf(`${app.issuer}/oauth/userinfo`), { headers, ...body });
      expect([answer.status, answer.body.sub, answer.body.email]).toStrictEqual([200, person.userId, person.email]);
    });
  }
});

describe('scopes', () => {
  const claimsFor = async (scope: string) => {
    const { config, tokens, person } = await signedIn({ scope });
    const { sub: _, ...claims } = await client.fetchUserInfo(config, tokens.access_token, person.userId);
    return { claims: Object.keys(claims).toSorted(), granted: tokens.scope?.split(' ').toSorted() };
  };

  test('each scope gives its claims, and no other', async () => {
    const profile = await claimsFor('openid profile');
    expect([profile.claims.includes('name'), profile.claims.includes('email')]).toStrictEqual([true, false]);
    const email = await claimsFor('openid email');
    expect(email.claims).toStrictEqual(['email', 'email_verified']);
  });

  test('address, phone and unknown scopes are ignored, and the answer says so', async () => {
    const { claims, granted } = await claimsFor('openid address phone something');
    expect([claims, granted]).toStrictEqual([[], ['openid']]);
  });

  test('the order of scopes means nothing', async () => {
    expect((await claimsFor('email openid')).claims).toStrictEqual(['email', 'email_verified']);
  });
});

describe('requests', () => {
  test('a request without a nonce gives an ID token without one', async () => {
    const app = await openid.makeClient();
    const { browser, userId } = await openid.person(app);
    const config = await openid.discover(app);
    const { url, checks } = await openid.request(config);
    const { location } = await openid.follow(browser, withParameter(url, 'nonce', undefined));
    const { expectedNonce: _, ...others } = checks;
    const claims = (await client.authorizationCodeGrant(config, location, others)).claims();
    expect([claims?.sub, claims?.nonce]).toStrictEqual([userId, undefined]);
  });

  for (const [name, parameters] of Object.entries({
    'display=page': { display: 'page' },
    'display=popup': { display: 'popup' },
    'an unknown parameter': { extra: 'foobar' },
    login_hint: { login_hint: 'ada@example.com' },
    ui_locales: { ui_locales: 'se de' },
    claims_locales: { claims_locales: 'se' },
    acr_values: { acr_values: '1 2' },
    'the claims parameter, which is not supported': { claims: '{"userinfo":{"name":{"essential":true}}}' },
  })) {
    test(`${name} does not keep a person from signing in`, async () => {
      const { person, tokens } = await signedIn(parameters);
      expect([tokens.claims()?.sub, tokens.claims()?.['acr']]).toStrictEqual([person.userId, 'aal1']);
    });
  }

  for (const [name, value] of Object.entries({ request: 'e30.e30.', request_uri: 'https://client.example/request.jwt' })) {
    test(`${name} is refused as unsupported, and never fetched`, async () => {
      const app = await openid.makeClient();
      const { browser } = await openid.person(app);
      const { url } = await openid.request(await openid.discover(app));
      const { location } = await browser.get(pathOf(withParameter(url, name, value)), html);
      expect(location.searchParams.get('error')).toBe(`${name}_not_supported`);
      expect(location.searchParams.has('code')).toBe(false);
    });
  }

  test('a NUL character in a parameter is the fault of the request, not of the server', async () => {
    const app = await openid.makeClient();
    const { url } = await openid.request(await openid.discover(app), { state: 'a\0b' });
    const issuer = pathOf(app.issuer);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const assertion = ['{}', '{"iss":"\\u0000","sub":"\\u0000"}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
    const signed = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer', client_assertion: assertion };
    const forms = {
      par: { client_id: '\0' },
      token: { client_id: app.clientId, refresh_token: '\0' },
      introspect: { token: 'x', ...signed },
    };
    const answers = [
      await service.ask('GET', pathOf(url)),
      await service.ask('GET', `${issuer}/oauth/logout?client_id=%00`),
      await service.ask('GET', '/api/auth/project/authorize?client_id=%00&redirect_uri=x'),
    ];
    for (const [path, form] of Object.entries(forms))
      answers.push(await service.ask('POST', `${issuer}/oauth/${path}`, { headers, body: new URLSearchParams(form).toString() }));
    expect(answers.map(({ status }) => status)).toStrictEqual([400, 400, 400, 400, 400, 401]);
  });

  test('a request without response_type is refused', async () => {
    const app = await openid.makeClient();
    const { browser } = await openid.person(app);
    const { url } = await openid.request(await openid.discover(app));
    const { location } = await browser.get(pathOf(withParameter(url, 'response_type', undefined)), html);
    expect(location.searchParams.get('error')).toBe('invalid_request');
  });

  test('the authorization endpoint takes a form, too, with offline_access', async () => {
    const { config, person } = await signedIn({ scope: 'openid offline_access' });
    const { url, checks } = await openid.request(config, { scope: 'openid offline_access' });
    const cookie = [...person.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await service.ask('POST', url.pathname, {
      userAgent: person.userAgent,
      headers: { ...form, cookie },
      body: url.searchParams.toString(),
    });
    const location = new URL(String(answer.headers.location));
    expect(location.origin + location.pathname).toBe(callbackUri);
    expect((await client.authorizationCodeGrant(config, location, checks)).refresh_token).not.toBeUndefined();
  });

  test('a redirect never repeats a form, is not stored, and sends no Referer', async () => {
    const { config, person } = await signedIn();
    const { url } = await openid.request(config);
    const cookie = [...person.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers } = await service.ask('POST', url.pathname, {
      headers: { ...form, cookie },
      body: url.searchParams.toString(),
    });
    expect([302, 303]).toContain(status);
    expect([headers['cache-control'], headers['referrer-policy']]).toStrictEqual(['no-store', 'no-referrer']);
  });

  test('client_secret_post authenticates, and the other of both methods as well', async () => {
    const app = await openid.makeClient({ token_endpoint_auth_method: 'client_secret_post' });
    const { browser, userId } = await openid.person(app);
    const config = await openid.discover(app, client.ClientSecretPost(app.clientSecret));
    const { url, checks } = await openid.request(config);
    const { location } = await openid.follow(browser, url);
    expect((await client.authorizationCodeGrant(config, location, checks)).claims()?.sub).toBe(userId);
  });
});

describe('logout', () => {
  async function leaving() {
    const { config, person, tokens } = await signedIn({}, { post_logout_redirect_uris: [bye] });
    const end = String(config.serverMetadata().end_session_endpoint);
    const leave = async (parameters: Readonly<Record<string, string>>) =>
      (await person.browser.get(`${pathOf(end)}?${new URLSearchParams(parameters)}`, html)).location;
    return { person, hint: tokens.id_token ?? '', leave, end };
  }

  test('a logout without parameters, or with the state alone, asks on our own page', async () => {
    const { leave } = await leaving();
    for (const parameters of [{}, { state: 'mine' }]) {
      const location = await leave(parameters);
      expect([location.pathname, location.searchParams.has('interaction')]).toStrictEqual(['/auth/logout', false]);
    }
  });

  test('a logout that names an address without saying whose never leads there', async () => {
    const { leave, end } = await leaving();
    const query = `?${new URLSearchParams({ post_logout_redirect_uri: bye })}`;
    const own = [await leave({ post_logout_redirect_uri: bye }), (await openBrowser(service).get(pathOf(end) + query, html)).location];
    for (const { pathname, searchParams } of own)
      expect([pathname, searchParams.has('interaction')]).toStrictEqual(['/auth/logout', false]);
  });

  test('a logout without an address ends on our own page, and one without a state sends none', async () => {
    const { leave, hint, person } = await leaving();
    const answered = async (location: URL) => {
      const path = `/api/auth/interactions/${location.searchParams.get('interaction')}`;
      return new URL((await person.browser.post(path, { action: 'deny' })).body.data.redirectTo);
    };
    const own = await answered(await leave({ id_token_hint: hint, state: 'mine' }));
    expect([own.pathname, own.searchParams.get('done')]).toStrictEqual(['/auth/logout', 'true']);
    expect((await answered(await leave({ id_token_hint: hint, post_logout_redirect_uri: bye }))).href).toBe(bye);
  });

  test('an address with a query added is not the registered one', async () => {
    const { leave, hint } = await leaving();
    expect((await leave({ id_token_hint: hint, post_logout_redirect_uri: `${bye}?foo=bar` })).pathname).toBe('/auth/error');
  });

  test('a hint that is no token is refused', async () => {
    const { leave } = await leaving();
    expect((await leave({ id_token_hint: 'x', post_logout_redirect_uri: bye })).pathname).toBe('/auth/error');
  });

  test('discovery says where to log out, and that back-channel logout names the session', async () => {
    const app = await openid.makeClient();
    const { body } = await service.ask('GET', pathOf(`${app.issuer}/.well-known/openid-configuration`));
    expect(body).toMatchObject({
      end_session_endpoint: `${app.issuer}/oauth/logout`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
    });
  });
});
