/** Which claims of an organization's provider give which roles (decision 31). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { softDeletePerson } from '../../people/storage/people.ts';
import { type ConnectionWorld, startConnections, upstreamPerson } from '../../testing/connections.ts';
import { registered } from '../../testing/service.ts';
import { readClaims } from '../connections/claims.ts';
import { deleteOldSignIns } from '../storage/connection-sign-ins.ts';
import { mappedBy } from './map-roles.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { peers, makeWorld } = service;

describe('a mapping', () => {
  test('compares exactly, reads texts and lists of texts, and nothing that an object inherits', () => {
    const roleId = newId();
    const mapping = (claim: string, value: string) => [{ claim, value, roleId, grantId: null }];
    const claims = readClaims({ groups: ['staff', 'Dev', 7, { a: 1 }], department: 'Sales', level: 3, long: 'x'.repeat(501) });
    const gives = (claim: string, value: string) => mappedBy(mapping(claim, value), claims).length;
    expect([gives('groups', 'staff'), gives('groups', 'Staff'), gives('groups', 'sta'), gives('department', 'Sales')]).toStrictEqual([
      1, 0, 0, 1,
    ]);
    expect([gives('level', '3'), gives('long', 'x'.repeat(501)), gives('constructor', 'x'), gives('groups', '7')]).toStrictEqual([
      0, 0, 0, 0,
    ]);
  });

  test('gives its roles at each sign-in, and the default role to who is not mapped any more', async () => {
    const world = await makeWorld();
    const roleId = newId();
    const mapped = await world.change({ roleMapping: [{ claim: 'name', value: 'Dev Person', roleId }] });
    expect([mapped.status, mapped.body.data.roleMapping]).toMatchObject([
      200,
      [{ claim: 'name', value: 'Dev Person', roleId, grantId: null }],
    ]);
    const who = upstreamPerson(world.domain, { name: 'Dev Person' });
    const { userId } = await world.signIn(who);
    expect(peers.admitted.at(-1)).toMatchObject({ roleId: builtInRoleId('organization', world.organizationId, 'Viewer') });
    const source = `connection:${world.connection.id}`;
    const vouchers = [{ roleId, mappedBy: world.owner.userId, isMappedByService: false }];
    expect(peers.mapped.at(-1)).toMatchObject({ scopeId: world.organizationId, userId, source, roleIds: [roleId], vouchers });
    await world.signIn({ ...who, name: 'Another' });
    expect(peers.mapped.at(-1)).toMatchObject({ userId, roleIds: [world.connection.defaultRoleId] });
  });

  test('gives all of its roles at the first sign-in, also where rbac hears of the membership later', async () => {
    const world = await makeWorld();
    const roleIds = [newId(), newId()];
    await world.change({ roleMapping: roleIds.map((roleId) => ({ claim: 'name', value: 'Dev Person', roleId })) });
    peers.lateMembers = 2;
    const { userId } = await world.signIn(upstreamPerson(world.domain, { name: 'Dev Person' }));
    const asked = peers.mapped.filter((one) => one.userId === userId);
    expect(asked.map((one) => one.roleIds)).toStrictEqual([roleIds, roleIds, roleIds]);
    peers.lateMembers = 100;
    const { error } = await world.come(upstreamPerson(world.domain, { name: 'Dev Person' }));
    peers.lateMembers = 0;
    expect(error).toBe('temporarily_unavailable');
  });

  test('keeps who has mapped each role; who saves it again vouches for what is new', async () => {
    const world = await makeWorld();
    const [one, other] = [newId(), newId()].map((roleId) => ({ claim: 'groups', value: 'staff', roleId }));
    expect((await world.change({ roleMapping: [one] })).status).toBe(200);
    const { accessToken: token, userId } = await registered(service);
    const body = { scope: world.scope, roleMapping: [one, other] };
    const saved = await service.ask('PATCH', `/api/connections/${world.connection.id}`, { token, body });
    expect([saved.status, saved.body.data.roleMapping]).toStrictEqual([
      200,
      [one, other].map((mapping) => ({ ...mapping, grantId: null })),
    ]);
    const [row] = await service.database.query<{ mapping: { mappedBy: string }[] }>(
      sql('SELECT role_mapping AS mapping FROM connections WHERE id = $1'),
      [world.connection.id],
    );
    expect(row?.mapping.map(({ mappedBy }) => mappedBy)).toStrictEqual([world.owner.userId, userId]);
  });

  test('asks who chose the default role at each gift, as who mapped a role: else Viewer', async () => {
    const world = await makeWorld();
    const { defaultRoleId, id } = world.connection;
    const viewer = builtInRoleId('organization', world.organizationId, 'Viewer');
    const given = async () => {
      await world.signIn(upstreamPerson(world.domain));
      const { roleId, auditJson } = peers.admitted.at(-1) ?? {};
      return [roleId, JSON.parse(auditJson ?? '{}').detail];
    };
    expect(await given()).toStrictEqual([defaultRoleId, { connection: id, roleId: defaultRoleId }]);
    // They could not give it any more, or not change the connection any more.
    for (const lost of [defaultRoleId, 'Connection:Update']) {
      peers.verdicts.set(lost, 'escalation');
      try {
        expect(await given()).toStrictEqual([viewer, { connection: id, roleId: viewer, notGiven: defaultRoleId }]);
      } finally {
        peers.verdicts.clear();
      }
    }
    // With a mapping rbac asks, in its own transaction.
    await world.change({ roleMapping: [{ claim: 'name', value: 'Nobody', roleId: newId() }] });
    await world.signIn(upstreamPerson(world.domain));
    const vouchers = [{ roleId: defaultRoleId, mappedBy: world.owner.userId, isMappedByService: false }];
    expect(peers.mapped.at(-1)).toMatchObject({ roleIds: [defaultRoleId], vouchers });
  });

  test('has as chooser of the default role who saved it last, unless who chose it could still give it', async () => {
    const world = await makeWorld();
    const { defaultRoleId, id } = world.connection;
    const { accessToken: token, userId } = await registered(service);
    const chooser = async () => {
      const row = await service.database.query<{ by: string }>(sql('SELECT default_role_by AS by FROM connections WHERE id = $1'), [id]);
      return row[0]?.by;
    };
    const save = async (roleId: string) => {
      const body = { scope: world.scope, defaultRoleId: roleId };
      expect((await service.ask('PATCH', `/api/connections/${id}`, { token, body })).status).toBe(200);
    };
    await save(defaultRoleId);
    expect(await chooser()).toBe(world.owner.userId);
    peers.verdicts.set('Connection:Update', 'escalation');
    try {
      await save(defaultRoleId);
    } finally {
      peers.verdicts.clear();
    }
    expect(await chooser()).toBe(userId);
    const made = await makeWorld();
    const body = { scope: made.scope, defaultRoleId: newId() };
    expect((await service.ask('PATCH', `/api/connections/${made.connection.id}`, { token, body })).status).toBe(200);
    expect(
      await service.database.query(sql('SELECT default_role_by AS by FROM connections WHERE id = $1'), [made.connection.id]),
    ).toStrictEqual([{ by: userId }]);
    // A row that a server of the version before has made: who made the connection.
    await service.database.query(sql('UPDATE connections SET default_role_by = NULL WHERE id = $1'), [id]);
    await world.change({ roleMapping: [{ claim: 'name', value: 'Nobody', roleId: newId() }] });
    await world.signIn(upstreamPerson(world.domain));
    expect(peers.mapped.at(-1)).toMatchObject({ vouchers: [{ mappedBy: world.owner.userId }] });
  });

  test('opens no session while roles cannot be taken', async () => {
    const world = await makeWorld();
    await world.change({ roleMapping: [{ claim: 'name', value: 'Dev', roleId: newId() }] });
    const who = upstreamPerson(world.domain);
    await world.signIn(who);
    peers.failsToMap = true;
    const { error, code } = await world.come(who);
    peers.failsToMap = false;
    expect([error, code]).toStrictEqual(['temporarily_unavailable', null]);
  });

  test('is made by who may give each of its roles, and never gives Owner', async () => {
    const world = await makeWorld();
    const [owner, above, gone] = [newId(), newId(), newId()];
    peers.builtInRoles.set(owner, 1);
    peers.verdicts.set(above, 'above-own-rank');
    peers.verdicts.set(gone, 'not-found');
    const map = async (more: object) => (await world.change({ roleMapping: [{ claim: 'groups', value: 'staff', ...more }] })).status;
    expect([await map({ roleId: owner }), await map({ roleId: above }), await map({ roleId: gone })]).toStrictEqual([400, 403, 404]);
    expect(await map({ roleId: newId(), grantId: newId() })).toBe(404);
    // Who may not give a mapped role replaces no client of the provider that says it.
    const roleId = newId();
    expect(await map({ roleId })).toBe(200);
    peers.verdicts.set(roleId, 'above-own-rank');
    expect((await world.change({ oidc: { clientSecret: 'another' } })).status).toBe(403);
    expect((await world.change({ name: 'Other' })).status).toBe(200);
    // Nor may they take it out of the mapping.
    expect((await world.change({ roleMapping: [] })).status).toBe(403);
    expect((await world.change({ roleMapping: [{ claim: 'groups', value: 'other', roleId: newId() }] })).status).toBe(403);
  });

  test('with a role that is deleted by now can be changed, and lets people in with the next role', async () => {
    const world = await makeWorld();
    const [deleted, second] = [newId(), newId()];
    const mapping = [deleted, second].map((roleId) => ({ claim: 'name', value: 'Dev Person', roleId }));
    expect((await world.change({ roleMapping: mapping })).status).toBe(200);
    peers.verdicts.set(deleted, 'not-found');
    await world.signIn(upstreamPerson(world.domain, { name: 'Dev Person' }));
    expect(peers.mapped.at(-1)).toMatchObject({ roleIds: mapping.map(({ roleId }) => roleId) });
    expect((await world.change({ oidc: { clientSecret: 'another' } })).status).toBe(200);
    expect((await world.change({ roleMapping: mapping.slice(0, 1) })).status).toBe(404);
    expect((await world.change({ roleMapping: mapping.slice(1) })).status).toBe(200);
    expect((await world.change({ roleMapping: [] })).status).toBe(200);
  });
});

describe('the preview of a mapping', () => {
  type Line = { claim: string; value: string; roleId: string; grantId?: string };
  const previewIn = (world: ConnectionWorld, roleMapping: readonly Line[], token = world.owner.accessToken, scope = world.scope) =>
    service.ask('POST', `/api/connections/${world.connection.id}/role-mapping/preview`, { token, body: { scope, roleMapping } });
  const keptOf = async (world: ConnectionWorld) =>
    service.database.query<{ claims: { name: string }[] }>(sql('SELECT claims FROM connection_sign_ins WHERE connection_id = $1'), [
      world.connection.id,
    ]);

  test('shows who of the last sign-ins would gain and lose which role, by what was said there', async () => {
    const world = await makeWorld();
    const [editor, admin] = [newId(), newId()];
    const [ada, bob] = [
      upstreamPerson(world.domain, { groups: ['staff', 'editors'] }),
      upstreamPerson(world.domain, { department: 'Sales' }),
    ];
    const { userId: adaId } = await world.signIn(ada);
    const { userId: bobId } = await world.signIn(bob);
    peers.heldRoles.set(bobId, [admin]);
    peers.heldRoles.set(adaId, [world.connection.defaultRoleId]);
    const line = { claim: 'groups', value: 'editors', roleId: editor };
    const { status, body } = await previewIn(world, [line, { ...line, claim: 'name', value: 'Ada' }]);
    expect(status).toStrictEqualFor(body, 200);
    const given = (roleId: string) => [{ roleId, grantId: null }];
    const { defaultRoleId } = world.connection;
    expect(body.data).toMatchObject({ signInCount: 2, gainCount: 2, lossCount: 2, unknownClaims: ['name'] });
    expect(body.data.people).toMatchObject([
      { userId: bobId, email: bob['email'], gains: given(defaultRoleId), losses: given(admin), claims: [] },
      {
        userId: adaId,
        name: ada['name'],
        gains: given(editor),
        losses: given(defaultRoleId),
        isCertain: true,
        claims: [
          {
            name: 'groups',
            values: ['staff', 'editors'],
            isCut: false,
          },
        ],
      },
    ]);
    // It changes nothing, and without a mapping a sign-in changes no role.
    expect(peers.mapped.some(({ userId }) => userId === adaId)).toBe(false);
    expect((await previewIn(world, [])).body.data).toMatchObject({ signInCount: 2, gainCount: 0, lossCount: 0 });
  });

  test('is for who may change the connection and give these roles, in its organization; people for who may list them', async () => {
    const world = await makeWorld();
    await world.signIn(upstreamPerson(world.domain, { groups: ['staff'] }));
    const [line, above] = [{ claim: 'groups', value: 'staff', roleId: newId() }, newId()];
    peers.verdicts.set(above, 'above-own-rank');
    expect((await previewIn(world, [{ ...line, roleId: above }])).status).toBe(403);
    const foreign = { tenant: 'organization', id: newId() };
    expect((await previewIn(world, [line], (await registered(service)).accessToken, foreign)).status).toBe(404);
    for (const [right, expected] of [['OrganizationMember:Query', 200] as const, ['Connection:Update', 403] as const]) {
      // A decision is remembered for its caller.
      const { accessToken } = await registered(service);
      peers.denied.add(right);
      try {
        const { status, body } = await previewIn(world, [line], accessToken);
        expect([right, status]).toStrictEqual([right, expected]);
        if (expected === 200) expect(body.data).toMatchObject({ signInCount: 1, people: [] });
        expect(JSON.stringify(body)).not.toContain('staff');
      } finally {
        peers.denied.delete(right);
      }
    }
  });

  test('reads what was said last, of fifty people at most; an answer that is refused leaves nothing', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain, { groups: ['staff'] });
    await world.signIn(who);
    await world.signIn({ ...who, groups: ['editors'] });
    expect((await world.come(upstreamPerson('elsewhere.example', { groups: ['staff'] }))).error).toBe('address_not_allowed');
    expect(await keptOf(world)).toMatchObject([{ claims: [{ name: 'groups', values: ['editors'] }] }]);
    await service.database.query(
      sql(`WITH people AS (INSERT INTO users (id, name, created_at, updated_at) SELECT gen_random_uuid(), 'Earlier', now(), now() FROM generate_series(1, 60) RETURNING id),
        methods AS (INSERT INTO authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
          SELECT id, id, 'connections/' || $1::text, id::text, true, true, now(), now() FROM people RETURNING id)
        INSERT INTO connection_sign_ins SELECT id, $1::text::uuid, now() - interval '1 day', '[]' FROM methods`),
      [world.connection.id],
    );
    await world.signIn(who);
    const rows = await keptOf(world);
    expect([rows.length, rows.filter(({ claims }) => claims.length > 0).length]).toStrictEqual([50, 1]);
  });

  test('forgets who leaves, who is deleted, what is thirty days old, and a connection that is deleted', async () => {
    const world = await makeWorld();
    const come = async () => (await world.signIn(upstreamPerson(world.domain, { groups: ['staff'] }))).userId;
    const [left, deleted, old] = [await come(), await come(), await come()];
    await come();
    expect(await keptOf(world)).toHaveLength(4);
    await service.deliver('user.left', { userId: left, scope: world.scope });
    expect(await keptOf(world)).toHaveLength(3);
    await service.database.transaction((tx) => softDeletePerson(tx, deleted, new Date()));
    expect(await keptOf(world)).toHaveLength(2);
    await service.database.query(
      sql(`UPDATE connection_sign_ins SET signed_in_at = now() - interval '30 days' WHERE authentication_method_id IN
        (SELECT id FROM authentication_methods WHERE user_id = $1)`),
      [old],
    );
    expect((await previewIn(world, [])).body.data).toMatchObject({ signInCount: 1 });
    await service.database.transaction((tx) => deleteOldSignIns(tx, new Date()));
    expect(await keptOf(world)).toHaveLength(1);
    await world.remove();
    expect(await keptOf(world)).toHaveLength(0);
  });

  test('shows the person what is kept of them, in their own export', async () => {
    const world = await makeWorld();
    const { accessToken: token } = await world.signIn(upstreamPerson(world.domain, { groups: ['staff'] }));
    const { status, body } = await service.ask('GET', '/api/me/export', { token });
    expect(status).toStrictEqualFor(body, 200);
    expect(body.providerSignIns).toMatchObject([
      { connectionId: world.connection.id, claims: [{ name: 'groups', values: ['staff'], isCut: false }] },
    ]);
  });
});
