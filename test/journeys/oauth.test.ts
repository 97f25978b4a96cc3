import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { type Answer, createClient, inScope } from '../support/client.ts';
import { pressedLink, waitForMail } from '../support/mail.ts';
import { openAuditReader } from '../support/records.ts';
import { approve, openSignIn, redirectUri } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { addMember, builtInRole, dataOf } from '../support/world.ts';

const { stack, newUser, openBrowser, signInToPlatform, signInToApp, createShop, decide } = await openSignIn();

const codeVerifier = 'a verifier of a command line, 43 characters or more';
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

describe('the platform', () => {
  test('register, then login by provider; the frontend and a command line exchange their codes [spec:auth.4-6 spec:signin.1 spec:signing.1]', async () => {
    const user = newUser();
    const first = await signInToPlatform(user, 'action=register');
    expect(first.end.pathname).toBe('/auth/callback');
    const registered = dataOf(await first.browser.post('/api/auth/cli-callback', { code: first.end.searchParams.get('code') }));
    expect([registered.accounts.length, registered.accounts[0].type]).toStrictEqual([1, 'personal']);
    const me = dataOf(await createClient(stack.url).get('/api/me', registered.accessToken));
    expect([me.email, me.isVerified, me.user.name]).toStrictEqual([user.email, true, user.name]);

    const second = await signInToPlatform(
      user,
      `${new URLSearchParams({ redirect: 'http://127.0.0.1:7777/cli', codeChallenge: challengeOf(codeVerifier) })}`,
    );
    expect([second.end.pathname, second.end.searchParams.get('redirect')]).toStrictEqual(['/auth/program', 'http://127.0.0.1:7777/cli']);
    const cli = createClient(stack.url, 'cli');
    const ofProgram = { code: second.end.searchParams.get('code'), codeVerifier };
    const session = dataOf(await cli.post('/api/auth/cli-callback', ofProgram));
    expect(session.accounts[0].id).toBe(registered.accounts[0].id);
    // One record for each, though nothing but the code said who it was.
    const log = await openAuditReader(stack);
    const exchanged = { operation: 'exchangeCode', action: 'session.login', outcome: 'ok', target_type: 'UserSession' };
    expect(await log.by(me.user.id, 'exchangeCode')).toMatchObject([exchanged, exchanged]);
    await log.close();
    expect((await cli.post('/api/auth/cli-callback', ofProgram)).status).toBe(400);
    const { payload } = await jwtVerify(session.accessToken, createRemoteJWKSet(new URL('/.well-known/jwks.json', stack.url)), {
      issuer: stack.url,
      audience: stack.url,
    });
    expect([payload.sub, payload.isVerified]).toStrictEqual([me.user.id, true]);
  });

  test('a callback in another browser ends at the frontend with an error and without a code', async () => {
    const { location } = await openBrowser().get('/api/auth/codehost');
    const end = await openBrowser().get(await approve(location.href, newUser()));
    expect([end.status, end.location.searchParams.get('error'), end.location.searchParams.get('code')]).toStrictEqual([
      302,
      'invalid_state',
      null,
    ]);
    expect(end.headers['referrer-policy']).toBe('no-referrer');
  });
});

/** The same address with some parameters changed, taken out (undefined), or said twice. */
function bent(address: string, changes: Readonly<Record<string, string | undefined>>, twice?: string): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (twice !== undefined) url.searchParams.append(twice, 'x');
  return url;
}
const unknownKey = 'A'.repeat(43);

describe('each parameter tampered, through the gateway', () => {
  /** A sign-in that has come back from the provider and is not ended yet. */
  const underWay = async (path: string) => {
    const browser = openBrowser();
    const { location } = await browser.get(path);
    return { browser, back: await approve(location.href, newUser()) };
  };
  const ways: readonly [string, Readonly<Record<string, string | undefined>>, string?][] = [
    ['no state', { state: undefined }],
    ['an unknown state', { state: unknownKey }],
    ['two states', {}, 'state'],
    ['no code', { code: undefined }],
    ['an unknown code', { code: 'unknown' }],
    ['two codes', {}, 'code'],
    ['another issuer', { iss: 'https://evil.example' }],
    ['a refusal', { error: 'access_denied' }],
  ];

  test('the callback of the platform: no code for the frontend, whatever is changed [spec:signin.1 spec:oauth-state.1]', async () => {
    for (const [what, changes, twice] of ways) {
      const { browser, back } = await underWay('/api/auth/codehost?action=register');
      const end = await browser.get(bent(back, changes, twice));
      const { pathname, searchParams } = end.location;
      const error = 'state' in changes || twice === 'state' ? 'invalid_state' : 'access_denied';
      expect([end.status, pathname, searchParams.get('error'), searchParams.get('code')]).toStrictEqualFor(what, [
        302,
        '/auth/callback',
        error,
        null,
      ]);
    }
    const { browser, back } = await underWay('/api/auth/codehost?action=register');
    const code = (await browser.get(back)).location.searchParams.get('code');
    // A state is good once.
    expect((await browser.get(back)).location.searchParams.get('error')).toBe('invalid_state');
    for (const body of [{}, { code: '' }, { code: unknownKey }, { code, codeVerifier: 'short' }, { code, more: 1 }])
      expect((await browser.post('/api/auth/cli-callback', body)).status).toStrictEqualFor(Object.keys(body), 400);
    dataOf(await browser.post('/api/auth/cli-callback', { code }));
    // A code is good once.
    expect((await browser.post('/api/auth/cli-callback', { code })).status).toBe(400);
  });

  test('the start: an action, account type or redirect that is none of ours never leaves [spec:oauth-state.1]', async () => {
    for (const query of [
      'action=else',
      'accountType=else',
      'redirect=https://evil.example/',
      'redirect=//evil.example',
      'action=login&action=register',
      // A misspelt `redirect` would lead people elsewhere.
      'redirct=https://app.example/',
    ])
      expect((await openBrowser().get(`/api/auth/codehost?${query}`)).status).toStrictEqualFor(query, 400);
    expect((await openBrowser().get('/api/auth/codehost?action=connect')).status).toBe(401);
  });

  test('an app: neither the way there nor the way back leads anywhere else [spec:auth.13 spec:project-oauth.1 spec:oauth-state.1]', async () => {
    const { createApp } = await createShop();
    const app = await createApp({ scopes: ['order:read'] });
    const authorize = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, state: 'mine', provider: 'codehost' });
    const start = `${stack.url}/api/auth/project/authorize?${authorize}`;
    const starts: readonly [Readonly<Record<string, string | undefined>>, number, string?][] = [
      [{ client_id: undefined }, 400],
      [{ client_id: 'app_unknown' }, 404],
      [{ redirect_uri: undefined }, 400],
      [{ redirect_uri: 'https://evil.example/' }, 400],
      [{ redirect_uri: `${redirectUri}/` }, 400],
      [{ provider: 'nobody' }, 400],
      [{}, 400, 'client_id'],
      [{}, 400, 'redirect_uri'],
    ];
    for (const [changes, status, twice] of starts) {
      const answer = await openBrowser().get(bent(start, changes, twice));
      expect([answer.status, answer.headers.location]).toStrictEqualFor([changes, twice], [status, undefined]);
    }
    for (const [what, changes, twice] of ways) {
      const { browser, back } = await underWay(start);
      const end = await browser.get(bent(back, changes, twice));
      const isOver = 'state' in changes || twice === 'state';
      if (isOver) expect([end.status, end.headers.location]).toStrictEqualFor(what, [400, undefined]);
      else expect(end.location.href).toStrictEqualFor(what, `${redirectUri}#error=access_denied&state=mine`);
    }
  });

  test('a magic link: its token and its state, and what is asked for it [spec:auth.10 spec:auth.15]', async () => {
    const { createApp } = await createShop();
    const app = await createApp({ scopes: ['order:read'] });
    const ask = async (changes: object = {}) => {
      const email = `${randomUUID()}@example.com`;
      const body = { client_id: app.clientId, redirect_uri: redirectUri, state: 'mine', email, ...changes };
      return { email, answer: await openBrowser().post('/api/auth/project/email/request', body) };
    };
    for (const changes of [{ email: 'nobody' }, { email: 1 }, { client_id: 1 }, { more: 1 }])
      expect((await ask(changes)).answer.status).toStrictEqualFor(changes, 400);
    for (const changes of [{ client_id: 'app_unknown' }, { redirect_uri: 'https://evil.example/' }]) {
      const { answer } = await ask(changes);
      // The same answer, and no mail.
      expect([answer.status, answer.body.data]).toStrictEqual([202, { success: true }]);
    }
    for (const [changes, twice] of [
      [{ token: undefined }],
      [{ token: unknownKey }],
      [{}, 'token'],
      [{ state: undefined }],
      [{ state: unknownKey }],
      [{}, 'state'],
    ] as const) {
      const { email } = await ask();
      const mail = await waitForMail(stack.dataDir, email, 'magic-link');
      const end = await openBrowser().get(bent(pressedLink(mail), changes, twice));
      const isOver = 'state' in changes || twice === 'state';
      if (isOver) expect(end.status).toBe(400);
      else expect(end.location.href).toBe(`${redirectUri}#error=access_denied&state=mine`);
    }
  });
});

describe('apps of a project', () => {
  test('sign-up by provider: a token of the project, capped to what app and user share, until the app goes [spec:claims.2-8 spec:claims.10-12 spec:signing.2 spec:auth.14 spec:apps.3]', async () => {
    const { owner, project, createApp } = await createShop();
    const app = await createApp({ scopes: ['order:read', 'order:write'] });
    const user = newUser();
    const { access_token: token = '', state, expires_in } = await signInToApp(app, user);
    expect([state, expires_in]).toStrictEqual(['mine', '900']);
    const [organizationId, projectId] = project.id.split(':');
    const issuer = `${stack.url}/org/${organizationId}/prj/${projectId}`;
    const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, { issuer, audience: app.clientId, algorithms: ['RS256'] });
    expect([payload.type, payload.scopes, payload.isVerified]).toStrictEqual(['projectApp', ['order:read'], undefined]);
    expect(payload.scope).toStrictEqual({ tenant: 'organizationProjectUser', id: `${project.id}:${payload.sub}` });

    expect(await decide(token, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
    expect((await decide(token, 'order', 'write'))[0]).toBe(false);
    expect((await decide(token, 'User', 'Query'))[0]).toBe(false);
    // An app's token never reads the user's own account.
    expect((await createClient(stack.url).get('/api/me', token)).status).toBe(403);
    const people = dataOf(await owner.client.get(`/api/users?${inScope(project)}`, owner.token));
    const joined = people.items.filter(({ id }: { id: string }) => id !== owner.userId);
    expect(joined.map(({ id, name }: { id: string; name: string }) => [id, name])).toStrictEqual([[payload.sub, user.name]]);

    const again = decodeJwt(String((await signInToApp(app, user)).access_token));
    expect(again.sub).toBe(payload.sub);
    dataOf(await owner.client.delete(`/api/project-apps/${app.id}?${inScope(project)}`, owner.token));
    await until(async () => (await decide(token, 'order', 'read'))[0] === 401);
  });

  test('an app without scopes: a token that acts for the user; a deleted project ends it [spec:service.3 spec:apps.3 spec:project-oauth.2]', async () => {
    const { owner, project, createApp } = await createShop();
    const { access_token: token = '' } = await signInToApp(await createApp(), newUser());
    expect([decodeJwt(token).type, decodeJwt(token).aud, decodeJwt(token).scopes]).toStrictEqual(['apiKey', stack.url, undefined]);
    expect(await decide(token, 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
    // It acts for the user in the project, not in their account.
    for (const path of ['/api/me', '/api/auth/codehost?action=connect']) expect((await owner.client.get(path, token)).status).toBe(403);
    dataOf(
      await owner.client.delete(
        `/api/projects/${project.id.split(':')[1]}?${inScope({ tenant: 'organization', id: project.id.split(':')[0] ?? '' })}`,
        owner.token,
      ),
    );
    await until(async () => (await decide(token, 'order', 'read'))[0] === 401);
  });

  test('no escalation: by the scopes of an app, by its sign-up role, or by a superior who signs in to it', async () => {
    const { owner, organization, project, roleId } = await createShop();
    const dev = await addMember(stack, owner, organization, 'Dev');
    const create = (body: object) =>
      dev.client.post('/api/project-apps', { scope: project, name: 'x', redirectUris: [redirectUri], ...body }, dev.token);
    expect((await create({ scopes: ['OrganizationMember:Update'] })).status).toBe(403);
    expect((await create({ scopes: ['order:delete'] })).status).toBe(400);
    expect((await create({ scopes: ['invoice:read'] })).status).toBe(400);
    const connecting = `${stack.url}/api/auth/codehost?action=connect`;
    expect((await create({ redirectUris: [connecting] })).status).toBe(400);
    expect((await create({ type: 'spa', postLogoutRedirectUris: [connecting] })).status).toBe(400);
    const ownerRole = await builtInRole(owner, organization, 'Owner');
    expect((await create({ allowSignUp: true, signUpRoleId: ownerRole })).status).toBe(400);
    dataOf(await create({ scopes: ['order:read', 'Role:Create'], allowSignUp: true, signUpRoleId: roleId }));

    const lure = dataOf(await create({}));
    expect((await signInToApp(lure, newUser({ email: owner.email }))).error).toBe('access_denied');
    const own = await signInToApp(lure, newUser({ email: dev.email }));
    expect(decodeJwt(String(own.access_token)).sub).toBe(dev.userId);
  });

  test('a magic link signs in once, and only where it was asked for [spec:auth.10 spec:auth.11 spec:auth.15 spec:auth.16]', async () => {
    const { createApp } = await createShop();
    const app = await createApp({ scopes: ['order:read'], enabledProviders: ['email'] });
    const email = `${randomUUID()}@example.com`;
    const browser = openBrowser();
    const query = new URLSearchParams({ client_id: app.clientId, redirect_uri: redirectUri, state: 'mine' });
    const entry = await browser.get(`/api/auth/project/authorize?${query}`);
    expect(entry.location.pathname).toBe('/auth/project/email');
    const body = Object.fromEntries(entry.location.searchParams);
    const asked = await browser.post('/api/auth/project/email/request', { ...body, email });
    expect([asked.status, asked.body]).toStrictEqual([202, { success: true, data: { success: true } }]);
    const link = pressedLink(await waitForMail(stack.dataDir, email, 'magic-link'));
    const end = await openBrowser().get(link);
    const fragment = Object.fromEntries(new URLSearchParams(end.location.hash.slice(1)));
    expect(await decide(fragment.access_token ?? '', 'order', 'read')).toStrictEqual([true, 'PERMISSION_GRANTED_NO_CONDITION']);
    expect((await openBrowser().get(link)).status).toBe(400);
    expect((await openBrowser().get(`/api/auth/project/authorize?${query}&provider=codehost`)).status).toBe(400);
  });

  test('in the graph: create, list with tags, update, delete [spec:apps.5]', async () => {
    const { owner, project } = await createShop();
    const tag = dataOf(await owner.client.post('/api/tags', { scope: project, name: 'beta', color: 'blue' }, owner.token));
    const ask = async (document: string, input: object) => {
      const { body } = await owner.client.graphql(document, { input: { scope: project, ...input } }, owner.token);
      expect(body.errors).toBeUndefined();
      return Object.values(body.data)[0] as Answer['body'];
    };
    const made = await ask('mutation ($input: CreateProjectAppInput!) { createProjectApp(input: $input) { id clientId } }', {
      name: 'Tagged',
      redirectUris: [redirectUri],
      tagIds: [tag.id],
      primaryTagId: tag.id,
    });
    const list = 'query ($input: ProjectAppsInput!) { projectApps(input: $input) { projectApps { id tags { name color } } totalCount } }';
    const page = await ask(list, { tagIds: [tag.id] });
    expect(page).toStrictEqual({ projectApps: [{ id: made.id, tags: [{ name: 'beta', color: 'blue' }] }], totalCount: 1 });
    const rest = dataOf(await owner.client.get(`/api/project-apps?${inScope(project, 'relations=tags')}`, owner.token));
    expect(rest.items[0].tags[0].name).toBe('beta');
    const updated = await ask('mutation ($input: UpdateProjectAppInput!) { updateProjectApp(input: $input) { name } }', {
      id: made.id,
      name: 'New',
    });
    expect(updated.name).toBe('New');
    await ask('mutation ($input: DeleteProjectAppInput!) { deleteProjectApp(input: $input) { id } }', { id: made.id });
    expect((await ask(list, {})).totalCount).toBe(0);
  });
});
