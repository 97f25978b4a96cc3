import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { exchangeGrant } from '@tessera/rules/app-types';
import { generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { until, waitingForMe } from '../../../../../test/support/until.ts';
import { holdToken, insertAppToken } from '../../apps/storage/project-app-tokens.ts';
import { accessTokenType, both, exchangeOf, refused } from '../../testing/exchange.ts';
import { startOauth } from '../../testing/oauth.ts';
import { type OpenidApp, openidOf } from '../../testing/openid.ts';
import { join, projectsOf } from '../../testing/project.ts';
import { claimsOf } from '../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const { sibling, update, remove, exchange, isActive, world } = exchangeOf(service, openid);

describe('token exchange', () => {
  test('an agent gets a token of its own: person, app and agent stand in it, and its scopes shrink', async () => {
    const { app, agent, person, token } = await world();
    const answer = await exchange(agent, token, { scope: 'order:read', audience: agent.clientId });
    expect(answer).toMatchObject({ issued_token_type: accessTokenType, token_type: 'bearer', scope: 'order:read' });
    expect(answer.refresh_token).toBeUndefined();
    const [child, parent] = [claimsOf(answer.access_token), claimsOf(token)];
    const act = { sub: agent.id, client_id: agent.clientId };
    const expected = { sub: person.userId, aud: agent.clientId, iss: app.issuer, type: 'projectApp' };
    expect(child).toMatchObject({ ...expected, scopes: ['order:read'], act });
    expect(child.scope).toStrictEqual(parent.scope);
    expect(Number(child.exp)).toBeLessThanOrEqual(Number(parent.exp));
    const shown = await client.tokenIntrospection(await openid.discover(agent), answer.access_token);
    expect(shown).toMatchObject({ active: true, sub: person.userId, client_id: agent.clientId, act: { sub: agent.id } });
    const rows = await service.auditOf('openid.token');
    expect(rows.at(-1)).toMatchObject({ actor_id: person.userId, detail: { grantType: 'token_exchange', actors: [agent.clientId] } });
  });

  test('a chain has three apps at most, each once, the newest outside', async () => {
    const { app, agent, token } = await world();
    const [second, third, fourth] = [await sibling(app), await sibling(app), await sibling(app)];
    await update(agent, { mayAct: [second.clientId] });
    await update(second, { mayAct: [third.clientId, agent.clientId] });
    await update(third, { mayAct: [fourth.clientId] });
    const one = await exchange(agent, token);
    const two = await exchange(second, one.access_token);
    const three = await exchange(third, two.access_token);
    const links = { sub: third.id, act: { sub: second.id, act: { sub: agent.id } } };
    expect(claimsOf(three.access_token)).toMatchObject({ act: links });
    expect(await refused(exchange(fourth, three.access_token))).toBe('invalid_request');
    expect(await refused(exchange(agent, two.access_token))).toBe('invalid_request');
    await update(app, { mayAct: [agent.clientId, second.clientId] });
    expect(await isActive(agent, one.access_token)).toBe(true);
  });

  test('a token for one API stays for this API', async () => {
    const { app, agent, person } = await world();
    const identifier = 'https://orders.example/api';
    service.peers.resourceServers.set(`${app.scope.id} ${identifier}`, ['order']);
    const { tokens } = await openid.signIn(app, person.browser, { scope: 'openid order:read', resource: identifier });
    const child = await exchange(agent, tokens.access_token);
    expect(claimsOf(child.access_token)).toMatchObject({ aud: [agent.clientId, identifier], scopes: ['order:read'] });
    expect(await refused(exchange(agent, tokens.access_token, { resource: 'https://other.example/' }))).toBe('invalid_target');
  });

  test('a machine app acts within its role', async () => {
    const { agent, token } = await world({ type: 'machine' });
    service.peers.permissions.set(agent.id, ['order:write']);
    const { access_token: child, scope } = await exchange(agent, token);
    expect(scope).toBe('order:write');
    expect(claimsOf(child)).toMatchObject({ scopes: ['order:write'], act: { sub: agent.id, role_id: agent.roleId } });
    service.peers.permissions.set(agent.id, []);
    expect(await refused(exchange(agent, token))).toBe('invalid_grant');
  });

  const attempts: readonly [what: string, expected: string, parameters: Readonly<Record<string, string>>][] = [
    ['a scope that the token before lacks', 'invalid_scope', { scope: 'order:read invoice:pay' }],
    ['another audience', 'invalid_target', { audience: 'app_of_somebody' }],
    ['a resource that was not granted', 'invalid_target', { resource: 'https://other.example/' }],
    ['a refresh token', 'invalid_request', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['a token of another type', 'invalid_request', { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }],
    ['a second actor', 'invalid_request', { actor_token: 'x', actor_token_type: accessTokenType }],
  ];
  test('more than the token before had, and what the exchange does not know, is refused', async () => {
    const { agent, token } = await world();
    for (const [what, expected, parameters] of attempts)
      expect(await refused(exchange(agent, token, parameters))).toStrictEqualFor(what, expected);
  });

  test('a token of another issuer, of a session, of a machine, a forged one and an ID token are refused alike', async () => {
    const { app, agent, person, token, tokens } = await world();
    const elsewhere = await world();
    const machine = await sibling(app, { type: 'machine', grantTypes: ['client_credentials', exchangeGrant] });
    service.peers.permissions.set(machine.id, both);
    const ofMachine = await client.clientCredentialsGrant(await openid.discover(machine));
    const [head, body] = token.split('.');
    for (const sent of [elsewhere.token, person.accessToken, ofMachine.access_token, tokens.id_token ?? '', `${head}.${body}.AAAA`, 'x'])
      expect(await refused(exchange(agent, sent))).toBe('invalid_request');
  });

  test('an app that mayAct does not name, that lacks the grant, or is public is refused', async () => {
    const { app, token } = await world();
    expect(await refused(exchange(await sibling(app), token))).toBe('unauthorized_client');
    const other = await sibling(app, { grantTypes: ['authorization_code'], redirectUris: ['https://a.example/cb'] });
    expect(await refused(exchange(other, token))).toBe('invalid_request');
    const fields = { scope: app.scope, name: 'P', type: 'spa', redirectUris: ['https://a.example/cb'], grantTypes: [exchangeGrant] };
    const made = await service.ask('POST', '/api/project-apps', { body: fields, token: openid.owner.accessToken });
    expect([made.status, made.body.extensions?.field]).toStrictEqual([400, 'grantTypes.0']);
    const stranger = await openid.makeClient();
    for (const clientId of [stranger.clientId, 'app_unknown']) {
      const answer = await service.ask('PATCH', `/api/project-apps/${app.id}`, {
        body: { scope: app.scope, mayAct: [clientId] },
        token: openid.owner.accessToken,
      });
      expect([answer.status, answer.body.extensions?.field]).toStrictEqual([400, 'mayAct.0']);
    }
  });

  test('a sign-in with one factor gives no token to an app that demands two', async () => {
    const { agent, token } = await world({ requireSecondFactor: true });
    expect(await refused(exchange(agent, token))).toBe('invalid_request');
  });

  test('a way to sign in that the app does not allow gives no token, with the reason', async () => {
    const { app, agent, person, token } = await world({ allowEmailCode: false });
    const byProvider = await sibling(app);
    await service.database.query(sql("UPDATE project_apps SET enabled_providers = '{codehost}' WHERE id = $1"), [byProvider.id]);
    await update(app, { mayAct: [agent.clientId, byProvider.clientId] });
    const reason = (by: OpenidApp) => exchange(by, token).catch((error: { error_description?: string }) => error.error_description);
    const words = expect.stringContaining('does not allow the way by which the person signed in');
    expect(await reason(byProvider)).toStrictEqual(words);
    expect(claimsOf((await exchange(agent, token)).access_token).sub).toBe(person.userId);
    await service.database.query(sql(`UPDATE sessions SET amr = '["otp"]' WHERE user_id = $1`), [person.userId]);
    expect(await reason(agent)).toStrictEqual(words);
  });

  test('a token gives none that lives longer, and in its last second no other one', async () => {
    const { agent, token } = await world();
    const { jti } = claimsOf(token);
    const text = 'UPDATE project_app_tokens SET expires_at = now() + make_interval(secs => $2) WHERE id = $1';
    await service.database.query(sql(text), [String(jti), 60]);
    const { exp, iat } = claimsOf((await exchange(agent, token)).access_token);
    expect(Number(exp) - Number(iat)).toBeLessThanOrEqual(60);
    await service.database.query(sql(text), [String(jti), 0.95]);
    expect(await refused(exchange(agent, token))).toBe('invalid_request');
  });

  test('a token that is bound to a key gives none without, nor does an app get one that demands bound ones', async () => {
    const { app, agent, person, token } = await world();
    const config = await openid.discover(app);
    const DPoP = client.getDPoPHandle(config, await generateKeyPair('ES256', { extractable: true }));
    const { url, checks } = await openid.request(config, { scope: 'openid order:read' });
    const { location } = await openid.follow(person.browser, url);
    const bound = await client.authorizationCodeGrant(config, location, checks, undefined, { DPoP });
    expect(bound.token_type).toBe('dpop');
    await expect(exchange(agent, bound.access_token)).rejects.toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('bound to a key'),
    });
    const demanding = await sibling(app, { dpopBoundAccessTokens: true });
    await update(app, { mayAct: [agent.clientId, demanding.clientId] });
    expect(await refused(exchange(demanding, token))).toBe('unauthorized_client');
  });

  test('for an organization that uses the project the token stays there, and a machine needs actsInGrants', async () => {
    const app = await openid.makeClient();
    const [agent, machine] = [await sibling(app), await sibling(app, { type: 'machine' })];
    await update(app, { mayAct: [agent.clientId, machine.clientId] });
    const organizationId = newId();
    service.peers.customers.set(app.scope.id, [{ organizationId, name: 'Acme', slug: 'acme' }]);
    const person = await openid.person(await openid.makeClient());
    join(service.peers, organizationId, person.userId);
    service.peers.permissions.set(person.userId, both);
    service.peers.permissions.set(machine.id, both);
    const { tokens } = await openid.signIn(app, person.browser, { scope: 'openid order:read' });
    const child = await exchange(agent, tokens.access_token);
    expect(claimsOf(child.access_token)).toMatchObject({ org_id: organizationId, scope: claimsOf(tokens.access_token).scope });
    expect(await refused(exchange(machine, tokens.access_token))).toBe('unauthorized_client');
    await update(machine, { actsInGrants: true });
    expect(claimsOf((await exchange(machine, tokens.access_token)).access_token)).toMatchObject({ org_id: organizationId });
  });
});

type World = Awaited<ReturnType<typeof world>>;
const ends: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'the token before is revoked': async ({ app, token }) => client.tokenRevocation(await openid.discover(app), token),
  'the token itself is revoked': async () => undefined,
  'the session ends': ({ person }) => service.ask('POST', '/api/auth/logout', { token: person.accessToken }),
  'the consent is withdrawn': ({ app, person }) => service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: person.accessToken }),
  'mayAct leaves the agent out': ({ app }) => update(app, { mayAct: [] }),
  'the app before loses a scope': ({ app }) => update(app, { scopes: ['order:read'] }),
  'the agent loses a scope': ({ agent }) => update(agent, { scopes: ['order:read'] }),
  'the agent loses the grant': ({ agent }) => update(agent, { grantTypes: ['authorization_code'], redirectUris: ['https://a.example/cb'] }),
  'the app before is deleted': ({ app }) => remove(app),
  'the agent is deleted': ({ agent }) => remove(agent),
};

describe('a token by exchange ends when', () => {
  test.each(Object.entries(ends))('%s, with what came from it', async (name, end) => {
    const known = await world();
    const { app, agent, token } = known;
    const next = await sibling(app);
    await update(agent, { mayAct: [next.clientId] });
    const child = (await exchange(agent, token)).access_token;
    const grandchild = (await exchange(next, child)).access_token;
    expect(await isActive(next, grandchild)).toBe(true);
    if (name === 'the token itself is revoked') await client.tokenRevocation(await openid.discover(agent), child);
    else await end(known);
    const jtis = [child, grandchild].map((one) => String(claimsOf(one).jti));
    const text = `SELECT value FROM revocations WHERE kind = 'jti' AND value = ANY ($1)`;
    await until(async () => (await service.database.query({ text }, [jtis])).length === 2);
    expect(await isActive(next, grandchild)).toBe(false);
    expect(await refused(exchange(next, child))).toMatch(/^invalid_/);
    const isParentAlive = await service.database.query({ text: 'SELECT id FROM project_app_tokens WHERE parent_id IS NULL AND id = $1' }, [
      String(claimsOf(token).jti),
    ]);
    const survives = name.startsWith('the agent') || name.startsWith('mayAct') || name.startsWith('the token itself');
    expect(isParentAlive.length === 1).toBe(survives);
  });

  test('the token before ends while one below it is exchanged', async () => {
    const { app, agent, person, token } = await world();
    const config = await openid.discover(app);
    const child = String(claimsOf((await exchange(agent, token)).access_token).jti);
    const id = newId();
    const { ending } = await service.database.transaction(async (tx) => {
      expect(await holdToken(tx, child)).toBe(true);
      const expiresAt = new Date(Date.now() + 60_000);
      await insertAppToken(tx, { id, appId: agent.id, userId: person.userId, expiresAt, parentId: child });
      let isOver = false;
      const under = client.tokenRevocation(config, token).finally(() => {
        isOver = true;
      });
      await until(async () => isOver || (await tx.query(sql(waitingForMe))).length > 0);
      return { ending: under };
    });
    await ending;
    const ids = [[child, id]];
    expect(await service.database.query(sql('SELECT id FROM project_app_tokens WHERE id = ANY ($1)'), ids)).toStrictEqual([]);
    expect(await service.database.query(sql('SELECT value FROM revocations WHERE value = ANY ($1)'), ids)).toHaveLength(2);
  });

  test('twenty exchanges at once with the end of the grant leave nothing alive', async () => {
    const { app, agent, token } = await world();
    const config = await openid.discover(app);
    const exchanges = Array.from({ length: 20 }, () => exchange(agent, token).catch(() => undefined));
    const [, ...answers] = await Promise.all([client.tokenRevocation(config, token), ...exchanges]);
    const jtis = answers.flatMap((answer) => (answer === undefined ? [] : [String(claimsOf(answer.access_token).jti)]));
    const left = await service.database.query({ text: 'SELECT id FROM project_app_tokens WHERE id = ANY ($1)' }, [jtis]);
    expect(left).toStrictEqual([]);
    const text = `SELECT value FROM revocations WHERE value = ANY ($1)`;
    expect(await service.database.query({ text }, [jtis])).toHaveLength(jtis.length);
  });
});
