import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { ids, makeWorkshop, names } from '../testing/scenario.ts';
import { startTestStack } from '../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describe('groups and roles', () => {
  test('groups and roles bundle only entities of their own scope (spec:rest.8, spec:relations.1)', async () => {
    const { owner, inOrganization } = await makeWorkshop(stack);
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read', 'Write'], createPermissions: true });
    const [read, write] = ids(...(resource.permissions?.map((row) => row) ?? []));
    const group = await owner.make('groups', { name: 'readers', permissionIds: [read] });
    const role = await owner.make('roles', { name: 'Reader', groupIds: [group.id], description: 'reads' });
    const listed = await owner.list('roles', '&relations=groups,tags,users');
    expect(names(listed.data.items?.map((row) => row)[0]?.groups)).toStrictEqual(['readers']);
    const both = await owner.patch(`groups/${group.id}`, { permissionIds: [read, write] });
    expect(both.status).toBe(200);
    const withPermissions = await owner.list('groups', '&relations=permissions');
    expect(withPermissions.data.items?.map((row) => row.permissions?.map(({ id }) => id).length)[0]).toBe(2);
    const foreign = await inOrganization.make('groups', { name: 'organization group' });
    expect((await owner.patch(`roles/${role.id}`, { groupIds: [foreign.id] })).status).toBe(404);
    expect((await owner.post('roles', { name: 'x', groupIds: [newId()] })).status).toBe(404);
    expect((await owner.post('groups', { name: 'x', permissionIds: [newId()] })).status).toBe(404);
    expect((await owner.patch(`roles/${role.id}`, { groupIds: [] })).status).toBe(200);
    expect(names((await owner.list('roles', '&relations=groups')).data.items?.map((row) => row)[0]?.groups)).toStrictEqual([]);
  });

  test('the record of a deleted role says how many people it was taken from', async () => {
    const { owner, project } = await makeWorkshop(stack);
    for (const users of [2, 0]) {
      const role = await owner.make('roles', { name: 'Reader' });
      for (let joined = 0; joined < users; joined += 1) await stack.join(project, [`${role.id}`]);
      expect((await owner.remove(`roles/${role.id}`)).status).toBe(200);
      const [record] = await stack
        .openDatabase()
        .query(sql(`SELECT detail FROM audit_log WHERE target_id = $1 AND action = 'role.deleted'`), [role.id]);
      expect(record).toStrictEqual({ detail: { name: 'Reader', hardDelete: false, counts: { users } } });
    }
  });

  test('groups and roles show their users only with User:Query (spec:relations.6, spec:relations.7)', async () => {
    const { owner, project } = await makeWorkshop(stack);
    const group = await owner.make('groups', { name: 'g' });
    const role = await owner.make('roles', { name: 'Reader', groupIds: [group.id] });
    const people = [await stack.join(project, [`${role.id}`]), await stack.join(project, [`${role.id}`])];
    for (const [index, id] of people.entries()) stack.peers.people.set(id, { name: `person ${index}`, metadata: {} });
    const calls = stack.peers.calls.getUsers;
    const rest = await owner.list('roles', '&relations=users');
    expect(names(rest.data.items?.map((row) => row)[0]?.users)).toStrictEqual(['person 0', 'person 1']);
    expect(stack.peers.calls.getUsers).toBe(calls + 1);
    const shown = Object.keys(rest.data.items?.map((row) => row)[0]?.users?.[0] ?? {});
    expect(shown.sort()).toStrictEqual(['createdAt', 'deletedAt', 'id', 'metadata', 'name', 'pictureUrl', 'updatedAt']);
    const listed = await owner.list('groups', '&relations=users');
    expect(listed.data.items?.map((row) => row.users?.map(({ id }) => id).length)[0]).toBe(2);
  });
});

describe('lists', () => {
  test('lists page, sort, search and filter, and refuse unknown parameters', async () => {
    const { owner } = await makeWorkshop(stack);
    for (const name of ['c', 'a', '50%', 'b_1', 'bx1']) await owner.make('groups', { name, description: `about ${name}` });
    const read = async (query: string) => names((await owner.list('groups', query)).data.items);
    expect(await read('&sortField=name&sortOrder=desc&limit=2&page=1')).toStrictEqual(['c', 'bx1']);
    expect(await read('&sortField=name&sortOrder=desc&limit=2&page=3')).toStrictEqual(['50%']);
    expect(await read('&search=%25')).toStrictEqual(['50%']);
    expect(await read('&search=B_1')).toStrictEqual(['b_1']);
    expect(await read('&search=ABOUT%20c')).toStrictEqual(['c']);
    const [first, second] = ids(...((await owner.list('groups', '&sortField=name')).data.items?.map((row) => row) ?? []));
    expect((await read(`&ids=${first},${second},${newId()}`))?.length).toBe(2);
    expect(await read('&ids=')).toStrictEqual([]);
    const page = (await owner.list('groups', '&limit=2')).data;
    expect([page.totalCount, page.hasNextPage]).toStrictEqual([5, true]);
    for (const wrong of [
      '&limit=-1',
      '&limit=0',
      '&limit=101',
      '&page=0',
      '&sortField=metadata',
      '&sortOrder=up',
      '&nothing=1',
      '&ids=x',
      '&relations=roles',
      '&limit=1.5',
    ]) {
      expect([wrong, (await owner.list('groups', wrong)).status]).toStrictEqual([wrong, 400]);
    }
  });

  test('lists are refused to strangers, in unknown scopes and without a token', async () => {
    const { owner, project } = await makeWorkshop(stack);
    for (const path of ['roles', 'groups', 'permissions', 'resources', 'tags']) {
      const url = `/api/${path}?scopeId=${project.id}&tenant=${project.tenant}`;
      expect((await stack.request('GET', url)).status).toBe(401);
      expect((await stack.request('GET', url, { token: stack.token({ userId: newId() }) })).status).toBe(403);
      expect(
        (await stack.request('GET', `/api/${path}?scopeId=${newId()}:${newId()}&tenant=organizationProject`, { token: owner.token }))
          .status,
      ).toBe(403);
      expect((await stack.request('GET', `/api/${path}?scopeId=${project.id}&tenant=organization`, { token: owner.token })).status).toBe(
        400,
      );
      expect((await stack.request('GET', `/api/${path}`, { token: owner.token })).status).toBe(400);
    }
  });

  test('unverified users cannot write in organizations, but can in personal accounts', async () => {
    const { acme, project } = await makeWorkshop(stack);
    const unverified = stack.token({ userId: acme.ownerId, isVerified: false });
    const blocked = await stack.request('POST', '/api/tags', { token: unverified, body: { scope: project, name: 't', color: 'red' } });
    expect([blocked.status, blocked.json.code]).toStrictEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    const home = await stack.makeAccount();
    const token = stack.token({ userId: home.ownerId, isVerified: false });
    expect((await stack.request('POST', '/api/tags', { token, body: { scope: home.scope, name: 't', color: 'red' } })).status).toBe(201);
  });
});
