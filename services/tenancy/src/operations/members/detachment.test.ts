/** Members who are taken back from the directory, and given back (decision 30). */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import type { EventPayloads } from '@tessera/proto/events';
import { until } from '../../../../../test/support/until.ts';
import { openDirectory } from '../../testing/scim.ts';
import { openTestService, tokenFor } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

const off = [{ op: 'replace', path: 'active', value: false }];
const on = [{ op: 'replace', path: 'active', value: true }];
let count = 0;

/** A directory with one person, who is a member. */
async function arrange() {
  const directory = await openDirectory(service);
  count += 1;
  const domain = `detached${count}.example`;
  await directory.prove(domain);
  const { organizationId, scope, owner, members } = directory;
  const { json: row } = await directory.create(`ada@${domain}`);
  const [found] = await service.query<{ user_id: string }>('SELECT user_id FROM directory_users WHERE id = $1', [row.id]);
  const userId = found?.user_id ?? '';
  const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, token = owner.token) => {
    const query = `tenant=organization&scopeId=${scope.id}`;
    const response = await service.app.inject({
      method,
      url: method === 'POST' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`,
      headers: { authorization: `Bearer ${token}` },
      ...(method === 'POST' ? { payload: { scope } } : {}),
    });
    return { status: response.statusCode, data: response.json().data };
  };
  const turn = (step: 'detach' | 'attach', token?: string, id = userId) => call('POST', `/api/organization-members/${id}/${step}`, token);
  const shown = async () => (await call('GET', `/api/organization-members?ids=${userId}`)).data.items[0]?.directory;
  const people = async () => (await call('GET', '/api/directory-people')).data.items;
  const isMember = async () => (await members()).includes(userId);
  const told = () =>
    service.rbac.received.flatMap(({ type, payload }) => {
      if (type !== 'directory.changed' || payload.organizationId !== organizationId) return [];
      return (payload as EventPayloads['directory.changed']).people.filter((one) => one.userId === userId);
    });
  return { ...directory, domain, row, userId, call, turn, shown, people, isMember, told };
}

describe('a detached member', () => {
  test('stays when the directory says inactive, which is answered and shown as it said', async () => {
    const { row, turn, patch, ask, isMember, shown, people } = await arrange();
    expect(await shown()).toStrictEqual({ isActive: true, isDetached: false, detachedAt: null });
    const { status, data } = await turn('detach');
    expect([status, data.directory]).toStrictEqual([200, { isActive: true, isDetached: true, detachedAt: expect.any(String) }]);
    const answer = await patch(row.id, off);
    expect([answer.status, answer.json.id, answer.json.active]).toStrictEqual([200, row.id, false]);
    expect((await ask('GET', `/Users/${row.id}`)).json.active).toBe(false);
    expect([await isMember(), await shown(), await people()]).toMatchObject([
      true,
      { isActive: false, isDetached: true },
      [{ id: row.id, state: 'detached', isActive: false }],
    ]);
    expect((await patch(row.id, on)).json.active).toBe(true);
    expect(await isMember()).toBe(true);
  });

  test('stays through DELETE and a new row, also one that is sent as inactive', async () => {
    const { row, domain, turn, ask, create, isMember, shown } = await arrange();
    await turn('detach');
    expect((await ask('DELETE', `/Users/${row.id}`)).status).toBe(204);
    expect((await ask('GET', `/Users/${row.id}`)).status).toBe(404);
    expect([await isMember(), await shown()]).toMatchObject([true, { isActive: null, isDetached: true }]);
    const again = await create(`ada@${domain}`, { active: false });
    expect([again.status, again.json.active, await isMember()]).toStrictEqual([201, false, true]);
    expect(await shown()).toMatchObject({ isActive: false, isDetached: true });
    expect((await ask('PUT', `/Users/${again.json.id}`, { schemas: [], userName: `ada@${domain}`, active: false })).status).toBeLessThan(
      500,
    );
    expect(await isMember()).toBe(true);
  });

  test('is in no group for rbac, which keeps what they have, until they are attached', async () => {
    const { row, userId, turn, createGroup, patchGroup, told } = await arrange();
    const { json: group } = await createGroup('Engineers', [row.id]);
    await turn('detach');
    await until(() => told().at(-1)?.isDetached === true);
    expect(told().at(-1)).toStrictEqual({ userId, groupIds: [], isDetached: true });
    const before = told().length;
    await patchGroup(group.id, [{ op: 'remove', path: 'members' }]);
    await until(() => told().length > before);
    expect(told().at(-1)).toStrictEqual({ userId, groupIds: [], isDetached: true });
    const { json: second } = await createGroup('Builders', [row.id]);
    await turn('attach');
    await until(() => told().at(-1)?.groupIds.length === 1);
    expect(told().at(-1)).toStrictEqual({ userId, groupIds: [second.id] });
  });

  test('is removed by hand, and the mark ends with the membership', async () => {
    const { row, userId, turn, call, patch, isMember, people } = await arrange();
    await turn('detach');
    expect((await call('DELETE', `/api/organization-members/${userId}`)).status).toBe(200);
    expect([await isMember(), await people()]).toMatchObject([false, [{ state: 'absent', userId: null }]]);
    const mails = service.identity.mails.length;
    await patch(row.id, off);
    expect((await patch(row.id, on)).status).toBe(200);
    expect([await people(), service.identity.mails.length]).toMatchObject([[{ state: 'invited' }], mails + 1]);
  });
});

describe('attaching', () => {
  test('applies what the directory said last: who is switched off there goes, and comes back by active true', async () => {
    const { row, turn, patch, isMember } = await arrange();
    await turn('detach');
    await patch(row.id, off);
    const { status, data } = await turn('attach');
    expect([status, data.directory]).toStrictEqual([200, { isActive: false, isDetached: false, detachedAt: null }]);
    expect(await isMember()).toBe(false);
    await patch(row.id, on);
    expect(await isMember()).toBe(true);
  });

  test('leaves who is active there, and whom the directory has deleted, a member', async () => {
    const { row, turn, patch, ask, isMember, shown } = await arrange();
    await turn('detach');
    expect((await turn('attach')).status).toBe(200);
    await turn('detach');
    await ask('DELETE', `/Users/${row.id}`);
    await turn('attach');
    expect([await isMember(), await shown()]).toStrictEqual([true, null]);
    expect((await patch(row.id, off)).status).toBe(404);
  });

  test('both are repeated without a change, and stand in the log', async () => {
    const { userId, turn, organizationId } = await arrange();
    for (const step of ['detach', 'detach', 'attach', 'attach'] as const) expect((await turn(step)).status).toBe(200);
    const rows = await service.query<{ action: string }>(
      `SELECT action FROM audit_log WHERE scope_id = $1 AND target_id = $2 AND action LIKE 'organizationMember.%tached' ORDER BY id`,
      [organizationId, userId],
    );
    expect(rows.map(({ action }) => action.split('.')[1])).toStrictEqual(['detached', 'detached', 'attached', 'attached']);
  });
});

describe('authority', () => {
  test('nobody detaches themselves, nor a member whose rank is not below their own', async () => {
    const { organizationId, owner, turn } = await arrange();
    const [admin, other, viewer] = [
      await service.addMember(organizationId, 'Admin', 'One'),
      await service.addMember(organizationId, 'Admin', 'Two'),
      await service.addMember(organizationId, 'Viewer', 'Three'),
    ];
    for (const step of ['detach', 'attach'] as const) {
      expect((await turn(step, tokenFor(admin.id), admin.id)).status).toBe(403);
      expect((await turn(step, tokenFor(admin.id), other.id)).status).toBe(403);
      expect((await turn(step, tokenFor(admin.id), owner.id)).status).toBe(403);
      expect((await turn(step, tokenFor(viewer.id))).status).toBe(403);
      expect((await turn(step, tokenFor(admin.id), viewer.id)).status).toBe(200);
      expect((await turn(step, owner.token, newId())).status).toBe(404);
    }
  });

  test('another organization neither sees nor detaches', async () => {
    const one = await arrange();
    const two = await arrange();
    expect((await two.turn('detach', undefined, one.userId)).status).toBe(404);
    expect((await two.people()).map(({ userId }: { userId: string }) => userId)).toStrictEqual([two.userId]);
    expect((await one.call('GET', '/api/directory-people', two.owner.token)).status).toBe(403);
  });
});

describe('races', () => {
  test('active false and detach at once: gone and unmarked, or a member who stays', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { row, turn, patch, isMember, shown } = await arrange();
      const [detached, patched] = await Promise.all([turn('detach'), patch(row.id, off)]);
      expect([detached.status, patched.status]).toStrictEqual([expect.any(Number), 200]);
      expect([200, 404]).toContain(detached.status);
      if (await isMember()) expect(await shown()).toMatchObject({ isActive: false, isDetached: true });
    }
  });

  test('active false and attach at once: the membership ends in either order', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { row, turn, patch, isMember } = await arrange();
      await turn('detach');
      const [attached, patched] = await Promise.all([turn('attach'), patch(row.id, off)]);
      expect(patched.status).toBe(200);
      // 412: the directory spoke between; asked again, it applies.
      if (attached.status === 412) expect((await turn('attach')).status).toBe(200);
      else expect(attached.status).toBe(200);
      expect(await isMember()).toBe(false);
    }
  });

  test('active true and attach at once leave who was switched off a member, or invited to be one', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { row, turn, patch, isMember, people } = await arrange();
      await turn('detach');
      await patch(row.id, off);
      const [, patched] = await Promise.all([turn('attach'), patch(row.id, on)]);
      const [person] = await people();
      expect([patched.status, person.isActive, person.state]).toStrictEqual([200, true, (await isMember()) ? 'active' : 'invited']);
    }
  });

  test('a group’s change and detach at once: rbac is told last that they are detached', async () => {
    const { row, turn, createGroup, told } = await arrange();
    await Promise.all([createGroup('Fast', [row.id]), turn('detach')]);
    await until(() => told().at(-1)?.isDetached === true);
    expect(told().at(-1)?.groupIds).toStrictEqual([]);
  });
});

test('the list of people says what became of each, and finds them by state and name', async () => {
  const { domain, create, patch, call, turn } = await arrange();
  const { json: ben } = await create(`ben@${domain}`, { displayName: 'Ben Benson' });
  await patch(ben.id, off);
  await create(`out.${newId().slice(-8)}@elsewhere.example`);
  await turn('detach');
  const states = async (more: string) =>
    (await call('GET', `/api/directory-people?${more}`)).data.items.map(({ state }: { state: string }) => state).toSorted();
  expect(await states('limit=10')).toStrictEqual(['detached', 'inactive', 'invited']);
  expect(await states('state=invited')).toStrictEqual(['invited']);
  expect((await call('GET', '/api/directory-people?search=benson')).data.items).toMatchObject([{ name: 'Ben Benson', state: 'inactive' }]);
});
