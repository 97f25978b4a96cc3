/** When a person is asked, what other origins may call, and which clients are kept apart. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import * as client from 'openid-client';
import { setPrimaryMethod } from '../../people/storage/authentication-methods.ts';
import { openBrowser, pathOf, withParameter } from '../../testing/browser.ts';
import { withPasskey } from '../../testing/factors.ts';
import { startOauth } from '../../testing/oauth.ts';
import { callbackUri, type OpenidApp, openidOf } from '../../testing/openid.ts';
import { projectsOf } from '../../testing/project.ts';
import { addMethod } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));

/** A person who has signed in to an app once. */
async function known(columns: Readonly<Record<string, unknown>> = {}) {
  const app = await openid.makeClient(columns);
  const person = await openid.person(app);
  return { app, person, ...(await openid.signIn(app, person.browser)) };
}

type Parameters = Readonly<Record<string, string>>;

/** Where one request leads at first: a page, or the app. */
async function first({ config, person }: Pick<Awaited<ReturnType<typeof known>>, 'config' | 'person'>, parameters: Parameters) {
  const { url } = await openid.request(config, parameters);
  const { location } = await person.browser.get(pathOf(url));
  const interaction = location.searchParams.get('interaction');
  const asked = interaction === null ? undefined : (await person.browser.get(`/api/auth/interactions/${interaction}`)).body.data;
  return { location, interaction, asked, error: location.searchParams.get('error'), hasCode: location.searchParams.has('code') };
}

async function makeOlder(userId: string, seconds: number): Promise<void> {
  const text = `UPDATE sessions SET authenticated_at = authenticated_at - make_interval(secs => $2) WHERE user_id = $1`;
  await service.database.query({ text }, [userId, seconds]);
}

describe('prompt', () => {
  test('none answers at once when nothing has to be asked, and never shows a page', async () => {
    const visit = await known();
    expect((await first(visit, { prompt: 'none' })).hasCode).toBe(true);
    expect((await first(visit, { prompt: 'none', scope: 'openid order:read' })).error).toBe('consent_required');
    expect((await first(visit, { prompt: 'none login' })).error).toBe('invalid_request');
    expect((await first({ ...visit, person: { ...visit.person, browser: openBrowser(service) } }, { prompt: 'none' })).error).toBe(
      'login_required',
    );
  });

  test('none signs nobody up, and consents to nothing, also for a first-party app', async () => {
    const app = await openid.makeClient({ is_first_party: true }, { allowSignUp: true });
    const stranger = await openid.person({ ...app, scope: { ...app.scope, id: 'elsewhere' } });
    const config = await openid.discover(app);
    const { error, hasCode } = await first({ config, person: stranger }, { prompt: 'none' });
    expect([hasCode, error]).toStrictEqual([false, 'interaction_required']);
    expect(service.peers.people.get(app.scope.id)?.has(stranger.userId) ?? false).toBe(false);
  });

  test('login asks for a fresh sign-in, which an old session cannot give', async () => {
    const visit = await known();
    await makeOlder(visit.person.userId, 60);
    const { location, interaction, asked } = await first(visit, { prompt: 'login' });
    expect(location.pathname).toBe('/auth/sign-in');
    expect(asked).toMatchObject({ prompt: 'sign_in', reasons: ['login_prompt'] });
    const answer = await visit.person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' });
    expect(answer.status).toStrictEqualFor(answer.body, 403);
    expect(answer.body.translationKey).toBe('errors.openid.freshSignIn');
    await makeOlder(visit.person.userId, -600);
    expect((await visit.person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' })).status).toBe(200);
  });

  test('consent asks again, although it is remembered', async () => {
    const visit = await known();
    const { location, asked } = await first(visit, { prompt: 'consent' });
    expect([location.pathname, asked.prompt]).toStrictEqual(['/auth/project/consent', 'consent']);
  });
});

describe('an answer and its record', () => {
  test('a consent whose record cannot be written is not there, and the page can be answered again', async () => {
    const app = await openid.makeClient();
    const person = await openid.person(app);
    const config = await openid.discover(app);
    const { interaction } = await first({ config, person }, {});
    const consents = async () =>
      (await service.database.query({ text: 'SELECT 1 FROM project_app_consents WHERE user_id = $1' }, [person.userId])).length;
    const consent = () => person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'consent' });
    const fail = "CREATE FUNCTION refuse_record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no record'; END $$";
    const when = `actor_id = '${person.userId}'`.replaceAll('actor_id', 'NEW.actor_id');
    await service.database.query({ text: fail });
    const trigger = `CREATE TRIGGER refuse_record BEFORE INSERT ON audit_log FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse_record()`;
    await service.database.query({ text: trigger });
    const refused = await consent();
    await service.database.query({ text: 'DROP FUNCTION refuse_record CASCADE' });
    expect([refused.status, await consents()]).toStrictEqual([500, 0]);
    expect([(await consent()).status, await consents()]).toStrictEqual([200, 1]);
  });
});

describe('max_age', () => {
  test('a session that is older has to sign in again, and a younger one has not', async () => {
    const visit = await known();
    expect((await first(visit, { max_age: '600' })).hasCode).toBe(true);
    await makeOlder(visit.person.userId, 1_200);
    const { asked } = await first(visit, { max_age: '600' });
    expect(asked).toMatchObject({ prompt: 'sign_in', reasons: ['max_age'] });
    expect((await first(visit, { max_age: '600', prompt: 'none' })).error).toBe('login_required');
    expect((await first(visit, { max_age: '3600' })).hasCode).toBe(true);
  });

  test('the ID token says when the person signed in', async () => {
    const visit = await known();
    const before = Number(visit.tokens.claims()?.['auth_time']);
    await makeOlder(visit.person.userId, 1_000);
    const { tokens } = await openid.signIn(visit.app, visit.person.browser, { max_age: '3600' });
    expect(tokens.claims()?.['auth_time']).toBe(before - 1_000);
  });
});

describe('a session that came by an organization’s provider', () => {
  /** As it is of a person who has ways of their own. */
  async function cameBy(userId: string, organizationId: string): Promise<void> {
    const id = newId();
    const made = `INSERT INTO connections (id, organization_id, type, name, status, issuer, client_id, scopes, default_role_id, created_by, created_at, updated_at)
      VALUES ($1, $2, 'oidc', 'Login', 'active', 'https://login.example.com', 'tessera', '{}', $1, $1, now(), now())`;
    await service.database.query({ text: made }, [id, organizationId]);
    const came = `UPDATE sessions SET connection_id = $2, amr = '["fed", "org"]', authenticated_at = now() + interval '1 minute' WHERE user_id = $1`;
    await service.database.query({ text: came }, [userId, id]);
  }

  test('is no fresh sign-in for an app of another organization, by prompt or by max_age', async () => {
    const visit = await known();
    await cameBy(visit.person.userId, newId());
    expect((await first(visit, {})).hasCode).toBe(true);
    for (const asked of [{ prompt: 'login' }, { max_age: '600' }]) {
      const { interaction } = await first(visit, asked);
      const answer = await visit.person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' });
      expect([answer.status, answer.body.translationKey]).toStrictEqualFor(asked, [403, 'errors.openid.freshSignIn']);
    }
    expect((await first(visit, { max_age: '600', prompt: 'none' })).error).toBe('login_required');
  });

  test('is one for an app of that organization', async () => {
    const visit = await known();
    await cameBy(visit.person.userId, visit.app.scope.id.split(':')[0] ?? '');
    const { interaction } = await first(visit, { prompt: 'login' });
    expect((await visit.person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' })).status).toBe(200);
    expect((await first(visit, { max_age: '600' })).hasCode).toBe(true);
  });
});

describe('id_token_hint', () => {
  test('the person whom it names goes on, and another one is asked to sign in', async () => {
    const visit = await known();
    const hint = { id_token_hint: visit.tokens.id_token ?? '' };
    expect((await first(visit, { ...hint, prompt: 'none' })).hasCode).toBe(true);
    const other = { config: visit.config, person: await openid.person(visit.app) };
    expect((await first(other, { ...hint, prompt: 'none' })).error).toBe('login_required');
    expect((await first(other, hint)).location.pathname).toBe('/auth/sign-in');
  });

  test('a forged hint, and one of another project, are refused', async () => {
    const visit = await known();
    const [head, payload] = (visit.tokens.id_token ?? '').split('.');
    const foreign = (await known()).tokens.id_token ?? '';
    for (const hint of [`${head}.${payload}.${'A'.repeat(342)}`, foreign, 'x']) {
      const { hasCode, error } = await first(visit, { id_token_hint: hint, prompt: 'none' });
      expect([hasCode, error]).toStrictEqual([false, 'invalid_request']);
    }
  });
});

describe('requireSecondFactor', () => {
  const aal2 = (userId: string) =>
    service.database.query({ text: `UPDATE sessions SET acr = 'aal2', amr = '["pwd","otp","mfa"]' WHERE user_id = $1` }, [userId]);

  test('an app that demands it gets nobody without, and says aal2 of who has it', async () => {
    const app = await openid.makeClient({ require_second_factor: true });
    const person = await openid.person(app);
    const config = await openid.discover(app);
    const { asked, interaction } = await first({ config, person }, {});
    expect(asked).toMatchObject({ prompt: 'sign_in', reasons: ['second_factor'] });
    expect((await first({ config, person }, { prompt: 'none' })).error).toBe('interaction_required');
    await person.browser.post(`/api/auth/interactions/${interaction}`, { action: 'continue' });
    expect((await first({ config, person }, {})).asked).toMatchObject({ reasons: ['second_factor'] });
    await aal2(person.userId);
    const { tokens } = await openid.signIn(app, person.browser);
    expect(tokens.claims()).toMatchObject({ acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  });

  test('a demand that comes later ends refresh tokens from before, until the person has signed in with both factors', async () => {
    const app = await openid.makeClient();
    const person = await openid.person(app);
    const scope = 'openid offline_access';
    const { config, tokens } = await openid.signIn(app, person.browser, { scope });
    await service.database.query({ text: 'UPDATE project_apps SET require_second_factor = true WHERE id = $1' }, [app.id]);
    const refused = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(refused).rejects.toMatchObject({ error: 'invalid_grant' });
    await aal2(person.userId);
    const again = await openid.signIn(app, person.browser, { scope });
    const refreshed = await client.refreshTokenGrant(config, again.tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ acr: 'aal2' });
  });
});

describe('enabledProviders', () => {
  test('a passkey stands for no provider, whichever method of the person is the primary one', async () => {
    const app = await openid.makeClient({ enabled_providers: ['codehost'] });
    const known = await openid.person(app);
    const { authenticator } = await withPasskey(service, known);
    const primary = await addMethod(service, known.userId, 'codehost');
    await service.database.transaction((tx) => setPrimaryMethod(tx, known.userId, primary, new Date()));
    const { body: options } = await service.ask('POST', '/api/auth/passkey/options', { body: {} });
    const { body } = await service.ask('POST', '/api/auth/passkey', { body: { credential: authenticator.get(options.data) } });
    const browser = openBrowser(service);
    browser.cookies.set('refresh_token', body.data.refreshToken);
    const config = await openid.discover(app);
    const asked = async () => (await first({ config, person: { ...known, browser } }, {})).asked;
    const signedInBy = (amr: readonly string[]) =>
      service.database.query({ text: 'UPDATE sessions SET amr = $2 WHERE user_id = $1' }, [known.userId, JSON.stringify(amr)]);
    expect(await asked()).toMatchObject({ prompt: 'sign_in', reasons: ['way_to_sign_in'] });
    // Confirmed at another provider since.
    await signedInBy(['hwk', 'mfa', 'fed']);
    expect(await asked()).toMatchObject({ prompt: 'sign_in', reasons: ['way_to_sign_in'] });
    await signedInBy(['fed', 'hwk', 'mfa']);
    expect(await asked()).toMatchObject({ prompt: 'consent' });
  });
});

describe('what browsers of other origins may call', () => {
  const own = new URL(callbackUri).origin;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  async function allowed(app: OpenidApp, path: string, origin: string, body?: string) {
    const method = body === undefined ? 'GET' : 'POST';
    const headers = { origin, ...(body === undefined ? {} : form) };
    const answer = await service.ask(method, pathOf(`${app.issuer}${path}`), { headers, ...(body === undefined ? {} : { body }) });
    return { origin: answer.headers['access-control-allow-origin'], credentials: answer.headers['access-control-allow-credentials'] };
  }

  test('discovery is open to all, and never with credentials', async () => {
    const app = await openid.makeClient();
    const shown = await allowed(app, '/.well-known/openid-configuration', 'https://anyone.example');
    expect([['*', 'https://anyone.example'].includes(String(shown.origin)), shown.credentials]).toStrictEqual([true, undefined]);
  });

  test('the token endpoint answers the origins that the app redirects to, and no other', async () => {
    const app = await openid.makeClient({ type: 'spa', token_endpoint_auth_method: 'none' });
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'x', client_id: app.clientId, redirect_uri: callbackUri });
    expect(await allowed(app, '/oauth/token', own, body.toString())).toStrictEqual({ origin: own, credentials: undefined });
    for (const origin of ['https://attacker.example', 'null', `${own}.attacker.example`])
      expect((await allowed(app, '/oauth/token', origin, body.toString())).origin).toBeUndefined();
  });

  test('userinfo answers the origins of the app whose token it is', async () => {
    const { app, tokens } = await known();
    const ask = async (origin: string) => {
      const headers = { origin, authorization: `Bearer ${tokens.access_token}` };
      return (await service.ask('GET', pathOf(`${app.issuer}/oauth/userinfo`), { headers })).headers['access-control-allow-origin'];
    };
    expect([await ask(own), await ask('https://attacker.example')]).toStrictEqual([own, undefined]);
  });

  test('authorize and logout, which the cookies of a person reach, answer no script of another origin', async () => {
    const { app } = await known();
    for (const path of ['/oauth/authorize', '/oauth/logout']) expect((await allowed(app, path, own)).origin).toBeUndefined();
  });
});

describe('clients and projects are kept apart', () => {
  test('a refresh token of one app is nothing to another, and does not end there', async () => {
    const app = await openid.makeClient();
    const person = await openid.person(app);
    const { config, tokens } = await openid.signIn(app, person.browser, { scope: 'openid offline_access' });
    const token = tokens.refresh_token ?? '';
    for (const other of [await openid.makeClient(), await openid.makeClient({ type: 'spa', token_endpoint_auth_method: 'none' })]) {
      const authentication = other.clientSecret === '' ? client.None() : undefined;
      const foreign = await openid.discover(other, authentication);
      await expect(client.refreshTokenGrant(foreign, token)).rejects.toMatchObject({ error: expect.stringMatching(/^invalid_/) });
    }
    expect((await client.refreshTokenGrant(config, token)).access_token).not.toBe('');
  });

  test('a client of one project is unknown at another, with its right secret, too', async () => {
    const [app, other] = [await openid.makeClient(), await openid.makeClient()];
    const misled = await openid.discover({ ...app, issuer: other.issuer });
    await expect(client.tokenIntrospection(misled, 'x')).rejects.toMatchObject({ error: 'invalid_client' });
  });

  test('a public client cannot stand for one with a secret', async () => {
    const { app, location, checks } = await known();
    const impostor = await openid.discover(app, client.None());
    await expect(client.authorizationCodeGrant(impostor, location, checks)).rejects.toMatchObject({ error: 'invalid_client' });
  });

  test('the answer of an authorization names its issuer, also when it is a refusal', async () => {
    const { app, person, config } = await known();
    const { url } = await openid.request(config, { prompt: 'none', scope: 'openid order:write' });
    const { location } = await person.browser.get(pathOf(withParameter(url, 'state', 'mine')));
    expect([location.searchParams.get('iss'), location.searchParams.get('state')]).toStrictEqual([app.issuer, 'mine']);
  });
});
