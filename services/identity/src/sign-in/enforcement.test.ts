/** Members have to come by the connection (decision 31): who is let in, by which door. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { exchangeGrant } from '@tessera/rules/app-types';
import * as client from 'openid-client';
import { until } from '../../../../test/support/until.ts';
import { pathOf } from '../testing/browser.ts';
import { type ConnectionWorld, connectionsOf, upstreamPerson } from '../testing/connections.ts';
import { codeOf, firstFactor, secondFactor, withPasskey, withTotp } from '../testing/factors.ts';
import { startOauth } from '../testing/oauth.ts';
import { openidOf } from '../testing/openid.ts';
import { fragmentOf, join, projectsOf, refused } from '../testing/project.ts';
import { claimsOf, login, type Registered, registered } from '../testing/service.ts';

const service = connectionsOf(await startOauth({ WEBHOOK_ALLOW_PRIVATE: 'true' }));
afterAll(() => service.stop());
const { ask, peers, makeWorld } = service;
const projects = await projectsOf(service);
const openid = openidOf(service, projects);

/** The others have its provider too, which is slow to start. */
let first: ConnectionWorld | undefined;

/** An organization with a connection that was used, and an Owner who has a second factor. */
async function arrange() {
  const world = await makeWorld(first?.upstream);
  first ??= world;
  const owner = await withTotp(service, world.owner);
  join(peers, world.organizationId, owner.userId);
  peers.found = [owner.userId];
  peers.heldRoles.set(owner.userId, [ownerRoleId(world.organizationId)]);
  const linked = await linkedMember(world);
  const enforce = (more: object = {}) => world.change({ isEnforced: true, breakGlassUserIds: [owner.userId], ...more });
  const enforcement = async () =>
    (
      await ask('GET', `/api/connections/${world.connection.id}/enforcement?tenant=organization&scopeId=${world.organizationId}`, {
        token: owner.accessToken,
      })
    ).body.data;
  return { ...world, owner, linked, enforce, enforcement };
}
type Arranged = Awaited<ReturnType<typeof arrange>>;

async function memberOf({ organizationId }: Pick<ConnectionWorld, 'organizationId'>, person?: Registered): Promise<Registered> {
  const member = person ?? (await registered(service));
  join(peers, organizationId, member.userId);
  return member;
}

/** A member with ways of their own, who has connected the account. */
async function linkedMember(world: ConnectionWorld, person?: Registered): Promise<Registered> {
  const member = await memberOf(world, person);
  const who = upstreamPerson('example.com', { email: member.email });
  const headers = { authorization: `Bearer ${member.accessToken}` };
  expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
  return member;
}

const outcomeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => (status === 403 ? String(body.code) : status);

async function byEmailCode({ email }: Registered) {
  expect((await ask('POST', '/api/auth/email-code', { body: { email } })).status).toBe(202);
  let code = '';
  await until(async () => {
    code = String((await service.mails(email, 0)).findLast(({ template }) => template === 'sign-in-code')?.data.code ?? '');
    return code !== '';
  });
  return ask('POST', '/api/auth/email-code/verify', { body: { email, code } });
}

async function byPasskey(authenticator: Awaited<ReturnType<typeof withPasskey>>['authenticator']) {
  const { body } = await ask('POST', '/api/auth/passkey/options', { body: {} });
  return ask('POST', '/api/auth/passkey', { body: { credential: authenticator.get(body.data) } });
}

/** The doors to the platform. Each is tried by each kind of person. */
const doors: Readonly<Record<string, (person: Registered) => Promise<Awaited<ReturnType<typeof ask>>>>> = {
  password: ({ email }) => login(service, email, { userAgent: newId() }),
  'code by mail': byEmailCode,
};
const people: Readonly<Record<string, { readonly make: (world: Arranged) => Promise<Registered>; readonly result: string | number }>> = {
  'has come by it': { make: async ({ linked }) => linked, result: 'CONNECTION_REQUIRED' },
  'has come by it, and is in another organization too': {
    make: async ({ linked }) => memberOf(await makeWorld(first?.upstream), linked),
    result: 200,
  },
  'has not come by it yet, and connects the account in such a session': { make: (world) => memberOf(world), result: 200 },
  'has come by it, and has left the organization': {
    make: async ({ linked, organizationId }) => {
      peers.people.get(organizationId)?.delete(linked.userId);
      return linked;
    },
    result: 200,
  },
  'is no member': { make: () => registered(service), result: 200 },
};

describe('doors of the platform', () => {
  for (const [who, { make, result }] of Object.entries(people))
    for (const [door, open] of Object.entries(doors))
      test(`${door}, by a person who ${who}: ${result}`, async () => {
        const world = await arrange();
        const person = await make(world);
        expect((await world.enforce()).status).toBe(200);
        const answer = await open(person);
        expect(outcomeOf(answer)).toBe(result);
        if (result !== 200) expect(answer.body.extensions).toStrictEqual({ connectionId: world.connection.id });
      });

  test('passkey and second factor of a member: refused; of a named Owner: let in, recorded and told', async () => {
    const world = await arrange();
    const { authenticator } = await withPasskey(service, world.linked);
    expect((await world.enforce()).status).toBe(200);
    expect(outcomeOf(await byPasskey(authenticator))).toBe('CONNECTION_REQUIRED');
    const { token } = await firstFactor(service, world.owner.email);
    const answer = await secondFactor(service, { token, method: 'totp', code: codeOf(world.owner.secret) });
    expect(answer.status).toStrictEqualFor(answer.body, 200);
    const [row] = (await service.auditOf('connection.break-glass-used')).filter(({ scope_id: id }) => id === world.organizationId);
    expect(row).toMatchObject({ actor_id: world.owner.userId, outcome: 'ok' });
    const told = () =>
      peers.events.filter(({ event }) => event.type === 'connection.ownersTold' && event.payloadJson.includes(world.organizationId));
    await until(async () => told().some(({ event }) => event.payloadJson.includes('connection-break-glass')));
  });

  test('a session from before says that it did not come by the connection, and one by it says so', async () => {
    const world = await arrange();
    const who = upstreamPerson(world.domain);
    const came = await world.signIn(who);
    expect((await world.enforce()).status).toBe(200);
    expect(claimsOf(came.accessToken)['connection']).toBe(world.connection.id);
    const { refreshToken } = world.linked;
    const renewed = await ask('POST', '/api/auth/refresh', { body: { refreshToken } });
    expect(claimsOf(renewed.body.data.accessToken)['connection']).toBeUndefined();
    await world.signIn(who);
  });
});

describe('switching it on', () => {
  test('shows who would be shut out, tells rbac the whole state, and the Owners by mail', async () => {
    const world = await arrange();
    // Of two who have proven a domain here tenancy would know one.
    for (const [id, domains] of peers.provenDomains) if (id !== world.organizationId) domains.delete('example.com');
    const [unlinked, outside] = [await memberOf(world), await memberOf(world)];
    await service.database.query(sql(`UPDATE authentication_methods SET email = $2, provider_id = $2 WHERE user_id = $1`), [
      outside.userId,
      `ada.${newId()}@elsewhere.example`,
    ]);
    const before = await world.enforcement();
    expect(before).toMatchObject({ isEnforced: false, obstacles: ['no-owner'], members: 4, linked: 1, isComplete: true });
    const reasons = Object.fromEntries(before.shutOut.map(({ userId, reason }: { userId: string; reason: string }) => [userId, reason]));
    expect(reasons).toMatchObject({ [unlinked.userId]: 'must-connect', [outside.userId]: 'no-address' });
    const { status, body } = await world.enforce();
    expect([status, body.data]).toMatchObject([200, { isEnforced: true, breakGlassUserIds: [world.owner.userId] }]);
    const told = (type: string) =>
      peers.events.filter(({ event }) => event.type === type && event.payloadJson.includes(world.organizationId));
    const mails = () => told('connection.ownersTold').filter(({ event }) => event.payloadJson.includes('"connection-enforced"'));
    await until(async () => told('organization.connectionsEnforced').length === 1 && mails().length === 1);
    expect(JSON.parse(told('organization.connectionsEnforced')[0]?.event.payloadJson ?? '')).toMatchObject({
      connectionIds: [world.connection.id],
      breakGlassUserIds: [world.owner.userId],
    });
    expect((await world.enforcement()).breakGlass).toBe(1);
  });

  test('an Admin neither switches it on or off, nor names an Owner, nor switches the connection off', async () => {
    const world = await arrange();
    const verdict = (value: string) => peers.verdicts.set(ownerRoleId(world.organizationId), value);
    const answers = async () => {
      const changes = [{ isEnforced: true }, { isEnforced: false }, { breakGlassUserIds: [] }, { breakGlassUserIds: [world.owner.userId] }];
      const found = [];
      for (const change of changes) found.push((await world.change(change)).status);
      return found;
    };
    verdict('above-own-rank');
    expect(await answers()).toStrictEqual([403, 403, 403, 403]);
    verdict('allowed');
    expect((await world.enforce()).status).toBe(200);
    verdict('above-own-rank');
    expect(await answers()).toStrictEqual([403, 403, 403, 403]);
    expect([(await world.change({ status: 'disabled' })).status, (await world.remove()).status]).toStrictEqual([409, 409]);
    const { body, status } = await world.change({ oidc: { clientSecret: 'unknown to the provider' } });
    expect([status, body.translationKey]).toStrictEqual([403, 'errors.connection.enforcedByOwners']);
    verdict('allowed');
    expect((await world.change({ isEnforced: false, status: 'disabled' })).status).toBe(200);
  });

  test('a lost domain keeps nobody from being named while it is on', async () => {
    const world = await arrange();
    expect((await world.enforce()).status).toBe(200);
    peers.provenDomains.get(world.organizationId)?.clear();
    expect((await world.change({ breakGlassUserIds: [world.owner.userId] })).status).toBe(200);
    expect((await world.change({ breakGlassUserIds: [] })).body.extensions).toStrictEqual({ reason: 'no-owner' });
  });

  test('needs a named Owner, also where an Owner can come by the connection: its domain may be deleted', async () => {
    const world = await arrange();
    await linkedMember(world, world.owner);
    const enforced = await world.enforce({ breakGlassUserIds: [] });
    expect([enforced.status, enforced.body.extensions]).toStrictEqual([409, { reason: 'no-owner' }]);
  });

  test('who may not list the members gets their number and neither names nor addresses', async () => {
    const world = await arrange();
    await memberOf(world);
    peers.denied.add('OrganizationMember:Query');
    try {
      expect(await world.enforcement()).toMatchObject({ shutOutCount: 2, shutOut: [] });
    } finally {
      peers.denied.delete('OrganizationMember:Query');
    }
  });

  test('nobody is named who is no Owner or has one factor', async () => {
    const world = await arrange();
    const [plain, other] = [await registered(service), await withTotp(service)];
    peers.heldRoles.set(plain.userId, [ownerRoleId(world.organizationId)]);
    for (const id of [plain.userId, other.userId]) expect((await world.enforce({ breakGlassUserIds: [id] })).status).toBe(400);
  });

  const missing: Readonly<Record<string, (world: Arranged) => unknown>> = {
    'not-active': (world) => world.change({ status: 'disabled' }),
    'no-domain': ({ organizationId }) => peers.provenDomains.get(organizationId)?.clear(),
    'never-used': ({ connection }) =>
      service.database.query(sql('UPDATE connections SET last_used_at = NULL WHERE id = $1'), [connection.id]),
    'no-owner': () => undefined,
  };
  for (const [reason, take] of Object.entries(missing))
    test(`${reason}: refused, and shown before`, async () => {
      const world = await arrange();
      await take(world);
      expect((await world.enforcement()).obstacles).toContain(reason);
      const { status, body } = await world.change({ isEnforced: true });
      expect([status, body.extensions]).toStrictEqual([409, { reason }]);
    });
});

describe('apps of its projects', () => {
  /** A member of the app's organization, signed in to the app; then the connection is enforced. */
  async function inApp(changes: object = {}) {
    const app = await openid.makeClient({ is_first_party: true, ...changes });
    const agent = { ...app, ...(await madeAgent(app)) };
    const person = await openid.person(app);
    const organizationId = app.scope.id.slice(0, 36);
    join(peers, organizationId, person.userId);
    peers.permissions.set(person.userId, ['order:read']);
    const { config, tokens } = await openid.signIn(app, person.browser, { scope: 'openid offline_access order:read' });
    const connectionId = newId();
    await service.database.query(
      sql(`INSERT INTO connections (id, organization_id, type, name, status, issuer, client_id, scopes, default_role_id, created_by, created_at,
        updated_at, is_enforced, enforced_at) VALUES ($1, $2, 'oidc', 'Login', 'active', 'https://login.example', 'tessera', '{}', $1, $1, now(), now(), true, now())`),
      [connectionId, organizationId],
    );
    const comeByIt = () =>
      service.database.query(sql('UPDATE sessions SET connection_id = $1 WHERE user_id = $2'), [connectionId, person.userId]);
    const authorize = async (prompt = 'none') =>
      (await person.browser.get(pathOf((await openid.request(config, { prompt })).url))).location.searchParams;
    return { app, agent, person, config, tokens, organizationId, connectionId, comeByIt, authorize };
  }

  async function madeAgent(app: Awaited<ReturnType<typeof openid.makeClient>>) {
    const token = openid.owner.accessToken;
    const body = { scope: app.scope, name: 'Agent', type: 'web', grantTypes: [exchangeGrant], scopes: ['order:read'] };
    const made = await ask('POST', '/api/project-apps', { body, token });
    expect(made.status).toStrictEqualFor(made.body, 201);
    const allowed = { scope: app.scope, mayAct: [made.body.data.clientId] };
    expect((await ask('PATCH', `/api/project-apps/${app.id}`, { body: allowed, token })).status).toBe(200);
    return made.body.data;
  }

  test('authorize, refresh, userinfo, introspection and exchange refuse a session that came another way, and serve one by it', async () => {
    const { agent, config, tokens, comeByIt, authorize, person } = await inApp();
    const exchange = async () => {
      const asked = { subject_token: tokens.access_token, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
      return client.genericGrantRequest(await openid.discover(agent), exchangeGrant, asked);
    };
    expect((await authorize()).get('error')).toBe('interaction_required');
    await expect(exchange()).rejects.toMatchObject({ error: 'invalid_request' });
    await expect(client.fetchUserInfo(config, tokens.access_token, person.userId)).rejects.toBeDefined();
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
    await comeByIt();
    expect((await authorize()).has('code')).toBe(true);
    expect((await client.fetchUserInfo(config, tokens.access_token, person.userId)).sub).toBe(person.userId);
    const { access_token: exchanged } = await exchange();
    expect((await client.tokenIntrospection(await openid.discover(agent), exchanged)).active).toBe(true);
  });

  test('a session whose provider has linked the person without their word signs in to apps of that organization alone', async () => {
    const { config, tokens, comeByIt, authorize, person, connectionId, organizationId } = await inApp();
    await comeByIt();
    const amr = JSON.stringify(['fed', 'org', 'orglink']);
    await service.database.query(sql('UPDATE sessions SET amr = $2::jsonb WHERE user_id = $1'), [person.userId, amr]);
    const isActive = async () => (await client.tokenIntrospection(config, tokens.access_token)).active;
    expect([(await authorize()).has('code'), await isActive()]).toStrictEqual([true, true]);
    // The provider of another organization, which does not enforce it.
    const move = sql('UPDATE connections SET organization_id = $2, is_enforced = false WHERE id = $1');
    await service.database.query(move, [connectionId, newId()]);
    expect([(await authorize()).get('error'), await isActive()]).toStrictEqual(['login_required', false]);
    await expect(client.fetchUserInfo(config, tokens.access_token, person.userId)).rejects.toBeDefined();
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    await service.database.query(move, [connectionId, organizationId]);
    expect((await authorize()).has('code')).toBe(true);
  });

  test('the second factor of the organization’s provider counts for its apps, and not for those of another one', async () => {
    const { comeByIt, authorize, person, connectionId, organizationId } = await inApp();
    await comeByIt();
    peers.sessionPolicies.set(organizationId, { requireSecondFactor: true });
    expect((await authorize()).has('code')).toBe(false);
    const amr = JSON.stringify(['fed', 'orgmfa']);
    await service.database.query(sql('UPDATE sessions SET amr = $2::jsonb WHERE user_id = $1'), [person.userId, amr]);
    expect((await authorize()).has('code')).toBe(true);
    const move = sql('UPDATE connections SET organization_id = $2, is_enforced = false WHERE id = $1');
    await service.database.query(move, [connectionId, newId()]);
    expect((await authorize()).has('code')).toBe(false);
    peers.sessionPolicies.clear();
  });

  test('an old refresh token is refused', async () => {
    const { config, tokens } = await inApp();
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('the page of the sign-in names the connection', async () => {
    const { authorize, person, connectionId } = await inApp();
    const interaction = (await authorize('consent')).get('interaction');
    const { body } = await person.browser.get(`/api/auth/interactions/${interaction}`);
    expect(body.data).toMatchObject({ prompt: 'sign_in', reasons: ['connection'], connection: { id: connectionId, name: 'Login' } });
  });

  test('a user of the project who is no member of the organization is asked for nothing', async () => {
    const { organizationId, person, authorize } = await inApp();
    peers.people.get(organizationId)?.delete(person.userId);
    expect((await authorize()).has('code')).toBe(true);
  });

  test('a link by mail to an app of the fragment flow is refused', async () => {
    const { person, app } = await inApp();
    const plain = await projects.makeApp();
    await service.database.query(sql('UPDATE project_apps SET scope_id = $2 WHERE id = $1'), [plain.id, app.scope.id]);
    await projects.requestLink(plain, person.email);
    const visit = await person.browser.get(pathOf(await projects.linkIn(person.email, 2)));
    expect(fragmentOf(visit)).toStrictEqual(refused);
  });
});
