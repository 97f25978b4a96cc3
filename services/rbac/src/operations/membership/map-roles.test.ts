/** What an identity provider says of a member at the sign-in (decision 31). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

async function arrange() {
  const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
  const product = await stack.makeProject(globex.scope);
  const place: Scope = { tenant: 'organizationProject', id: `${acme.id}:${product.id.slice(37)}` };
  const ends = { isActive: true, isEnded: false, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} };
  await stack.tell('grant.changed', {
    scope: place,
    grantId: newId(),
    projectId: product.id.slice(37),
    ownerOrganizationId: globex.id,
    ...ends,
  });
  const source = `connection:${newId()}`;
  const map = (userId: string, roleIds: string[], scope: Scope = acme.scope, by = source) =>
    stack.clientOf(0).roles.mapRoles({ scope, userId, source: by, roleIds, vouchers: [] });
  const held = async (userId: string, scope: Scope = acme.scope) => {
    const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope, userIds: [userId] });
    return subjects.flatMap(({ roles }) => roles.map(({ name }) => name)).toSorted();
  };
  return { acme, globex, place, map, held };
}

describe('roles by an identity provider', () => {
  test('replace those that were given by hand, and what it does not say any more is taken', async () => {
    const { acme, map, held } = await arrange();
    const member = await acme.addMember('Admin');
    await map(member, [acme.roleId('Dev'), acme.roleId('Viewer')]);
    expect(await held(member)).toStrictEqual(['Dev', 'Viewer']);
    await map(member, [acme.roleId('Viewer')]);
    expect(await held(member)).toStrictEqual(['Viewer']);
    expect((await stack.check(member, acme.scope, 'Role:Create')).authorized).toBe(false);
  });

  test('make nobody an Owner, and take nothing from one', async () => {
    const { acme, map, held } = await arrange();
    const member = await acme.addMember('Dev');
    await map(member, [acme.roleId('Owner'), acme.roleId('Viewer')]);
    expect(await held(member)).toStrictEqual(['Viewer']);
    await map(acme.ownerId, [acme.roleId('Viewer')]);
    expect(await held(acme.ownerId)).toStrictEqual(['Owner']);
  });

  test('take what another connection has given, which may be deleted by now', async () => {
    const { acme, map, held } = await arrange();
    const member = await acme.addMember('Viewer');
    await map(member, [acme.roleId('Admin')], acme.scope, `connection:${newId()}`);
    expect(await held(member)).toStrictEqual(['Admin']);
    await map(member, [acme.roleId('Dev')]);
    expect(await held(member)).toStrictEqual(['Dev']);
  });

  test('take what they gave before, also when the role that is mapped now is deleted: Viewer is left', async () => {
    const { acme, map, held } = await arrange();
    const member = await acme.addMember('Viewer');
    for (const roleIds of [[newId()], []]) {
      await map(member, [acme.roleId('Admin')]);
      await map(member, roleIds);
      expect(await held(member)).toStrictEqual(['Viewer']);
    }
  });

  test('end with the last source: a role of the directory and of the provider goes when both do not give it', async () => {
    const { acme, map, held } = await arrange();
    const member = await acme.addMember('Viewer');
    const group = { id: newId(), name: 'Engineers', memberCount: 1, isDeleted: false };
    const say = (groupIds: string[]) =>
      stack.tell('directory.changed', { organizationId: acme.id, groups: [group], people: [{ userId: member, groupIds }], by: newId() });
    await say([group.id]);
    await map(member, [acme.roleId('Dev')]);
    const body = { scope: acme.scope, roleIds: [acme.roleId('Dev')] };
    expect((await stack.request('PATCH', `/api/directory-groups/${group.id}`, { token: acme.token, body })).status).toBe(200);
    await map(member, [acme.roleId('Viewer')]);
    expect(await held(member)).toStrictEqual(['Dev', 'Viewer']);
    await say([]);
    expect(await held(member)).toStrictEqual(['Viewer']);
  });

  test('give nothing to who is no member, nor a role of another organization', async () => {
    const { acme, globex, place, map, held } = await arrange();
    const stranger = newId();
    for (const scope of [acme.scope, place]) await map(stranger, [acme.roleId('Viewer')], scope);
    expect([await held(stranger), await held(stranger, place)]).toStrictEqual([[], []]);
    const member = await acme.addMember('Dev');
    await map(member, [globex.roleId('Admin')]);
    expect(await held(member)).toStrictEqual(['Viewer']);
  });

  test('are newly given only while one of those who mapped them could give them; who has them keeps them', async () => {
    const { acme, map, held } = await arrange();
    const [admin, dev, first, second] = [
      await acme.addMember('Admin'),
      await acme.addMember('Dev'),
      await acme.addMember('Viewer'),
      await acme.addMember('Viewer'),
    ];
    const give = (userId: string, role: string, ...mappers: string[]) => {
      const vouchers = mappers.map((mappedBy) => ({ roleId: acme.roleId(role), mappedBy, isMappedByService: false }));
      const asked = { scope: acme.scope, userId, source: `connection:${admin}`, roleIds: [acme.roleId(role)], vouchers };
      return stack.clientOf(0).roles.mapRoles(asked);
    };
    expect(await give(first, 'Dev', admin)).toMatchObject({ isMember: true });
    expect(await held(first)).toStrictEqual(['Dev']);
    // Not above the own rank, nor without the right to change a connection, nor by a stranger.
    for (const [role, mapper] of [['Admin', admin] as const, ['Viewer', dev] as const, ['Dev', newId()] as const])
      await give(second, role, mapper).then(async () => expect(await held(second)).toStrictEqual(['Viewer']));
    await map(admin, [acme.roleId('Viewer')]);
    await give(second, 'Dev', admin);
    await give(first, 'Dev', admin);
    expect([await held(first), await held(second)]).toStrictEqual([['Dev'], ['Viewer']]);
    await give(second, 'Dev', admin, acme.ownerId);
    expect(await held(second)).toStrictEqual(['Dev']);
    const rows = await stack
      .openDatabase()
      .query<{ detail: { notGiven?: string[] } }>(
        { text: `SELECT detail FROM audit_log WHERE action = 'connection.roles-mapped' AND target_id = $1 ORDER BY at` },
        [second],
      );
    expect(rows.flatMap(({ detail }) => detail.notGiven ?? [])).toStrictEqual(['Admin', 'Dev', 'Dev']);
  });

  test('say that a first membership has not arrived yet', async () => {
    const { acme, map } = await arrange();
    expect(await map(newId(), [acme.roleId('Dev')])).toMatchObject({ isMember: false });
  });

  test('stand in the log of the organization, once for a change', async () => {
    const { acme, map } = await arrange();
    const member = await acme.addMember('Dev');
    for (let times = 0; times < 2; times += 1) await map(member, [acme.roleId('Viewer')]);
    const rows = await stack
      .openDatabase()
      .query<{ detail: object }>({ text: `SELECT detail FROM audit_log WHERE action = 'connection.roles-mapped' AND target_id = $1` }, [
        member,
      ]);
    expect(rows).toMatchObject([{ detail: { assigned: ['Viewer'], unassigned: ['Dev'] } }]);
  });

  test('are previewed as they are given then: hand-given and mapped roles, the directory, Owners, strangers, another’s project', async () => {
    const { acme, globex, place, map, held } = await arrange();
    const [hand, mapped, ofDirectory] = [await acme.addMember('Admin'), await acme.addMember('Viewer'), await acme.addMember('Dev')];
    await map(mapped, [acme.roleId('Dev')]);
    const group = { id: newId(), name: 'Engineers', memberCount: 1, isDeleted: false };
    const people = [{ userId: ofDirectory, groupIds: [group.id] }];
    await stack.tell('directory.changed', { organizationId: acme.id, groups: [group], people, by: newId() });
    const body = { scope: acme.scope, roleIds: [acme.roleId('Dev')] };
    expect((await stack.request('PATCH', `/api/directory-groups/${group.id}`, { token: acme.token, body })).status).toBe(200);
    const asked: readonly (readonly [string, string[]])[] = [
      [hand, [acme.roleId('Viewer')]],
      [mapped, []],
      [ofDirectory, [acme.roleId('Viewer'), acme.roleId('Owner')]],
      [acme.ownerId, [acme.roleId('Viewer')]],
      [newId(), [acme.roleId('Dev')]],
      [hand, [globex.roleId('Admin')]],
    ];
    const preview = async (scope: Scope, one: readonly (readonly [string, string[]])[]) =>
      (await stack.clientOf(0).roles.previewRoles({ scope, people: one.map(([userId, roleIds]) => ({ userId, roleIds })) })).people;
    const told = await preview(acme.scope, asked);
    const nameOf = new Map(['Owner', 'Admin', 'Dev', 'Viewer'].map((name) => [acme.roleId(name), name]));
    const named = (ids: readonly string[]) => ids.map((id) => nameOf.get(id)).join();
    expect(told.map(({ gained, lost }) => [named(gained), named(lost)])).toStrictEqual([
      ['Viewer', 'Admin'],
      ['Viewer', 'Dev'],
      ['Viewer', ''],
      ['', ''],
      ['', ''],
      ['Viewer', 'Admin'],
    ]);
    for (const [index, [userId, roleIds]] of asked.entries()) {
      const before = await held(userId);
      await map(userId, roleIds);
      const expected = before
        .filter((name) => !named(told[index]?.lost ?? []).includes(name))
        .concat(told[index]?.gained.map((id) => nameOf.get(id) ?? '') ?? []);
      if (index < asked.length - 1) expect([index, await held(userId)]).toStrictEqual([index, expected.toSorted()]);
    }
    // Where the organization uses another's project nothing is Viewer, and a stranger gets nothing.
    expect(
      await preview(place, [
        [hand, []],
        [newId(), [globex.roleId('Admin')]],
      ]),
    ).toMatchObject([
      { gained: [], lost: [] },
      { gained: [], lost: [] },
    ]);
  });
});
