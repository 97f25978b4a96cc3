import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '../domain/ids.ts';
import { type Json, startTestStack, type TestStack } from '../testing.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

/** An organization with a project, and its Owner's hands. */
const workshop = async () => {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const as = (userId: string, of: Scope = project) => {
    const token = stack.token({ userId });
    const query = `scopeId=${of.id}&tenant=${of.tenant}`;
    const post = (path: string, body: object) => stack.request('POST', `/api/${path}`, { token, body: { scope: of, ...body } });
    return {
      token,
      post,
      list: (path: string, more = '') => stack.request('GET', `/api/${path}?${query}${more}`, { token }),
      patch: (path: string, body: object) => stack.request('PATCH', `/api/${path}`, { token, body: { scope: of, ...body } }),
      remove: (path: string, more = '') => stack.request('DELETE', `/api/${path}?${query}${more}`, { token }),
      make: async (path: string, body: object): Promise<Json> => {
        const answer = await post(path, body);
        assert.equal(answer.status, 201, JSON.stringify(answer.json));
        return answer.data;
      },
    };
  };
  return { acme, project, as, owner: as(acme.ownerId), inOrganization: as(acme.ownerId, acme.scope) };
};
const names = (list: Json | undefined) => list?.map(({ name }) => name);
const ids = (...rows: Json[]) => rows.map(({ id }) => `${id}`);

describe('resources', () => {
  it('come with one permission for each action when asked (spec:rest.10)', async () => {
    const { owner } = await workshop();
    const made = await owner.make('resources', { name: 'Big Report', actions: ['Read', 'Write'], createPermissions: true });
    assert.deepEqual([made.slug, made.isBuiltIn, made.isActive], ['big-report', false, true]);
    assert.deepEqual(names(made.permissions), ['big-report:Read', 'big-report:Write']);
    const plain = await owner.make('resources', { name: 'Plain' });
    assert.deepEqual([plain.actions, plain.permissions], [[], undefined]);
  });

  it('keep a given slug exactly, or conflict; a derived one gets a suffix (spec:codes.7)', async () => {
    const { owner, acme } = await workshop();
    assert.equal((await owner.make('resources', { name: 'x', slug: 'Straße/Ü' })).slug, 'Straße/Ü');
    assert.equal((await owner.make('resources', { name: 'x', slug: 'straße/ü' })).slug, 'straße/ü');
    const taken = await owner.post('resources', { name: 'y', slug: 'Straße/Ü' });
    assert.deepEqual([taken.status, taken.json.extensions], [409, { resource: 'Resource', field: 'slug' }]);
    assert.equal((await owner.post('resources', { name: 'y', slug: 'Role' })).status, 409);
    for (const slug of ['a:b', 'a b', '']) assert.equal((await owner.post('resources', { name: 'y', slug })).status, 400, slug);
    const derived = [await owner.make('resources', { name: 'Same' }), await owner.make('resources', { name: 'same!' })];
    assert.deepEqual(
      derived.map(({ slug }) => slug),
      ['same', 'same-2'],
    );
    const sister = await stack.makeProject(acme.scope);
    const elsewhere = await stack.request('POST', '/api/resources', {
      token: owner.token,
      body: { scope: sister, name: 'x', slug: 'Straße/Ü' },
    });
    assert.equal(elsewhere.status, 201);
  });

  it('free their slug when they go, and take their permissions along', async () => {
    const { owner } = await workshop();
    for (const hard of ['', '&hardDelete=true']) {
      const made = await owner.make('resources', { name: 'Doc', slug: 'Doc', actions: ['Read'], createPermissions: true });
      assert.equal((await owner.remove(`resources/${made.id}`, hard)).status, 200);
      assert.equal((await owner.list('permissions')).data.totalCount, 0);
    }
    assert.equal((await owner.make('resources', { name: 'Doc', slug: 'Doc' })).slug, 'Doc');
  });

  it('that are built in are listed in every scope, first among others, and never changed', async () => {
    const { owner, inOrganization, acme } = await workshop();
    const { ownerId, scope } = await stack.makeAccount();
    const account = await stack.request('GET', `/api/resources?scopeId=${scope.id}&tenant=account&limit=100`, {
      token: stack.token({ userId: ownerId }),
    });
    assert.equal(account.data.totalCount, 17);
    assert.equal((await inOrganization.list('resources')).data.totalCount, 17);
    await owner.make('resources', { name: 'Own' });
    const listed = await owner.list('resources', '&search=own&sortField=name');
    assert.deepEqual(names(listed.data.items), ['Own']);
    assert.equal((await owner.list('resources')).data.totalCount, 18);
    const role = builtInResourceId('Role');
    for (const door of [owner, inOrganization]) {
      assert.equal((await door.patch(`resources/${role}`, { name: 'x' })).status, 403);
      assert.equal((await door.remove(`resources/${role}`)).status, 403);
    }
    assert.equal((await inOrganization.post('resources', { name: 'x' })).status, 400);
    assert.ok(acme);
  });
});

describe('permissions', () => {
  it('name an action that their resource has, in the same scope (spec:rest.9)', async () => {
    const { owner, acme, as } = await workshop();
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read'] });
    const made = await owner.make('permissions', { name: 'read', action: 'Read', resourceId: resource.id });
    assert.deepEqual([made.resourceId, made.action, made.condition], [resource.id, 'Read', null]);
    const unknown = await owner.post('permissions', { name: 'fly', action: 'Fly', resourceId: resource.id });
    assert.deepEqual([unknown.status, unknown.json.extensions?.field], [400, 'action']);
    assert.equal((await owner.post('permissions', { name: 'x', action: 'read', resourceId: resource.id })).status, 400);
    assert.equal((await owner.post('permissions', { name: 'x', action: 'Read', resourceId: newId() })).status, 404);
    const sister = as(acme.ownerId, await stack.makeProject(acme.scope));
    assert.equal((await sister.post('permissions', { name: 'x', action: 'Read', resourceId: resource.id })).status, 404);
    const moved = await owner.patch(`permissions/${made.id}`, { action: 'Query', resourceId: builtInResourceId('Role') });
    assert.deepEqual([moved.status, moved.data.action], [200, 'Query']);
    assert.equal((await owner.patch(`permissions/${made.id}`, { action: 'Fly' })).status, 400);
  });
});

describe('groups and roles', () => {
  it('bundle what the scope has, and nothing else (spec:rest.8, spec:relations.1)', async () => {
    const { owner, inOrganization } = await workshop();
    const resource = await owner.make('resources', { name: 'Doc', actions: ['Read', 'Write'], createPermissions: true });
    const [read, write] = ids(...(resource.permissions?.map((row) => row) ?? []));
    const group = await owner.make('groups', { name: 'readers', permissionIds: [read] });
    const role = await owner.make('roles', { name: 'Reader', groupIds: [group.id], description: 'reads' });
    const listed = await owner.list('roles', '&relations=groups,tags,users');
    assert.deepEqual(names(listed.data.items?.map((row) => row)[0]?.groups), ['readers']);
    const both = await owner.patch(`groups/${group.id}`, { permissionIds: [read, write] });
    assert.equal(both.status, 200);
    const withPermissions = await owner.list('groups', '&relations=permissions');
    assert.equal(withPermissions.data.items?.map((row) => row.permissions?.map(({ id }) => id).length)[0], 2);
    const foreign = await inOrganization.make('groups', { name: 'organization group' });
    assert.equal((await owner.patch(`roles/${role.id}`, { groupIds: [foreign.id] })).status, 404);
    assert.equal((await owner.post('roles', { name: 'x', groupIds: [newId()] })).status, 404);
    assert.equal((await owner.post('groups', { name: 'x', permissionIds: [newId()] })).status, 404);
    assert.equal((await owner.patch(`roles/${role.id}`, { groupIds: [] })).status, 200);
    assert.deepEqual(names((await owner.list('roles', '&relations=groups')).data.items?.map((row) => row)[0]?.groups), []);
  });

  it('show their users to those who may see users (spec:relations.6, spec:relations.7)', async () => {
    const { owner, project } = await workshop();
    const group = await owner.make('groups', { name: 'g' });
    const role = await owner.make('roles', { name: 'Reader', groupIds: [group.id] });
    const people = [await stack.join(project, [`${role.id}`]), await stack.join(project, [`${role.id}`])];
    for (const [index, id] of people.entries()) stack.peers.people.set(id, { name: `person ${index}`, metadata: {} });
    const calls = stack.peers.calls.getUsers;
    const rest = await owner.list('roles', '&relations=users');
    assert.deepEqual(names(rest.data.items?.map((row) => row)[0]?.users), ['person 0', 'person 1']);
    assert.equal(stack.peers.calls.getUsers, calls + 1);
    const listed = await owner.list('groups', '&relations=users');
    assert.equal(listed.data.items?.map((row) => row.users?.map(({ id }) => id).length)[0], 2);
  });
});

describe('no escalation', () => {
  it('lets nobody put into a group or role what they do not hold', async () => {
    const { acme, as, inOrganization } = await workshop();
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const dangerous = await dev.make('permissions', { name: 'all yours', action: 'Delete', resourceId: builtInResourceId('Organization') });
    const harmless = await dev.make('permissions', { name: 'roles', action: 'Create', resourceId: builtInResourceId('Role') });
    const refused = await dev.post('groups', { name: 'g', permissionIds: [harmless.id, dangerous.id] });
    assert.deepEqual([refused.status, refused.json.translationKey], [403, 'errors.rbac.escalation']);
    assert.equal(refused.json.extensions?.action, 'Organization:Delete');
    const group = await dev.make('groups', { name: 'g', permissionIds: [harmless.id] });
    assert.equal((await dev.patch(`groups/${group.id}`, { permissionIds: [harmless.id, dangerous.id] })).status, 403);
    // Neither through a permission that is in a group already, nor through a group that an Owner has filled.
    const turned = await dev.patch(`permissions/${harmless.id}`, { action: 'Delete', resourceId: builtInResourceId('Organization') });
    assert.equal(turned.status, 403);
    const filled = await inOrganization.make('groups', { name: 'of the owner', permissionIds: [dangerous.id] });
    assert.equal((await dev.post('roles', { name: 'r', groupIds: [filled.id] })).status, 403);
    const role = await inOrganization.make('roles', { name: 'r', groupIds: [filled.id] });
    assert.equal((await dev.patch(`roles/${role.id}`, { groupIds: [filled.id, group.id] })).status, 200, 'what was there may stay');
    assert.equal((await dev.patch(`permissions/${dangerous.id}`, { condition: null })).status, 403);
    assert.equal((await dev.patch(`permissions/${dangerous.id}`, { name: 'renamed' })).status, 200);
  });

  it('lets nobody write into a role or a group what a condition waits for', async () => {
    const { acme, as, inOrganization } = await workshop();
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const resourceId = builtInResourceId('Organization');
    const gold = (path: string) => ({ name: path, action: 'Delete', resourceId, condition: { Equals: { [`${path}.tier`]: 'gold' } } });
    const ofRole = await inOrganization.make('permissions', gold('role.metadata'));
    const ofGroup = await inOrganization.make('permissions', gold('group.metadata'));
    const group = await inOrganization.make('groups', { name: 'silver', permissionIds: [ofRole.id, ofGroup.id] });
    const role = await inOrganization.make('roles', { name: 'silver', groupIds: [group.id] });
    for (const path of [`roles/${role.id}`, `groups/${group.id}`]) {
      const refused = await dev.patch(path, { metadata: { tier: 'gold' } });
      assert.deepEqual([refused.status, refused.json.translationKey], [403, 'errors.rbac.escalation'], path);
      assert.equal((await dev.patch(path, { name: 'gold' })).status, 403, path);
      assert.equal((await dev.patch(path, { tagIds: [] })).status, 200, path);
      assert.equal((await inOrganization.patch(path, { metadata: { tier: 'gold' } })).status, 200, path);
    }
    const own = await dev.make('roles', { name: 'plain' });
    assert.equal((await dev.patch(`roles/${own.id}`, { metadata: { tier: 'gold' } })).status, 200);
  });

  it('keeps conditions and metadata small: they are read with every decision', async () => {
    const { owner } = await workshop();
    const { id: resourceId } = await owner.make('resources', { name: 'r', actions: ['Read'] });
    const long = 'x'.repeat(66_000);
    const condition = { Equals: { 'resource.a': long } };
    const permission = await owner.post('permissions', { name: 'p', action: 'Read', resourceId, condition });
    const role = await owner.post('roles', { name: 'r', metadata: { long } });
    for (const { status, json } of [permission, role])
      assert.deepEqual([status, json.code], [400, 'VALIDATION_ERROR'], JSON.stringify(json));
    assert.equal(permission.json.extensions?.field, 'condition');
    assert.equal(role.json.extensions?.field, 'metadata');
  });

  it('holds for own-only rights and for capped tokens', async () => {
    const { acme, project, as } = await workshop();
    const userId = await acme.addMember('Dev');
    const dev = as(userId, acme.scope);
    const own = { Equals: { 'resource.createdBy': '{{user.id}}' } };
    const resourceId = builtInResourceId('ApiKey');
    const free = await dev.make('permissions', { name: 'free', action: 'Delete', resourceId });
    const bound = await dev.make('permissions', { name: 'bound', action: 'Delete', resourceId, condition: own });
    assert.equal((await dev.post('groups', { name: 'g', permissionIds: [free.id] })).status, 403);
    assert.equal((await dev.post('groups', { name: 'g', permissionIds: [bound.id] })).status, 201);
    assert.equal((await dev.patch(`permissions/${bound.id}`, { condition: null })).status, 403);
    const app = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Group:Create', 'Permission:Create'] });
    const inApp = (path: string, body: object) => stack.request('POST', `/api/${path}`, { token: app, body: { scope: project, ...body } });
    const see = await inApp('permissions', { name: 'see', action: 'Query', resourceId: builtInResourceId('Role') });
    assert.equal(see.status, 201);
    assert.equal((await inApp('groups', { name: 'g', permissionIds: [see.data.id] })).status, 403);
    assert.equal((await inApp('roles', { name: 'r' })).status, 403);
    assert.equal((await inApp('groups', { name: 'empty' })).status, 201);
  });

  it('is asserted against rights as they are at the write', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { acme, as } = await workshop();
      const adminId = await acme.addMember('Admin');
      const admin = as(adminId, acme.scope);
      const permission = await admin.make('permissions', {
        name: 'update',
        action: 'Update',
        resourceId: builtInResourceId('Organization'),
      });
      const demotion = stack.clientOf(0).roles.changeMemberRole({
        actor: { type: 'session', userId: acme.ownerId, tokenId: newId(), scopes: [] },
        ...{ scope: acme.scope, userId: adminId, roleId: acme.roleId('Dev') },
      });
      const [, grant] = await Promise.all([demotion, admin.post('groups', { name: 'g', permissionIds: [permission.id] })]);
      assert.ok([201, 403].includes(grant.status));
      assert.equal((await admin.post('groups', { name: 'later', permissionIds: [permission.id] })).status, 403);
    }
  });
});

describe('tags', () => {
  it('are carried by entities of their scope; a list keeps those that carry all (spec:rest.12)', async () => {
    const { owner, inOrganization } = await workshop();
    const [red, blue] = [
      await owner.make('tags', { name: 'red', color: 'red' }),
      await owner.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const both = await owner.make('roles', { name: 'both', tagIds: ids(red, blue), primaryTagId: blue.id });
    const one = await owner.make('roles', { name: 'one', tagIds: [red.id] });
    assert.deepEqual([both.primaryTagId, one.primaryTagId], [blue.id, null]);
    const carrying = async (...tags: Json[]) =>
      names((await owner.list('roles', `&sortField=name&tagIds=${ids(...tags).join(',')}`)).data.items);
    assert.deepEqual([await carrying(red), await carrying(red, blue), await carrying(blue, blue)], [['both', 'one'], ['both'], ['both']]);
    assert.deepEqual(names((await owner.list('roles', '&sortField=name&relations=tags')).data.items?.map((row) => row)[0]?.tags), [
      'blue',
      'red',
    ]);
    const foreign = await inOrganization.make('tags', { name: 'far', color: 'green' });
    assert.equal((await owner.patch(`roles/${one.id}`, { tagIds: [foreign.id] })).status, 404);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: blue.id })).status, 400);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: red.id })).data.primaryTagId, red.id);
    assert.equal((await owner.patch(`roles/${one.id}`, { name: 'still' })).data.primaryTagId, red.id);
    assert.equal((await owner.patch(`roles/${one.id}`, { primaryTagId: null })).data.primaryTagId, null);
    assert.equal((await owner.remove(`tags/${blue.id}`)).status, 200);
    assert.deepEqual([await carrying(red), await carrying(blue)], [['both', 'one'].map((name) => (name === 'one' ? 'still' : name)), []]);
    assert.equal((await owner.list('roles', '&search=both')).data.items?.map(({ primaryTagId }) => primaryTagId)[0], null);
    assert.equal((await owner.post('tags', { name: 'x', color: 'black' })).status, 400);
  });

  it('of other services’ entities are kept over gRPC, within one scope', async () => {
    const { owner, inOrganization, acme, project } = await workshop();
    const { tags } = stack.clientOf(0);
    const [red, blue] = [
      await inOrganization.make('tags', { name: 'red', color: 'red' }),
      await inOrganization.make('tags', { name: 'blue', color: 'blue' }),
    ];
    const far = await owner.make('tags', { name: 'far', color: 'gray' });
    assert.deepEqual(await tags.checkTags({ scope: acme.scope, tagIds: ids(red, far) }), { missing: [far.id] });
    const [, projectId = ''] = project.id.split(':');
    for (const [entity, entityId] of [
      ['project', projectId],
      ['user', newId()],
    ] as const) {
      await tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(red, blue), primaryTagId: `${red.id}` });
      const { entities } = await tags.listEntityTags({ scope: acme.scope, entity, entityIds: [entityId, newId()] });
      assert.deepEqual(
        entities.map(({ tags: own, primaryTagId }) => [own.map(({ name }) => name), primaryTagId]),
        [
          [['blue', 'red'], red.id],
          [[], undefined],
        ],
      );
      assert.deepEqual(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red, blue) }), { entityIds: [entityId] });
      await tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(blue) });
      assert.deepEqual(await tags.listTaggedEntities({ scope: acme.scope, entity, tagIds: ids(red) }), { entityIds: [] });
      await assert.rejects(tags.setEntityTags({ scope: acme.scope, entity, entityId, tagIds: ids(far) }), { kind: 'not-found' });
    }
    await assert.rejects(tags.setEntityTags({ scope: acme.scope, entity: 'planet', entityId: newId(), tagIds: [] }), {
      kind: 'validation',
    });
  });
});

describe('lists', () => {
  it('page, sort, search and filter; what is unknown is refused', async () => {
    const { owner } = await workshop();
    for (const name of ['c', 'a', '50%', 'b_1', 'bx1']) await owner.make('groups', { name, description: `about ${name}` });
    const read = async (query: string) => names((await owner.list('groups', query)).data.items);
    assert.deepEqual(await read('&sortField=name&sortOrder=desc&limit=2&page=1'), ['c', 'bx1']);
    assert.deepEqual(await read('&sortField=name&sortOrder=desc&limit=2&page=3'), ['50%']);
    assert.deepEqual(await read('&search=%25'), ['50%']);
    assert.deepEqual(await read('&search=B_1'), ['b_1']);
    assert.deepEqual(await read('&search=ABOUT%20c'), ['c']);
    const [first, second] = ids(...((await owner.list('groups', '&sortField=name')).data.items?.map((row) => row) ?? []));
    assert.equal((await read(`&ids=${first},${second},${newId()}`))?.length, 2);
    assert.deepEqual(await read('&ids='), []);
    const page = (await owner.list('groups', '&limit=2')).data;
    assert.deepEqual([page.totalCount, page.hasNextPage], [5, true]);
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
      assert.equal((await owner.list('groups', wrong)).status, 400, wrong);
    }
  });

  it('are refused to strangers, in scopes that are none, and without a token', async () => {
    const { owner, project } = await workshop();
    for (const path of ['roles', 'groups', 'permissions', 'resources', 'tags']) {
      const url = `/api/${path}?scopeId=${project.id}&tenant=${project.tenant}`;
      assert.equal((await stack.request('GET', url)).status, 401);
      assert.equal((await stack.request('GET', url, { token: stack.token({ userId: newId() }) })).status, 403);
      assert.equal(
        (await stack.request('GET', `/api/${path}?scopeId=${newId()}:${newId()}&tenant=organizationProject`, { token: owner.token }))
          .status,
        403,
      );
      assert.equal(
        (await stack.request('GET', `/api/${path}?scopeId=${project.id}&tenant=organization`, { token: owner.token })).status,
        400,
      );
      assert.equal((await stack.request('GET', `/api/${path}`, { token: owner.token })).status, 400);
    }
  });

  it('and writes are blocked in organizations until the address is verified; personal ones are not', async () => {
    const { acme, project } = await workshop();
    const unverified = stack.token({ userId: acme.ownerId, isVerified: false });
    const blocked = await stack.request('POST', '/api/tags', { token: unverified, body: { scope: project, name: 't', color: 'red' } });
    assert.deepEqual([blocked.status, blocked.json.code], [403, 'EMAIL_VERIFICATION_REQUIRED']);
    const home = await stack.makeAccount();
    const token = stack.token({ userId: home.ownerId, isVerified: false });
    assert.equal((await stack.request('POST', '/api/tags', { token, body: { scope: home.scope, name: 't', color: 'red' } })).status, 201);
  });
});
