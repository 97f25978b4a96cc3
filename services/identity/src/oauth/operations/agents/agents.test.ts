/** What acts for a person: seen, ended within a second, and never raced by an exchange. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import * as client from 'openid-client';
import { assertWithin, until, waitingForMe } from '../../../../../../test/support/until.ts';
import { noteUse } from '../../../apps/storage/acting-apps.ts';
import { deleteOldAgentRequests } from '../../../apps/storage/agent-requests.ts';
import { openBrowser, pathOf } from '../../../testing/browser.ts';
import { both, exchangeOf, refused } from '../../../testing/exchange.ts';
import { startOauth } from '../../../testing/oauth.ts';
import { type OpenidApp, openidOf } from '../../../testing/openid.ts';
import { join, projectsOf } from '../../../testing/project.ts';
import { claimsOf } from '../../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const openid = openidOf(service, await projectsOf(service));
const { sibling, update, exchange, isActive, world } = exchangeOf(service, openid);

type Known = { readonly accessToken: string; readonly userId: string };

async function mine({ accessToken: token }: Known) {
  const answer = await service.ask('GET', '/api/me/agents', { token });
  expect(answer.status).toStrictEqualFor(answer.body, 200);
  return answer.body.data.items;
}
const end = ({ clientId }: OpenidApp, { accessToken: token }: Known) => service.ask('DELETE', `/api/me/agents/${clientId}`, { token });
const allow = ({ clientId }: OpenidApp, { accessToken: token }: Known) =>
  service.ask('POST', `/api/me/agents/${clientId}/allow`, { token });

/** By an administrator of the app's organization, whom rbac allows everything here. */
const organizationOf = ({ scope }: OpenidApp) => scope.id.slice(0, 36);
const byAdmin = (method: string, app: OpenidApp, path = '') => {
  const id = organizationOf(app);
  const isBody = method === 'POST';
  const place = isBody ? '' : `?tenant=organization&scopeId=${id}`;
  const body = isBody ? { body: { scope: { tenant: 'organization', id } } } : {};
  return service.ask(method, `/api/agents${path}${place}`, { token: openid.owner.accessToken, ...body });
};

async function revoked(tokens: readonly string[]): Promise<void> {
  const jtis = tokens.map((token) => String(claimsOf(token).jti));
  const text = "SELECT value FROM revocations WHERE kind = 'jti' AND value = ANY ($1)";
  await until(async () => (await service.database.query({ text }, [jtis])).length === jtis.length);
}

/** Where a sign-in leads without any answer of the person. */
async function leadsTo(app: OpenidApp, person: Awaited<ReturnType<typeof world>>['person'], scope = 'openid order:read') {
  const { url } = await openid.request(await openid.discover(app), { scope });
  const { location } = await person.browser.get(pathOf(url));
  return location.searchParams.get('error') ?? (location.searchParams.has('code') ? 'code' : location.pathname);
}

describe('who acts for me', () => {
  test('the app that one signed in to, the agent that exchanged its token, and what each did last', async () => {
    const { app, agent, person, token } = await world();
    await exchange(agent, token, { scope: 'order:read' });
    const [newest, older, ...more] = await mine(person);
    expect(more).toStrictEqual([]);
    expect(newest).toMatchObject({ app: { clientId: agent.clientId, domain: null }, isByExchange: true, endedAt: null, scopes: both });
    expect(older).toMatchObject({ app: { clientId: app.clientId, domain: 'client.example' }, isByExchange: false });
    expect(older.scopes).toContain('openid');
    expect(newest.lastActions).toMatchObject([{ action: 'openid.token', outcome: 'ok' }]);
    expect(await mine(await openid.person(app))).toStrictEqual([]);
  });

  test('an app that belongs to the project stands there too, although it asks for no consent', async () => {
    const app = await openid.makeClient({ is_first_party: true });
    const person = await openid.person(app);
    service.peers.permissions.set(person.userId, both);
    await openid.signIn(app, person.browser, { scope: 'openid order:read' });
    expect(await mine(person)).toMatchObject([{ app: { clientId: app.clientId }, isByExchange: false }]);
    expect((await end(app, person)).status).toBe(200);
    // Without this it would have a token again with the next page, and no question.
    expect(await leadsTo(app, person)).toBe('/auth/project/consent');
    await openid.signIn(app, person.browser, { scope: 'openid order:read' });
    expect(await mine(person)).toMatchObject([{ endedAt: null }]);
  });
});

describe('an end by the person', () => {
  test('of an agent: its tokens and what came from them end, the app before lives on, and no exchange gives another', async () => {
    const { app, agent, person, token } = await world();
    const next = await sibling(app);
    await update(agent, { mayAct: [next.clientId] });
    const child = (await exchange(agent, token)).access_token;
    const grandchild = (await exchange(next, child)).access_token;
    expect((await end(agent, person)).status).toBe(200);
    await revoked([child, grandchild]);
    expect(await isActive(next, grandchild)).toBe(false);
    expect(await isActive(app, token)).toBe(true);
    expect(await refused(exchange(agent, token))).toBe('invalid_grant');
    expect((await mine(person)).find((one: { app: { clientId: string } }) => one.app.clientId === agent.clientId)).toMatchObject({
      endedAt: expect.any(String),
      endedByOrganizationAt: null,
    });
    expect((await allow(agent, person)).status).toBe(200);
    expect(claimsOf((await exchange(agent, token)).access_token).sub).toBe(person.userId);
  });

  test('holds within a second', async () => {
    const { agent, person, token } = await world();
    const { access_token: first } = await exchange(agent, token);
    const config = await openid.discover(agent);
    let child = first;
    await assertWithin(1_000, async () => {
      await end(agent, person);
      expect((await client.tokenIntrospection(config, child)).active).toBe(false);
      await allow(agent, person);
      child = (await exchange(agent, token)).access_token;
    });
  });

  test('of an app: its consent, refresh token and agents end; a new sign-in asks', async () => {
    const { app, agent, person, token, tokens } = await world();
    const child = (await exchange(agent, token)).access_token;
    expect((await end(app, person)).status).toBe(200);
    await revoked([token, child]);
    const config = await openid.discover(app);
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await leadsTo(app, person)).toBe('/auth/project/consent');
    const audit = await service.auditOf('agent.ended');
    expect(audit.at(-1)).toMatchObject({ actor_id: person.userId, detail: { clientId: app.clientId } });
  });

  test('is of nobody else: an unknown app, one that never acted, and that of another person are not found', async () => {
    const { app, agent, person, token } = await world();
    const other = await openid.person(app);
    for (const answer of [await end(agent, person), await end(app, other), await allow(app, other)]) expect(answer.status).toBe(404);
    expect((await service.ask('DELETE', '/api/me/agents/app_unknown', { token: person.accessToken })).status).toBe(404);
    expect(await isActive(app, token)).toBe(true);
  });

  test('waits for an exchange that has begun, and then ends its token; one that comes later is refused', async () => {
    const { agent, person, token } = await world();
    const child = (await exchange(agent, token)).access_token;
    const key = { userId: person.userId, projectAppId: agent.id, placeId: agent.scope.id, isByExchange: true };
    const { ending } = await service.database.transaction(async (tx) => {
      expect(await noteUse(tx, key, new Date())).toBe(true);
      let isOver = false;
      const under = end(agent, person).finally(() => {
        isOver = true;
      });
      await until(async () => isOver || (await tx.query(sql(waitingForMe))).length > 0);
      expect(isOver).toBe(false);
      return { ending: under };
    });
    expect((await ending).status).toBe(200);
    await revoked([child]);
    expect(await refused(exchange(agent, token))).toBe('invalid_grant');
  });

  test('holds where the app has not acted yet, in exchanges and decisions', async () => {
    const { app, agent, person, token } = await world();
    const organizationId = newId();
    service.peers.customers.set(app.scope.id, [{ organizationId, name: 'Acme', slug: 'acme' }]);
    join(service.peers, organizationId, person.userId);
    const there = await openid.signIn(app, person.browser, { scope: 'openid order:read', organization: organizationId });
    await exchange(agent, token);
    await end(agent, person);
    expect(await refused(exchange(agent, there.tokens.access_token))).toBe('invalid_grant');
    const place = { tenant: 'organizationProject', id: `${organizationId}:${app.scope.id.slice(37)}`, appId: agent.id };
    const many = { ...place, scope: 'order:read', userIds: [person.userId] };
    const decided = async () => [
      (await service.grpc.findActingApp({ ...place, userId: person.userId })).app?.clientId,
      (await service.grpc.filterConsenting(many)).userIds,
    ];
    expect(await decided()).toStrictEqual([undefined, []]);
    await allow(agent, person);
    expect(await decided()).toStrictEqual([agent.clientId, [person.userId]]);
    expect((await exchange(agent, there.tokens.access_token)).access_token).toEqual(expect.any(String));
  });

  test('stays when the person leaves the organization', async () => {
    const { app, agent, person, token } = await world();
    await exchange(agent, token);
    await end(agent, person);
    await service.deliver('user.left', { userId: person.userId, scope: { tenant: 'organization', id: organizationOf(app) } });
    expect(await mine(person)).toMatchObject([{ app: { clientId: agent.clientId }, endedAt: expect.any(String) }]);
  });

  test('twenty exchanges at once with it leave nothing alive', async () => {
    const { agent, person, token } = await world();
    await exchange(agent, token);
    const exchanges = Array.from({ length: 20 }, () => exchange(agent, token).catch(() => undefined));
    const [ended, ...answers] = await Promise.all([end(agent, person), ...exchanges]);
    expect(ended.status).toBe(200);
    await revoked(answers.flatMap((answer) => (answer === undefined ? [] : [answer.access_token])));
    const text = 'SELECT id FROM project_app_tokens WHERE user_id = $1 AND project_app_id = $2';
    expect(await service.database.query({ text }, [person.userId, agent.id])).toStrictEqual([]);
  });

  test('counts in decisions: an ended app may do nothing for the person, and for others what it may', async () => {
    const { app, agent, person, token } = await world({ type: 'machine' });
    service.peers.permissions.set(agent.id, both);
    await exchange(agent, token);
    const other = await openid.person(app);
    const { tenant, id } = app.scope;
    const place = { tenant, id };
    await end(agent, person);
    const find = ({ userId }: Known) => service.grpc.findActingApp({ ...place, appId: agent.id, userId });
    expect([(await find(person)).app, (await find(other)).app?.roleId]).toStrictEqual([undefined, agent.roleId]);
    const many = { ...place, appId: agent.id, scope: 'order:read', userIds: [person.userId, other.userId] };
    expect((await service.grpc.filterConsenting(many)).userIds).toStrictEqual([other.userId]);
  });
});

describe('an end by the organization', () => {
  test('is of its own places: tokens end, sign-ins and exchanges are refused, and the person can not take it back', async () => {
    const { app, agent, person, token, tokens } = await world();
    const child = (await exchange(agent, token)).access_token;
    const listed = (await byAdmin('GET', app)).body.data.items;
    expect(listed.map((one: { app: { clientId: string } }) => one.app.clientId)).toStrictEqual([agent.clientId, app.clientId]);
    expect(listed[0]).toMatchObject({ user: { id: person.userId }, isByExchange: true });
    expect(Object.keys(listed[0].user)).toStrictEqual(['id', 'name']);
    expect((await byAdmin('DELETE', app, `/${person.userId}/${app.clientId}`)).status).toBe(200);
    await revoked([token, child]);
    const config = await openid.discover(app);
    expect(await refused(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant');
    expect(await leadsTo(app, person)).toBe('access_denied');
    const answer = await allow(app, person);
    expect([answer.status, answer.body.translationKey]).toStrictEqual([403, 'errors.agent.endedByOrganization']);
    // Another member, and another organization, notice nothing.
    expect(await leadsTo(app, await openid.person(app))).toBe('/auth/project/consent');
    expect((await byAdmin('GET', await openid.makeClient())).body.data.items).toStrictEqual([]);
    expect((await byAdmin('DELETE', await openid.makeClient(), `/${person.userId}/${agent.clientId}`)).status).toBe(404);
    expect((await byAdmin('POST', app, `/${person.userId}/${app.clientId}/allow`)).status).toBe(200);
    expect(await leadsTo(app, person)).toBe('/auth/project/consent');
  });

  test('takes back no end of the person', async () => {
    const { agent, person, token } = await world();
    await exchange(agent, token);
    await end(agent, person);
    await byAdmin('DELETE', agent, `/${person.userId}/${agent.clientId}`);
    await byAdmin('POST', agent, `/${person.userId}/${agent.clientId}/allow`);
    expect(await refused(exchange(agent, token))).toBe('invalid_grant');
    expect((await allow(agent, person)).status).toBe(200);
    expect((await exchange(agent, token)).access_token).toEqual(expect.any(String));
  });

  test('in the use of a project by another organization ends nothing in the project itself', async () => {
    const { app, person, token } = await world();
    const organizationId = newId();
    service.peers.customers.set(app.scope.id, [{ organizationId, name: 'Acme', slug: 'acme' }]);
    join(service.peers, organizationId, person.userId);
    const there = await openid.signIn(app, person.browser, { scope: 'openid order:read', organization: organizationId });
    expect(claimsOf(there.tokens.access_token)).toMatchObject({ org_id: organizationId });
    expect((await mine(person)).map(({ organization }: { organization: unknown }) => organization)).toHaveLength(2);
    const customer = { ...app, scope: { ...app.scope, id: `${organizationId}:${app.scope.id.slice(37)}` } };
    expect((await byAdmin('DELETE', customer, `/${person.userId}/${app.clientId}`)).status).toBe(200);
    await revoked([there.tokens.access_token]);
    expect(await isActive(app, token)).toBe(true);
  });

  test('of what acts for an Owner is for Owners', async () => {
    const { app, person } = await world();
    const owner = ownerRoleId(organizationOf(app));
    const agent = `/${person.userId}/${app.clientId}`;
    service.peers.heldRoles.set(person.userId, [owner]);
    const answers = async () => [(await byAdmin('DELETE', app, agent)).status, (await byAdmin('POST', app, `${agent}/allow`)).status];
    service.peers.verdicts.set(owner, 'above-own-rank');
    expect(await answers()).toStrictEqual([403, 403]);
    service.peers.verdicts.delete(owner);
    expect(await answers()).toStrictEqual([200, 200]);
  });

  test('who leaves while a token is issued does not block it', async () => {
    const { app, person } = await world();
    const key = { userId: person.userId, projectAppId: app.id, placeId: app.scope.id, isByExchange: false };
    const { leaving } = await service.database.transaction(async (tx) => {
      expect(await noteUse(tx, key, new Date())).toBe(true);
      let isOver = false;
      const scope = { tenant: 'organization', id: organizationOf(app) };
      const under = service.deliver('user.left', { userId: person.userId, scope }).finally(() => {
        isOver = true;
      });
      await until(async () => isOver || (await tx.query(sql(waitingForMe))).length > 0);
      // Each issue of a token locks the grant next.
      await tx.query(sql('SELECT 1 FROM openid_artifacts WHERE user_id = $1 FOR SHARE'), [person.userId]);
      return { leaving: under };
    });
    await leaving;
  });

  test('of a person who has left the organization nothing is shown any more', async () => {
    const { app, person } = await world();
    expect((await byAdmin('GET', app)).body.data.items).toHaveLength(1);
    await service.deliver('user.left', { userId: person.userId, scope: { tenant: 'organization', id: organizationOf(app) } });
    expect((await byAdmin('GET', app)).body.data.items).toStrictEqual([]);
  });
});

test('a browser without a session sees and ends nothing', async () => {
  const { app } = await world();
  const stranger = openBrowser(service);
  expect((await stranger.get('/api/me/agents')).status).toBe(401);
  expect((await service.ask('DELETE', `/api/me/agents/${app.clientId}`)).status).toBe(401);
});

describe('what apps ask', () => {
  type Counted = { readonly requests: number; readonly refused: number; readonly clientId?: string; readonly userId?: string };

  async function counted() {
    const { app, agent, person, token } = await world();
    await exchange(agent, token);
    const place = { placeId: agent.scope.id, userId: person.userId, clientId: agent.clientId };
    const count = (...counts: readonly Counted[]) =>
      service.grpc.countAgentRequests({ counts: counts.map((one) => ({ ...place, ...one })) });
    const unusual = async () => (await service.auditOf('agent.unusual')).filter(({ scope_id: id }) => id === agent.scope.id);
    return { app, agent, person, place, count, unusual };
  }

  test('is shown to the person and the organization, and is counted only where the app acts for the person', async () => {
    const { app, agent, person, count, unusual } = await counted();
    await Promise.all([count({ requests: 10, refused: 1 }), count({ requests: 5, refused: 2 }, { requests: 1, refused: 0 })]);
    const stranger = { requests: 5_000, refused: 5_000 };
    await count({ ...stranger, userId: newId() }, { ...stranger, clientId: 'app_unknown' }, { ...stranger, userId: openid.owner.userId });
    const asked = { requests: 16, refused: 3 };
    const [acting, direct] = await mine(person);
    expect([acting, direct]).toMatchObject([
      { app: { clientId: agent.clientId }, lastHour: asked, lastDay: asked },
      { app: { clientId: app.clientId }, lastDay: { requests: 0, refused: 0 } },
    ]);
    const listed = (await byAdmin('GET', agent)).body.data.items;
    expect(listed.find((one: { app: { clientId: string } }) => one.app.clientId === agent.clientId)).toMatchObject({ lastDay: asked });
    expect(await unusual()).toStrictEqual([]);
  });

  test('tells the log of the place once in an hour when many are refused, of all people together, also when two gateways tell at once', async () => {
    const { app, agent, count, unusual } = await counted();
    const other = await openid.person(app);
    const key = { userId: other.userId, projectAppId: agent.id, placeId: agent.scope.id, isByExchange: true };
    await service.database.transaction(async (tx) => noteUse(tx, key, new Date()));
    await count({ requests: 60, refused: 49 });
    expect(await unusual()).toStrictEqual([]);
    await Promise.all(Array.from({ length: 5 }, () => count({ requests: 2, refused: 2, userId: other.userId })));
    await count({ requests: 500, refused: 500 });
    const [row, ...more] = await unusual();
    expect(more).toStrictEqual([]);
    expect(row).toMatchObject({ outcome: 'ok', actor_id: null, detail: { clientId: agent.clientId, reason: 'refusals' } });
  });

  test('is forgotten after a day', async () => {
    const { person, place, count } = await counted();
    await count({ requests: 7, refused: 0 });
    await service.database.transaction((tx) => deleteOldAgentRequests(tx, new Date()));
    expect((await mine(person))[0].lastDay.requests).toBe(7);
    await service.database.transaction((tx) => deleteOldAgentRequests(tx, new Date(Date.now() + 26 * 3_600_000)));
    const text = 'SELECT FROM agent_requests WHERE user_id = $1 UNION ALL SELECT FROM agent_place_requests WHERE place_id = $2';
    expect(await service.database.query({ text }, [person.userId, place.placeId])).toStrictEqual([]);
  });

  test('is refused as a whole when a count is none: below zero, more refused than asked, no person, more than 500', async () => {
    const { count } = await counted();
    for (const wrong of [
      [{ requests: -1, refused: 0 }],
      [{ requests: 1, refused: 2 }],
      [{ requests: 1, refused: 0, userId: 'nobody' }],
      Array.from({ length: 501 }, () => ({ requests: 1, refused: 0 })),
    ])
      await expect(count(...wrong)).rejects.toMatchObject({ kind: 'bad-input' });
  });
});
