/** Clients of a project's OpenID provider, over HTTP with cookies, on openid-client. */
import { randomBytes } from 'node:crypto';
import { newId } from '@tessera/kernel/ids';
import { issuerOf } from '@tessera/kernel/tokens';
import * as client from 'openid-client';
import { hashToken } from '../ground/tokens/opaque-token.ts';
import { type Browser, openBrowser, pathOf, type Visit } from './browser.ts';
import type { OauthService } from './oauth.ts';
import { jwksOf } from './peers.ts';
import { type App, join, type projectsOf } from './project.ts';
import { appUrl, type Registered, registered } from './service.ts';

export const callbackUri = 'https://client.example/callback';

export type OpenidApp = App & { readonly issuer: string; readonly clientSecret: string };
type Fields = Readonly<Record<string, unknown>>;

const defaults = {
  type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  grant_types: ['authorization_code', 'refresh_token'],
};

export function openidOf(service: OauthService, { makeApp, owner }: Awaited<ReturnType<typeof projectsOf>>) {
  /** `changes` are columns. `of`: the fields of the management API. */
  async function makeClient(changes: Fields = {}, of: object = {}, tenant = 'organizationProject'): Promise<OpenidApp> {
    const app = await makeApp({ redirectUris: [callbackUri], ...of }, tenant);
    return typed(app, changes);
  }

  async function typed(app: App, changes: Fields): Promise<OpenidApp> {
    const clientSecret = randomBytes(32).toString('base64url');
    for (const [column, value] of Object.entries({ ...defaults, ...changes })) typedColumns.assert(column, value);
    const columns = Object.entries({ ...defaults, ...changes });
    const text = `UPDATE project_apps SET ${columns.map(([name], index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`;
    await service.database.query({ text }, [app.id, ...columns.map(([, value]) => value)]);
    const insert = 'INSERT INTO project_app_secrets (id, project_app_id, digest, last_four, created_at) VALUES ($1, $2, $3, $4, now())';
    await service.database.query({ text: insert }, [newId(), app.id, hashToken(clientSecret), clientSecret.slice(-4)]);
    return { ...app, clientSecret, issuer: issuerOf(appUrl, app.scope) };
  }

  /** A person of the app's project, signed in to the platform in a browser of their own. */
  async function person(
    app: App,
    userAgent = `browser ${newId()}`,
    ip?: string,
  ): Promise<Registered & { readonly browser: Browser; readonly userAgent: string }> {
    const device = { userAgent, ...(ip === undefined ? {} : { ip }) };
    const known = await registered(service, device);
    join(service.peers, app.scope.id, known.userId);
    const browser = openBrowser(service, device);
    browser.cookies.set('refresh_token', known.refreshToken);
    return { ...known, browser, userAgent };
  }

  const fetch = async (url: string, options: { method?: string; headers?: object; body?: unknown }): Promise<Response> => {
    if (url.endsWith('/.well-known/jwks.json')) return Response.json(jwksOf(scopeOf(url)));
    const headers = Object.fromEntries(Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
    const body = options.body instanceof URLSearchParams || typeof options.body === 'string' ? { body: String(options.body) } : {};
    const answer = await service.ask(options.method ?? 'GET', pathOf(url), { headers, ...body });
    const payload = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    const type = String(answer.headers['content-type'] ?? 'application/json');
    const challenge = answer.headers['www-authenticate'];
    const more = challenge === undefined ? {} : { 'www-authenticate': String(challenge) };
    return new Response(payload, { status: answer.status, headers: { 'content-type': type, ...more } });
  };

  /** openid-client, set up by discovery alone. */
  async function discover(app: OpenidApp, authentication?: client.ClientAuth, changes: Partial<client.ClientMetadata> = {}) {
    return client.discovery(new URL(app.issuer), app.clientId, { client_secret: app.clientSecret, ...changes }, authentication, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: (url, options) => fetch(url, options),
    });
  }

  /** What an app keeps between the request and the callback. */
  async function request(config: client.Configuration, parameters: Readonly<Record<string, string>> = {}) {
    const [codeVerifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()];
    const codeChallenge = await client.calculatePKCECodeChallenge(codeVerifier);
    const challenge = { code_challenge: codeChallenge, code_challenge_method: 'S256' };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callbackUri,
      scope: 'openid profile email',
      state,
      nonce,
      ...challenge,
      ...parameters,
    });
    return { url, checks: { pkceCodeVerifier: codeVerifier, expectedState: state, expectedNonce: nonce } };
  }

  /** Follows the redirects and answers the pages, until the browser is sent elsewhere. */
  async function follow(browser: Browser, url: URL, answer: object = {}): Promise<Visit> {
    let visit = await browser.get(pathOf(url));
    for (let hops = 0; hops < 8; hops += 1) {
      const interaction = visit.location.searchParams.get('interaction');
      if (interaction !== null) {
        const { body } = await browser.get(`/api/auth/interactions/${interaction}`);
        const action = body.data?.prompt === 'consent' ? 'consent' : 'continue';
        const answered = await browser.post(`/api/auth/interactions/${interaction}`, { action, ...answer });
        if (answered.status !== 200) return { ...answered, location: visit.location };
        visit = await browser.get(pathOf(answered.body.data.redirectTo));
      } else if (visit.location.href.startsWith(appUrl)) visit = await browser.get(pathOf(visit.location));
      else return visit;
    }
    return visit;
  }

  /** A whole sign-in: tokens for the app. */
  async function signIn(app: OpenidApp, browser: Browser, parameters: Readonly<Record<string, string>> = {}) {
    const config = await discover(app);
    const { url, checks } = await request(config, parameters);
    const { location } = await follow(browser, url);
    const tokens = await client.authorizationCodeGrant(config, location, checks);
    return { config, tokens, location, checks };
  }

  return { makeClient, typed, person, discover, request, follow, signIn, fetch, owner };
}

const typedColumns = {
  assert(column: string, value: unknown): void {
    if (!/^[a-z_]+$/.test(column) || value === undefined) throw new Error(`${column} is no column`);
  },
};

function scopeOf(url: string) {
  const [, kind, parent, project] = /\/(org|acc)\/([^/]+)\/prj\/([^/]+)\//.exec(url) ?? [];
  return { tenant: kind === 'org' ? 'organizationProject' : 'accountProject', id: `${parent}:${project}` };
}
