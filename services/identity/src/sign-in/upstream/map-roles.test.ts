/** Which claims of an organization's provider give which roles (decision 31). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { startConnections, upstreamPerson } from '../../testing/connections.ts';
import { registered } from '../../testing/service.ts';
import { readClaims } from '../connections/claims.ts';
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
