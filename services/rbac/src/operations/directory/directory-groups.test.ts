/** What a directory's groups give (decision 30): authority, ends, both sources, and grants. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import type { EventPayloads } from '@tessera/proto/events';
import { until } from '../../../../../test/support/until.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
const database = stack.openDatabase();
afterAll(() => stack.stop());

/** An organization with an Admin, a role of its own, and a directory that speaks. */
async function world() {
  const acme = await stack.makeOrganization();
  const admin = await acme.addMember('Admin');
  const made = await stack.request('POST', '/api/roles', { token: acme.token, body: { scope: acme.scope, name: 'Engineer' } });
  const engineer = `${made.data.id}`;
  const groupId = newId();
  const group = { id: groupId, name: 'Engineers', memberCount: 1, isDeleted: false };
  const by = newId();
  const say = (people: Readonly<Record<string, readonly string[]>>, groups: readonly object[] = [group]) =>
    stack.tell('directory.changed', {
      organizationId: acme.id,
      groups: groups.map((one) => ({ ...group, ...one })),
      people: Object.entries(people).map(([userId, groupIds]) => ({ userId, groupIds: [...groupIds] })),
      by,
    });
  const tell = (people: EventPayloads['directory.changed']['people']) =>
    stack.tell('directory.changed', { organizationId: acme.id, groups: [], people, by });
  const directoryRoles = async (userId: string, scope: Scope = acme.scope) =>
    (await stack.request('GET', `/api/directory-roles?tenant=${scope.tenant}&scopeId=${scope.id}&userId=${userId}`, { token: acme.token }))
      .data.items;
  const call = (method: string, path: string, userId: string, roleIds: readonly string[], scope: Scope) =>
    stack.request(method, path, { token: stack.token({ userId }), body: { scope, roleIds: [...roleIds] } });
  const map = (userId: string, roleIds: readonly string[], scope: Scope = acme.scope, id = groupId) =>
    call('PATCH', `/api/directory-groups/${id}`, userId, roleIds, scope);
  const preview = (userId: string, roleIds: readonly string[], scope: Scope = acme.scope) =>
    call('POST', `/api/directory-groups/${groupId}/preview`, userId, roleIds, scope);
  const list = async (scope: Scope = acme.scope) =>
    (await stack.request('GET', `/api/directory-groups?tenant=${scope.tenant}&scopeId=${scope.id}`, { token: acme.token })).data.items;
  const rolesOf = async (userId: string, scope: Scope = acme.scope): Promise<string> => {
    const { subjects } = await stack.clientOf(0).roles.listSubjectRoles({ scope, userIds: [userId] });
    return (subjects[0]?.roles ?? [])
      .map(({ name }) => name)
      .toSorted()
      .join(' ');
  };
  const actor = { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] };
  const set = (userId: string, roleIds: readonly string[], scope: Scope = acme.scope) =>
    stack.clientOf(0).roles.setSubjectRoles({ actor, scope, userId, roleIds: [...roleIds] });
  return { acme, admin, engineer, groupId, group, say, tell, directoryRoles, map, preview, list, rolesOf, set, actor };
}

describe('a mapped group', () => {
  test('gives its roles to members, beside their own, and takes them when the person or the group goes', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf, list } = await world();
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Dev')];
    await say({ [ada]: [groupId] });
    expect(await rolesOf(ada)).toBe('Viewer');
    expect((await map(admin, [engineer])).status).toBe(200);
    expect([await rolesOf(ada), await rolesOf(ben)]).toStrictEqual(['Engineer Viewer', 'Dev']);
    await say({ [ben]: [groupId] });
    expect(await rolesOf(ben)).toBe('Dev Engineer');
    expect(await list()).toMatchObject([{ displayName: 'Engineers', memberCount: 1, roleIds: [engineer], waitingRoleIds: [] }]);
    await say({ [ada]: [] });
    expect([await rolesOf(ada), await rolesOf(ben)]).toStrictEqual(['Viewer', 'Dev Engineer']);
    await say({}, [{ isDeleted: true }]);
    expect([await rolesOf(ben), await list()]).toStrictEqual(['Dev', []]);
  });

  test('an event that comes twice, and one of an unknown group, change nothing more', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf } = await world();
    const ada = await acme.addMember('Viewer');
    await say({ [ada]: [groupId, newId()] });
    await map(admin, [engineer]);
    await say({ [ada]: [groupId] });
    await say({ [ada]: [groupId] });
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
  });

  test('whoever is no member gets nothing until the membership begins, and again after it ended', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf } = await world();
    const ada = newId();
    await say({ [ada]: [groupId] });
    await map(admin, [engineer]);
    expect(await rolesOf(ada)).toBe('');
    await acme.addMember('Viewer', ada);
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
    await stack.clientOf(0).roles.endMembership({ scope: acme.scope, userId: ada });
    await say({ [ada]: [groupId] });
    expect(await rolesOf(ada)).toBe('');
    await acme.addMember('Viewer', ada);
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
  });

  test('two groups that give one role: it stays until both are gone', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf } = await world();
    const [ada, second] = [await acme.addMember('Viewer'), newId()];
    await say({ [ada]: [groupId, second] }, [{}, { id: second }]);
    await map(admin, [engineer]);
    await map(admin, [engineer], acme.scope, second);
    await say({ [ada]: [second] });
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
    await map(admin, [], acme.scope, second);
    expect(await rolesOf(ada)).toBe('Viewer');
  });

  test('the preview shows who gains and loses what, and changes nothing', async () => {
    const { acme, admin, engineer, groupId, say, map, preview, rolesOf } = await world();
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Dev')];
    await say({ [ada]: [groupId], [ben]: [groupId], [newId()]: [groupId] });
    const dev = acme.roleId('Dev');
    const { data } = await preview(admin, [engineer, dev]);
    expect([data.gainCount, data.lossCount, data.seatsLeft]).toStrictEqual([2, 0, null]);
    const gains = new Map(data.people?.map(({ userId, gains: roles }) => [`${userId}`, roles]));
    expect(gains.get(ada)).toStrictEqual(expect.arrayContaining([engineer, dev]));
    expect(gains.get(ben)).toStrictEqual([engineer]);
    expect(await rolesOf(ada)).toBe('Viewer');
    await map(admin, [engineer]);
    const { data: after } = await preview(admin, []);
    expect([after.gainCount, after.lossCount]).toStrictEqual([0, 2]);
  });

  test('its changes stand in the log, for each member', async () => {
    const { acme, admin, engineer, groupId, say, map } = await world();
    const ada = await acme.addMember('Viewer');
    await say({ [ada]: [groupId] });
    await map(admin, [engineer]);
    const rows = await database.query<{ action: string; target: string; detail: unknown }>(
      sql(`SELECT action, target_id AS target, detail FROM audit_log
        WHERE scope_id = $1 AND action IN ('directoryGroup.mapped', 'organizationMember.updated') ORDER BY action`),
      [acme.id],
    );
    expect(rows).toMatchObject([
      { action: 'directoryGroup.mapped', target: groupId, detail: { counts: { gained: 1, lost: 0 } } },
      { action: 'organizationMember.updated', target: ada, detail: { by: 'directory', given: [{ name: 'Engineer' }], taken: [] } },
    ]);
  });
});

describe('a detached member', () => {
  const detached = (userId: string) => ({ userId, groupIds: [], isDetached: true });

  test('keeps what the directory gave, which is then taken by hand, and gains nothing more', async () => {
    const { acme, admin, engineer, groupId, say, map, tell, rolesOf, set } = await world();
    const [ada, viewer] = [await acme.addMember('Viewer'), acme.roleId('Viewer')];
    await say({ [ada]: [groupId] });
    await map(admin, [engineer]);
    await tell([detached(ada)]);
    await map(admin, [engineer, acme.roleId('Dev')]);
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
    await map(admin, []);
    await say({}, [{ isDeleted: true }]);
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
    await set(ada, [viewer]);
    expect(await rolesOf(ada)).toBe('Viewer');
  });

  test('has by the directory again what it gave, once attached, and loses what no group gives', async () => {
    const { acme, admin, engineer, groupId, say, map, tell, rolesOf, set, directoryRoles } = await world();
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    await say({ [ada]: [groupId], [ben]: [groupId] });
    await map(admin, [engineer]);
    expect(await directoryRoles(ada)).toMatchObject([
      { id: engineer, name: 'Engineer', groups: [{ id: groupId, displayName: 'Engineers' }] },
    ]);
    await tell([detached(ada), detached(ben)]);
    expect(await directoryRoles(ada)).toStrictEqual([]);
    await say({ [ada]: [groupId], [ben]: [] });
    expect([await rolesOf(ada), await rolesOf(ben)]).toStrictEqual(['Engineer Viewer', 'Viewer']);
    await expect(set(ada, [acme.roleId('Viewer')])).rejects.toThrow('errors.rbac.roleOfDirectory');
  });

  test('is detached only by who stands above: rbac is asked, and changes nothing', async () => {
    const { acme, admin, actor } = await world();
    const [ada, second] = [await acme.addMember('Viewer'), await acme.addMember('Admin')];
    const ask = (userId: string, of: string, kind: string) =>
      stack.clientOf(0).roles.restrictMember({ actor: { ...actor, userId: of }, scope: acme.scope, userId, kind });
    for (const kind of ['detach', 'attach']) {
      expect(await ask(ada, admin, kind)).toStrictEqual({});
      for (const [userId, of] of [
        [admin, admin],
        [second, admin],
        [acme.ownerId, admin],
        [second, ada],
      ] as const)
        await expect(ask(userId, of, kind)).rejects.toThrow();
    }
  });
});

describe('a large group', () => {
  const size = 1_300;

  /** A group of so many members, in the database as the events would leave it. */
  async function crowd() {
    const all = await world();
    const { acme, groupId, say } = all;
    await say({});
    const people = Array.from({ length: size }, () => newId()).toSorted();
    await database.query(
      sql(`INSERT INTO role_assignments (tenant, scope_id, user_id, role_id) SELECT 'organization', $1, unnest($2::uuid[]), $3`),
      [acme.id, people, acme.roleId('Viewer')],
    );
    await database.query(sql(`INSERT INTO directory_people (organization_id, group_id, user_id) SELECT $1, $2, unnest($3::uuid[])`), [
      acme.id,
      groupId,
      people,
    ]);
    await database.query(sql('ANALYZE directory_people, role_assignments'), []);
    const holders = async (roleId: string) => {
      const [row] = await database.query<{ count: string }>(
        sql(`SELECT count(*) FROM role_assignments WHERE scope_id = $1 AND role_id = $2 AND 'directory' = ANY (sources)`),
        [acme.id, roleId],
      );
      return Number(row?.count);
    };
    const isDone = async () => (await all.list())?.[0]?.change === null;
    return { ...all, people, holders, isDone };
  }

  test('is mapped in portions, of which progress and preview tell the truth', async () => {
    const { admin, engineer, people, map, preview, holders, isDone, acme } = await crowd();
    expect((await preview(admin, [engineer])).data).toMatchObject({ gainCount: size, lossCount: 0 });
    const { status, data } = await map(admin, [engineer]);
    expect([status, data.change]).toStrictEqual([200, { peopleCount: size, doneCount: 0 }]);
    // The preview counts those whom no portion has reached.
    const { data: rest } = await preview(admin, [engineer]);
    expect(Number(rest.gainCount)).toBeLessThanOrEqual(size);
    await until(isDone, 60_000);
    expect([await holders(engineer), (await preview(admin, [engineer])).data.gainCount]).toStrictEqual([size, 0]);
    const rows = async () => {
      const [row] = await database.query<{ count: string }>(
        sql(`SELECT count(*) FROM audit_log WHERE scope_id = $1 AND action = 'organizationMember.updated' AND target_id = ANY ($2)`),
        [acme.id, people],
      );
      return Number(row?.count);
    };
    expect(await rows()).toBe(size);
    // What the group does not give any more is gone with the answer, and in the log of each person.
    await map(admin, []);
    expect([await holders(engineer), await rows()]).toStrictEqual([0, 2 * size]);
    await until(isDone, 60_000);
    expect([await holders(engineer), await rows()]).toStrictEqual([0, 2 * size]);
  });

  test('goes on where a portion has died with its connection, and gives each person the role once', async () => {
    const { acme, admin, engineer, people, groupId, map, holders, list, isDone } = await crowd();
    // The second portion loses its connection in the middle, as at a kill, until the run gives up.
    await database.query(
      sql(`CREATE FUNCTION break_portion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.scope_id = '${acme.id}' AND NEW.user_id = '${people[700]}' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
        RETURN NEW; END $$`),
      [],
    );
    await database.query(
      sql(`CREATE TRIGGER break_portion BEFORE INSERT ON role_assignments FOR EACH ROW EXECUTE FUNCTION break_portion()`),
      [],
    );
    await map(admin, [engineer]);
    await until(async () => (await holders(engineer)) === 500);
    expect((await list())?.[0]?.change).toStrictEqual({ peopleCount: size, doneCount: 500 });
    await database.query(sql(`DROP TRIGGER break_portion ON role_assignments`), []);
    await until(isDone, 60_000);
    expect(await holders(engineer)).toBe(size);
    const [rows] = await database.query<{ count: string }>(
      sql(`SELECT count(*) FROM audit_log WHERE scope_id = $1 AND action = 'organizationMember.updated'`),
      [acme.id],
    );
    expect([Number(rows?.count), groupId]).toStrictEqual([size, expect.any(String)]);
  });

  test('gives nothing more when its mapper is demoted between two portions', async () => {
    const { acme, admin, engineer, people, map, holders, isDone } = await crowd();
    const viewer = acme.roleId('Viewer');
    // Who maps is a Viewer from the second portion on.
    await database.query(
      sql(`CREATE FUNCTION demote_mapper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.scope_id = '${acme.id}' AND NEW.user_id = '${people[499]}' THEN
          UPDATE role_assignments SET role_id = '${viewer}' WHERE scope_id = '${acme.id}' AND user_id = '${admin}'; END IF;
        RETURN NEW; END $$`),
      [],
    );
    await database.query(
      sql(`CREATE TRIGGER demote_mapper AFTER INSERT ON role_assignments FOR EACH ROW EXECUTE FUNCTION demote_mapper()`),
      [],
    );
    await map(admin, [engineer]);
    await until(isDone, 60_000);
    await database.query(sql(`DROP TRIGGER demote_mapper ON role_assignments`), []);
    expect(await holders(engineer)).toBe(500);
  });

  test('mapped anew before it is applied, has what was said last', async () => {
    const { acme, admin, engineer, map, holders, isDone } = await crowd();
    await map(admin, [engineer]);
    await map(admin, [acme.roleId('Dev')]);
    await until(isDone, 60_000);
    expect([await holders(engineer), await holders(acme.roleId('Dev'))]).toStrictEqual([0, size]);
  });
});

describe('a role by hand and by a group', () => {
  test('stays by hand when the group goes, and is not taken by hand while the group gives it', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf, set } = await world();
    const viewer = acme.roleId('Viewer');
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    await set(ada, [viewer, engineer]);
    await say({ [ada]: [groupId], [ben]: [groupId] });
    await map(admin, [engineer]);
    await expect(set(ben, [viewer])).rejects.toMatchObject({ kind: 'conflict' });
    await expect(set(ben, [])).rejects.toMatchObject({ kind: 'conflict' });
    await say({ [ada]: [], [ben]: [] });
    expect([await rolesOf(ada), await rolesOf(ben)]).toStrictEqual(['Engineer Viewer', 'Viewer']);
  });

  test('a member whose only role a group gave is Viewer when it goes', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf, set } = await world();
    const ada = await acme.addMember('Viewer');
    await say({ [ada]: [groupId] });
    await map(admin, [engineer]);
    await set(ada, [engineer]);
    expect(await rolesOf(ada)).toBe('Engineer');
    await say({ [ada]: [] });
    expect(await rolesOf(ada)).toBe('Viewer');
  });

  test('the role of a member is not set below what a group gives', async () => {
    const { acme, groupId, say, map, rolesOf, actor } = await world();
    const ada = await acme.addMember('Viewer');
    await say({ [ada]: [groupId] });
    await map(acme.ownerId, [acme.roleId('Dev')]);
    const change = (role: string) =>
      stack.clientOf(0).roles.changeMemberRole({ actor, scope: acme.scope, userId: ada, roleId: acme.roleId(role) });
    await expect(change('Viewer')).rejects.toMatchObject({ kind: 'conflict' });
    await change('Admin');
    expect(await rolesOf(ada)).toBe('Admin Dev');
  });
});

describe('what an attacker would try', () => {
  test('an Admin maps and unmaps only what they may give; Owner and Provisioning come from no group', async () => {
    const { acme, admin, engineer, groupId, say, map, preview, rolesOf, list } = await world();
    const ada = await acme.addMember('Viewer');
    await say({ [ada]: [groupId] });
    for (const ask of [map, preview]) {
      expect((await ask(admin, [acme.roleId('Admin')])).status).toBe(403);
      expect((await ask(admin, [acme.roleId('Owner')])).status).toBe(400);
      expect((await ask(acme.ownerId, [acme.roleId('Owner')])).status).toBe(400);
      expect((await ask(acme.ownerId, [acme.roleId('Provisioning')])).status).toBe(400);
      expect((await ask(ada, [engineer])).status).toBe(403);
      expect((await ask(admin, [newId()])).status).toBe(404);
    }
    await map(acme.ownerId, [acme.roleId('Admin')]);
    expect(await rolesOf(ada)).toBe('Admin Viewer');
    expect((await map(admin, [])).status).toBe(403);
    expect((await map(admin, [acme.roleId('Admin'), engineer])).status).toBe(200);
    expect(await list()).toMatchObject([{ waitingRoleIds: [] }]);
  });

  test('a mapping gives nothing new once its mapper could not give the role, until somebody saves it again', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf, list, actor } = await world();
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    await say({ [ada]: [groupId] });
    await map(admin, [engineer, acme.roleId('Dev')]);
    await stack.clientOf(0).roles.changeMemberRole({ actor, scope: acme.scope, userId: admin, roleId: acme.roleId('Viewer') });
    await say({ [ben]: [groupId] });
    expect([await rolesOf(ada), await rolesOf(ben)]).toStrictEqual(['Dev Engineer Viewer', 'Viewer']);
    const both = expect.arrayContaining([engineer, acme.roleId('Dev')]);
    expect(await list()).toMatchObject([{ roleIds: both, waitingRoleIds: both }]);
    await map(acme.ownerId, [engineer, acme.roleId('Dev')]);
    expect([await rolesOf(ben), await list()]).toMatchObject(['Dev Engineer Viewer', [{ waitingRoleIds: [] }]]);
  });

  test('another organization finds neither the group nor its people, and a project of one’s own has no directory', async () => {
    const { acme, engineer, groupId, say } = await world();
    await say({ [await acme.addMember('Viewer')]: [groupId] });
    const other = await world();
    expect((await other.map(other.acme.ownerId, [other.engineer], other.acme.scope, groupId)).status).toBe(404);
    expect((await other.map(other.acme.ownerId, [engineer], other.acme.scope, other.groupId)).status).toBe(404);
    expect(await other.list()).toStrictEqual([]);
    const project = await stack.makeProject(acme.scope);
    expect((await other.map(acme.ownerId, [], project, groupId)).status).toBe(400);
  });

  test('a deleted role is given by no group any more, and a group takes no Owner away', async () => {
    const { acme, engineer, groupId, say, map, list, rolesOf } = await world();
    await say({ [acme.ownerId]: [groupId] });
    await map(acme.ownerId, [engineer]);
    expect(await rolesOf(acme.ownerId)).toBe('Engineer Owner');
    const gone = await stack.request('DELETE', `/api/roles/${engineer}?tenant=organization&scopeId=${acme.id}`, { token: acme.token });
    expect([gone.status, await rolesOf(acme.ownerId)]).toStrictEqual([200, 'Owner']);
    expect(await list()).toMatchObject([{ roleIds: [] }]);
    await say({ [acme.ownerId]: [] });
    expect(await rolesOf(acme.ownerId)).toBe('Owner');
  });

  test('a mapping and a change of the group at once end as if one came after the other', async () => {
    const { acme, admin, engineer, groupId, say, map, rolesOf } = await world();
    const ada = await acme.addMember('Viewer');
    await say({});
    await Promise.all([map(admin, [engineer]), say({ [ada]: [groupId] })]);
    expect(await rolesOf(ada)).toBe('Engineer Viewer');
    await Promise.all([map(admin, []), say({ [ada]: [] })]);
    expect(await rolesOf(ada)).toBe('Viewer');
  });
});

describe('in a grant', () => {
  async function granted(maxMembers: number | null = null) {
    const base = await world();
    const globex = await stack.makeOrganization();
    const product = await stack.makeProject(globex.scope);
    const made = await stack.request('POST', '/api/roles', { token: globex.token, body: { scope: product, name: 'Reader' } });
    const projectId = product.id.slice(37);
    const scope: Scope = { tenant: 'organizationProject', id: `${base.acme.id}:${projectId}` };
    const grantId = newId();
    const tell = (isEnded: boolean) =>
      stack.tell('grant.changed', {
        scope,
        grantId,
        projectId,
        ownerOrganizationId: globex.id,
        isActive: !isEnded,
        isEnded,
        roleIds: null,
        allowCustomRoles: true,
        maxMembers,
        metadata: {},
      });
    await tell(false);
    return { ...base, scope, tell, reader: `${made.data.id}` };
  }

  test('a group gives the product’s role to members, told in the log, and ends with the grant', async () => {
    const { acme, admin, groupId, say, map, rolesOf, scope, tell, reader, list } = await granted();
    const [ada, ben] = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    await say({ [ada]: [groupId] });
    expect((await map(admin, [reader], scope)).status).toBe(200);
    await say({ [ben]: [groupId] });
    expect([await rolesOf(ada, scope), await rolesOf(ben, scope), await rolesOf(ada)]).toStrictEqual(['Reader', 'Reader', 'Viewer']);
    expect([await list(scope), await list()]).toMatchObject([[{ roleIds: [reader] }], [{ roleIds: [] }]]);
    const told = await database.query<{ action: string }>(
      sql(`SELECT action FROM audit_log WHERE scope_id = $1 AND action = 'grantMember.assigned'`),
      [scope.id],
    );
    expect(told).toHaveLength(2);
    await say({ [ada]: [] });
    expect(await rolesOf(ada, scope)).toBe('');
    await tell(true);
    await tell(false);
    expect([await rolesOf(ben, scope), await list(scope)]).toMatchObject(['', [{ roleIds: [] }]]);
  });

  test('only so many get a role as there are seats', async () => {
    const { acme, admin, groupId, say, map, preview, rolesOf, scope, reader } = await granted(1);
    const people = [await acme.addMember('Viewer'), await acme.addMember('Viewer')];
    await say(Object.fromEntries(people.map((userId) => [userId, [groupId]])));
    expect((await preview(admin, [reader], scope)).data).toMatchObject({ gainCount: 2, seatsLeft: 1 });
    await map(admin, [reader], scope);
    const held = await Promise.all(people.map((userId) => rolesOf(userId, scope)));
    expect(held.toSorted()).toStrictEqual(['', 'Reader']);
  });
});
