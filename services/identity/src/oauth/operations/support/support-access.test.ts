/** A supporter acts as a person of a customer: by consent, for a time, ended within a second. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { assertWithin, until, waitingForMe } from '../../../../../../test/support/until.ts';
import { startOauth } from '../../../testing/oauth.ts';
import { join } from '../../../testing/project.ts';
import { claimsOf, goodPassword, login, type Registered, registered } from '../../../testing/service.ts';

const service = await startOauth({ SECURITY_FRONTEND_URL: 'http://tessera.test' });
afterAll(() => service.stop());
const { peers } = service;

type Token = Pick<Registered, 'accessToken'>;
const reason = 'The list of orders stays empty since this morning';

/** A product and its supporter, an organization that uses it, the Admin and a member there. */
async function world() {
  const ids = { owner: newId(), project: newId(), organization: newId() };
  const scope = { tenant: 'organizationProject', id: `${ids.owner}:${ids.project}` };
  const customer = { tenant: 'organization', id: ids.organization };
  peers.customers.set(scope.id, [{ organizationId: ids.organization, name: 'Acme', slug: 'acme' }]);
  const [supporter, admin, person] = await Promise.all([
    registered(service, { name: 'sue' }),
    registered(service, { name: 'adam' }),
    registered(service, { name: 'pia' }),
  ]);
  for (const { userId } of [admin, person]) join(peers, ids.organization, userId);
  peers.found = [admin.userId];
  const request = (changes: object = {}, { accessToken: token }: Token = supporter) =>
    service.ask('POST', '/api/support-access', {
      token,
      body: { scope, organizationId: ids.organization, userId: person.userId, reason, ...changes },
    });
  const grant = (id: string, changes: object = {}, { accessToken: token }: Token = admin) =>
    service.ask('POST', `/api/support-access/${id}/grant`, { token, body: { scope: customer, ...changes } });
  const exchange = (id: string, { accessToken: token }: Token = supporter) =>
    service.ask('POST', `/api/support-access/${id}/token`, { token, body: { scope } });
  const revoke = (id: string, { accessToken: token }: Token = admin) =>
    service.ask('DELETE', `/api/support-access/${id}?tenant=organization&scopeId=${ids.organization}`, { token });
  const end = (id: string, { accessToken: token }: Token) => service.ask('DELETE', `/api/me/support-access/${id}`, { token });
  /** Requested and allowed. */
  const allowed = async (changes: object = {}) => {
    const { body } = await request();
    expect((await grant(body.data.id, changes)).status).toBe(200);
    return String(body.data.id);
  };
  /** Begun: its id and the supporter's token. */
  const begun = async (changes: object = {}) => {
    const id = await allowed(changes);
    const answer = await exchange(id);
    expect(answer.status).toStrictEqualFor(answer.body, 200);
    return { id, token: String(answer.body.data.accessToken) };
  };
  return { ids, scope, customer, supporter, admin, person, request, grant, exchange, revoke, end, allowed, begun };
}

const me = (token: string, query = '') => service.ask('GET', `/api/me${query}`, { token });
async function rowOf(id: string) {
  const [row] = await service.database.query<{ status: string; ended_by: string | null }>(
    sql('SELECT status, ended_by FROM support_accesses WHERE id = $1'),
    [id],
  );
  return row;
}
async function isRefused(token: string): Promise<void> {
  await until(async () => (await me(token)).status === 401);
}

describe('the way to it', () => {
  test('nothing is given by a request; the consent makes it possible, the exchange begins it, and the token says who acts', async () => {
    const { ids, scope, supporter, person, request, grant, exchange } = await world();
    const requested = await request();
    expect(requested.status).toStrictEqualFor(requested.body, 201);
    const { id } = requested.body.data;
    expect(requested.body.data).toMatchObject({ status: 'requested', reason, minutes: 60, mayWrite: false, mayExport: false });
    expect((await exchange(id)).status).toBe(409);
    const granted = await grant(id);
    expect(granted.body.data).toMatchObject({ status: 'allowed', mayWrite: false, startedAt: null });
    const { status, body } = await exchange(id);
    expect(status).toStrictEqualFor(body, 200);
    const claims = claimsOf(body.data.accessToken);
    expect(claims).toMatchObject({
      sub: person.userId,
      jti: id,
      type: 'session',
      act: { sub: supporter.userId },
      support: { id, project: scope.id, organization: ids.organization },
    });
    expect(claims).not.toHaveProperty('support.mayWrite');
    expect(Number(claims['exp'])).toBeLessThanOrEqual((claims['support'] as { until: number }).until);
    expect(body.data.access).toMatchObject({ status: 'active', supporter: { id: supporter.userId }, user: { id: person.userId } });
    const shown = (await me(body.data.accessToken, '?relations=organizations')).body.data;
    expect(shown).toMatchObject({ user: { id: person.userId }, accounts: [], support: { id, organizationId: ids.organization } });
    expect(shown.organizations.map((one: { id: string }) => one.id)).toStrictEqual([ids.organization]);
  });

  test('is told to the person and to who allows it, at the request, the beginning and the end, with the reason as a quotation', async () => {
    const { admin, person, supporter, begun, end } = await world();
    const { id } = await begun();
    await end(id, person);
    const isTold = async () => (await service.mails(person.email, 5)).some(({ template }) => template === 'support-ended');
    await until(isTold);
    const templatesOf = async ({ email }: Registered, count: number) =>
      (await service.mails(email, count)).filter(({ template }) => template.startsWith('support-'));
    const told = await templatesOf(person, 5);
    expect(told.map(({ template }) => template)).toStrictEqual(
      expect.arrayContaining(['support-requested', 'support-allowed', 'support-started', 'support-ended']),
    );
    expect((await templatesOf(admin, 4)).map(({ template }) => template)).toStrictEqual(
      expect.arrayContaining(['support-requested', 'support-started', 'support-ended']),
    );
    expect((await templatesOf(supporter, 2)).map(({ template }) => template)).toStrictEqual(['support-allowed']);
    const [requested] = told;
    expect(requested?.text).toContain(`"${reason}"`);
    expect(requested?.text).toContain(supporter.email);
  });

  test('stands in both logs, and each act of the token names both people and the access', async () => {
    const { ids, scope, person, supporter, begun } = await world();
    const { id, token } = await begun();
    const requested = await service.auditOf('support.requested');
    expect(
      requested
        .filter(({ detail }) => detail['organizationId'] === ids.organization)
        .map((row) => row.scope_id)
        .sort(),
    ).toStrictEqual([scope.id, ids.organization].sort());
    const refused = await service.ask('PATCH', '/api/me', { token, body: { name: 'Somebody else' } });
    expect(refused.status).toBe(403);
    const [row] = (await service.auditOf('user.updated')).slice(-1);
    expect(row).toMatchObject({ outcome: 'refused', actor_id: person.userId, detail: { support: { id, supporterId: supporter.userId } } });
    const mine = await service.ask('GET', '/api/me/support-access', { token: person.accessToken });
    expect(mine.body.data.items).toMatchObject([{ id, status: 'active', supporter: { email: supporter.email } }]);
  });
});

describe('what an attacker would try', () => {
  test('to allow the own request, as a member of the customer', async () => {
    const { ids, supporter, request, grant } = await world();
    join(peers, ids.organization, supporter.userId);
    const { id } = (await request()).body.data;
    expect((await grant(id, {}, supporter)).status).toBe(403);
    expect((await rowOf(id))?.status).toBe('requested');
  });

  test('to ask for somebody who is no member, does not exist, or of an organization that does not use the product: one answer', async () => {
    const { request, supporter } = await world();
    const stranger = await registered(service);
    const answers = [
      await request({ userId: stranger.userId }),
      await request({ userId: newId() }),
      await request({ organizationId: newId() }),
    ];
    for (const { status } of answers) expect(status).toBe(404);
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
    expect((await request({ userId: supporter.userId })).status).toBe(404);
  });

  test('to act as an Owner from below, also when the person rises after the consent', async () => {
    const { ids, supporter, person, request, grant, exchange } = await world();
    peers.heldRoles.set(person.userId, [ownerRoleId(ids.organization)]);
    expect((await request()).status).toBe(403);
    peers.heldRoles.set(supporter.userId, [ownerRoleId(ids.owner)]);
    const { id } = (await request()).body.data;
    // An Admin says yes for an Owner.
    peers.verdicts.set(ownerRoleId(ids.organization), 'above-own-rank');
    expect((await grant(id)).status).toBe(403);
    peers.verdicts.delete(ownerRoleId(ids.organization));
    expect((await grant(id)).status).toBe(200);
    peers.heldRoles.delete(supporter.userId);
    expect((await exchange(id)).status).toBe(403);
  });

  test('to act as an operator of the installation', async () => {
    const { person, request } = await world();
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [person.userId]);
    expect((await request()).status).toBe(403);
  });

  test('a reason that makes its reader click', async () => {
    const { request } = await world();
    for (const text of [
      'See https://evil.example',
      'Confirm at evil.example/now',
      'Write to help@evil.example',
      'Go to www evil',
      'Click //evil',
      'line\nbreak',
    ])
      expect((await request({ reason: text })).status).toBe(400);
    expect((await request({ reason: 'Ruf an: <b>sofort</b> & "gleich"' })).status).toBe(201);
  });

  test('to fill mailboxes: one open request for a person, five for an organization', async () => {
    const { ids, request } = await world();
    expect((await request()).status).toBe(201);
    expect((await request()).status).toBe(409);
    const others = await Promise.all(Array.from({ length: 5 }, () => registered(service)));
    for (const { userId } of others) join(peers, ids.organization, userId);
    const statuses: number[] = [];
    for (const { userId } of others) statuses.push((await request({ userId })).status);
    expect(statuses).toStrictEqual([201, 201, 201, 201, 409]);
  });

  test('to say yes twice, after a refusal, or with both at once', async () => {
    const { request, grant, revoke } = await world();
    const first = (await request()).body.data.id;
    expect((await grant(first)).status).toBe(200);
    expect((await grant(first)).status).toBe(409);
    expect((await revoke(first)).status).toBe(200);
    expect((await grant(first)).status).toBe(409);
    const second = (await request()).body.data.id;
    const answers = await Promise.all([...Array.from({ length: 5 }, () => grant(second)), revoke(second)]);
    expect(answers.slice(0, 5).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect(['ended', 'refused']).toContain((await rowOf(second))?.status);
    expect((await grant(second)).status).toBe(409);
  });

  test('the exchange of another session, of another supporter, by the token itself, and after the end', async () => {
    const { supporter, person, begun, exchange, end, request, grant } = await world();
    const { id, token } = await begun();
    const other = (await login(service, supporter.email, { userAgent: 'another device' })).body.data;
    expect((await exchange(id, other)).status).toBe(409);
    expect((await exchange(id, await registered(service))).status).toBe(404);
    // Acting within acting: ask, allow, exchange.
    for (const answer of [
      await exchange(id, { accessToken: token }),
      await request({}, { accessToken: token }),
      await grant(id, {}, { accessToken: token }),
    ])
      expect(answer.status).toBe(403);
    expect((await exchange(id)).status).toBe(200);
    await end(id, person);
    expect((await exchange(id)).status).toBe(409);
    await isRefused(token);
  });

  test('from a session that the provider of an organization has linked: it opens that organization alone', async () => {
    const { allowed, supporter, request, exchange } = await world();
    const id = await allowed();
    const hold = sql('UPDATE sessions SET amr = $2::jsonb WHERE user_id = $1');
    const before = await service.database.query<{ amr: string[] }>(sql('SELECT amr FROM sessions WHERE user_id = $1'), [supporter.userId]);
    await service.database.query(hold, [supporter.userId, JSON.stringify(['fed', 'org', 'orglink'])]);
    const { status, body } = await exchange(id);
    expect([status, body.code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
    expect(await rowOf(id)).toMatchObject({ status: 'allowed' });
    // Their own proof lifts it.
    await service.database.query(hold, [supporter.userId, JSON.stringify(before[0]?.amr)]);
    expect((await exchange(id)).status).toBe(200);
    await service.database.query(hold, [supporter.userId, JSON.stringify(['fed', 'org', 'orglink'])]);
    const renewed = await service.ask('POST', '/api/auth/refresh', { body: { refreshToken: supporter.refreshToken } });
    expect(renewed.status).toStrictEqualFor(renewed.body, 200);
    const linked = String(renewed.body.data.accessToken);
    expect(claimsOf(linked)['amr']).toContain('orglink');
    const asked = await request({}, { accessToken: linked });
    expect([asked.status, asked.body.code]).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
  });

  test('to see or end what is not theirs', async () => {
    const { begun, end, revoke } = await world();
    const { id, token } = await begun();
    const [stranger, other] = [await registered(service), await world()];
    expect((await end(id, stranger)).status).toBe(404);
    expect((await other.revoke(id)).status).toBe(404);
    expect((await other.grant(id)).status).toBe(404);
    expect((await end(newId(), { accessToken: token })).status).toBe(404);
    const listed = await service.ask('GET', `/api/support-access?tenant=organization&scopeId=${other.ids.organization}`, {
      token: other.admin.accessToken,
    });
    expect(listed.body.data.items).toStrictEqual([]);
    expect((await revoke(id)).status).toBe(200);
  });

  test('the person’s own things: name, password, factors, methods, sessions, consents, data, invitation', async () => {
    const { begun } = await world();
    const { token } = await begun({ mayWrite: true, mayExport: true });
    const asks: readonly (readonly [string, string, object?])[] = [
      ['PATCH', '/api/me', { name: 'x' }],
      [
        'POST',
        '/api/me/change-password',
        { currentPassword: goodPassword, newPassword: `${goodPassword}x`, confirmPassword: `${goodPassword}x` },
      ],
      ['POST', '/api/me/second-factors/totp', {}],
      ['GET', '/api/me/second-factors'],
      ['GET', '/api/me/sessions'],
      ['GET', '/api/me/authentication-methods'],
      ['GET', '/api/me/consents'],
      ['GET', '/api/me/agents'],
      ['GET', '/api/me/support-access'],
      ['POST', '/api/me/logout', {}],
    ];
    for (const [method, path, body] of asks)
      expect([path, (await service.ask(method, path, { token, ...(body && { body }) })).status]).toStrictEqual([path, 403]);
    const { body } = await service.graphql('{ me { user { id authenticationMethods { id } } support { id } } }', {}, { token });
    expect(body.data?.me?.user?.authenticationMethods ?? null).toBeNull();
  });

  test('to connect a provider to the person’s account with a sign-in that was just made', async () => {
    const { begun } = await world();
    const { token } = await begun({ mayWrite: true });
    const answer = await service.ask('GET', '/api/auth/codehost?action=connect', { token, headers: { 'sec-fetch-site': 'same-origin' } });
    expect(answer.status).not.toBe(302);
  });
});

describe('how it ends', () => {
  test('by the person, the organization and the supporter: within a second, at every door', async () => {
    const { person, revoke, end, begun } = await world();
    await assertWithin(1_000, async () => {
      const one = await begun();
      const at = performance.now();
      await end(one.id, person);
      await isRefused(one.token);
      expect(performance.now() - at).toBeLessThan(1_000);
    });
    const two = await begun();
    await revoke(two.id);
    await isRefused(two.token);
    const three = await begun();
    expect((await end(three.id, { accessToken: three.token })).status).toBe(200);
    await isRefused(three.token);
    expect((await rowOf(three.id))?.ended_by).toBe('supporter');
  });

  test('when the supporter signs out, or the sessions of the supporter end', async () => {
    const { supporter, begun } = await world();
    const { id, token } = await begun();
    expect((await service.ask('POST', '/api/me/logout', { token: supporter.accessToken, body: {} })).status).toBe(200);
    await isRefused(token);
    expect(await rowOf(id)).toStrictEqual({ status: 'ended', ended_by: 'session' });
  });

  test('a sign-out that runs at the same time as the exchange leaves nothing alive', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { supporter, allowed, exchange } = await world();
      const id = await allowed();
      const [exchanged] = await Promise.all([
        exchange(id),
        service.ask('POST', '/api/me/logout', { token: supporter.accessToken, body: {} }),
      ]);
      if (exchanged.status === 200) await isRefused(exchanged.body.data.accessToken);
      expect((await rowOf(id))?.status).not.toBe('active');
    }
  });

  test('an exchange waits for an end that has begun, and is then refused', async () => {
    const { allowed, exchange } = await world();
    const id = await allowed();
    const exchanging = await service.database.transaction(async (tx) => {
      await tx.query(sql("UPDATE support_accesses SET status = 'ended', ended_at = now(), ended_by = 'person' WHERE id = $1"), [id]);
      const under = exchange(id);
      await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
      return { under };
    });
    expect((await exchanging.under).status).toBe(409);
  });

  test.each([
    [
      'the supporter is demoted',
      'rights.shrank',
      (w: World) => ({ userIds: [w.supporter.userId], scope: { tenant: 'organization', id: w.ids.owner } }),
    ],
    [
      'the supporter leaves',
      'user.left',
      (w: World) => ({ userId: w.supporter.userId, scope: { tenant: 'organization', id: w.ids.owner } }),
    ],
    [
      'the supporter is blocked',
      'member.restricted',
      (w: World) => ({ organizationId: w.ids.owner, userId: w.supporter.userId, kind: 'block' }),
    ],
    [
      'the person is blocked',
      'member.restricted',
      (w: World) => ({ organizationId: w.ids.organization, userId: w.person.userId, kind: 'block' }),
    ],
    ['the person leaves', 'user.left', (w: World) => ({ userId: w.person.userId, scope: w.customer })],
    ['the person’s rights grow', 'rights.grew', (w: World) => ({ userIds: [w.person.userId], scope: w.customer })],
    [
      'the grant is suspended',
      'grant.changed',
      (w: World) => ({
        grantId: newId(),
        scope: { tenant: 'organizationProject', id: `${w.ids.organization}:${w.ids.project}` },
        ownerOrganizationId: w.ids.owner,
        projectId: w.ids.project,
        isActive: false,
        isEnded: false,
      }),
    ],
    [
      'the organization is deleted',
      'organization.deleted',
      (w: World) => ({ organizationId: w.ids.organization, projectIds: [], hard: false }),
    ],
    ['who allowed it is demoted', 'rights.shrank', (w: World) => ({ userIds: [w.admin.userId], scope: w.customer })],
    ['who allowed it leaves', 'user.left', (w: World) => ({ userId: w.admin.userId, scope: w.customer })],
    [
      'who allowed it is blocked',
      'member.restricted',
      (w: World) => ({ organizationId: w.ids.organization, userId: w.admin.userId, kind: 'block' }),
    ],
    ['who allowed it is deleted', 'accounts.closed', (w: World) => ({ userId: w.admin.userId, hard: false })],
    ['the supporter is deleted', 'accounts.closed', (w: World) => ({ userId: w.supporter.userId, hard: false })],
  ] as const)('when %s', async (_what, type, payloadOf) => {
    const made = await world();
    const { id, token } = await made.begun();
    await service.deliver(type, payloadOf(made));
    await isRefused(token);
    expect((await rowOf(id))?.status).toBe('ended');
    expect((await made.exchange(id)).status).toBeGreaterThanOrEqual(400);
  });

  test('when time is over: the row closes, the exchange is refused, and no token outlives it', async () => {
    const { begun, exchange } = await world();
    const { id, token } = await begun();
    await service.database.query(sql("UPDATE support_accesses SET ends_at = now() - interval '1 second' WHERE id = $1"), [id]);
    expect((await exchange(id)).status).toBe(409);
    await until(async () => (await rowOf(id))?.ended_by === 'time');
    await isRefused(token);
  });
});

type World = Awaited<ReturnType<typeof world>>;

describe('a standing consent', () => {
  const consentOf = ({ ids, customer, admin }: World) => ({
    give: (changes: object = {}) => {
      peers.heldRoles.set(admin.userId, [ownerRoleId(ids.organization)]);
      return service.ask('POST', '/api/support-consents', {
        token: admin.accessToken,
        body: { scope: customer, ownerOrganizationId: ids.owner, projectId: ids.project, days: 7, ...changes },
      });
    },
    withdraw: (id: string) =>
      service.ask('DELETE', `/api/support-consents/${id}?tenant=organization&scopeId=${ids.organization}`, { token: admin.accessToken }),
  });

  test('lets supporters begin, as far as it says, and ends with all that began by it', async () => {
    const made = await world();
    const { give, withdraw } = consentOf(made);
    const given = await give({ mayWrite: true });
    expect(given.status).toStrictEqualFor(given.body, 201);
    const { data } = (await made.request()).body;
    expect(data).toMatchObject({ status: 'allowed', mayWrite: true, mayExport: false, decidedBy: made.admin.userId });
    const token = (await made.exchange(data.id)).body.data.accessToken;
    expect(claimsOf(token)).toMatchObject({ support: { mayWrite: true } });
    expect((await withdraw(given.body.data.id)).status).toBe(200);
    await isRefused(token);
    expect((await rowOf(data.id))?.ended_by).toBe('consent');
    expect((await made.request()).body.data.status).toBe('requested');
  });

  test('outlives nobody who gave it: with their rights it ends, and what began by it', async () => {
    const made = await world();
    await consentOf(made).give();
    const { id } = (await made.request()).body.data;
    const token = (await made.exchange(id)).body.data.accessToken;
    await service.deliver('rights.shrank', { userIds: [made.admin.userId], scope: made.customer });
    await isRefused(token);
    expect((await made.request()).body.data.status).toBe('requested');
  });

  test('counts no more once its giver is no Owner, before any event says so', async () => {
    const made = await world();
    await consentOf(made).give();
    peers.heldRoles.delete(made.admin.userId);
    expect((await made.request()).body.data.status).toBe('requested');
  });

  test('stays when somebody else of the organization loses rights', async () => {
    const made = await world();
    await consentOf(made).give();
    const other = await registered(service, { name: 'otto' });
    await service.deliver('rights.shrank', { userIds: [other.userId], scope: made.customer });
    expect((await made.request()).body.data.status).toBe('allowed');
  });

  test('is an Owner’s, of a used project, for thirty days at most, and never for an Owner', async () => {
    const made = await world();
    const { give } = consentOf(made);
    peers.verdicts.set(ownerRoleId(made.ids.organization), 'above-own-rank');
    expect((await give()).status).toBe(403);
    peers.verdicts.delete(ownerRoleId(made.ids.organization));
    expect((await give({ days: 31 })).status).toBe(400);
    expect((await give({ projectId: newId() })).status).toBe(404);
    expect((await give()).status).toBe(201);
    peers.heldRoles.set(made.person.userId, [ownerRoleId(made.ids.organization)]);
    peers.heldRoles.set(made.supporter.userId, [ownerRoleId(made.ids.owner)]);
    expect((await made.request()).body.data.status).toBe('requested');
  });
});
