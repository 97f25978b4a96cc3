import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { until } from '../../../../../test/support/until.ts';
import { makeWorkshop, names } from '../../testing/scenario.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack();
afterAll(() => stack.stop());

describe('roles', () => {
  test('roles are created, listed, changed and deleted in their organization (spec:rest.7, spec:scope.3)', async () => {
    const { scope, token } = await stack.makeOrganization();
    const created = await stack.request('POST', '/api/roles', { token, body: { scope, name: 'Auditor', metadata: { color: 'red' } } });
    expect(created.status).toStrictEqualFor([created.json, stack.lines], 201);
    expect(created.data.name).toBe('Auditor');
    expect(created.data.metadata).toStrictEqual({ color: 'red' });
    expect(created.headers.get('x-consistency-token')).toBeTruthy();
    const id = created.data.id;
    const query = `scopeId=${scope.id}&tenant=${scope.tenant}`;
    const listed = await stack.request('GET', `/api/roles?${query}&sortField=name`, { token });
    expect(listed.data.items?.map((role) => role.name)).toStrictEqual(['Admin', 'Auditor', 'Dev', 'Owner', 'Provisioning', 'Viewer']);
    expect(listed.data.totalCount).toBe(6);
    const changed = await stack.request('PATCH', `/api/roles/${id}`, { token, body: { scope, description: 'reads' } });
    expect([changed.status, changed.data.name, changed.data.description]).toStrictEqual([200, 'Auditor', 'reads']);
    const deleted = await stack.request('DELETE', `/api/roles/${id}?${query}`, { token });
    expect(deleted.status).toBe(200);
    expect(deleted.data.deletedAt).toBeTruthy();
    expect((await stack.request('DELETE', `/api/roles/${id}?${query}`, { token })).status).toBe(404);
  });

  test('roles of another organization are not found, and its scope is forbidden (spec:codes.4, spec:codes.6)', async () => {
    const [mine, theirs] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const [token, other] = [stack.token({ userId: mine.ownerId }), stack.token({ userId: theirs.ownerId })];
    const { data } = await stack.request('POST', '/api/roles', { token: other, body: { scope: theirs.scope, name: 'Theirs' } });
    const patch = (scope: object) => stack.request('PATCH', `/api/roles/${data.id}`, { token, body: { scope, name: 'Mine' } });
    expect((await patch(mine.scope)).status).toBe(404);
    expect((await patch(theirs.scope)).status).toBe(403);
    expect((await patch({ tenant: 'organization', id: newId() })).status).toBe(403);
  });

  test('built-in roles cannot be changed or deleted', async () => {
    const { scope, roleId, token } = await stack.makeOrganization();
    const renamed = await stack.request('PATCH', `/api/roles/${roleId('Viewer')}`, { token, body: { scope, name: 'Boss' } });
    expect([renamed.status, renamed.json.translationKey]).toStrictEqual([403, 'errors.rbac.builtIn']);
    const path = `/api/roles/${roleId('Viewer')}?scopeId=${scope.id}&tenant=organization`;
    expect((await stack.request('DELETE', path, { token })).status).toBe(403);
  });

  test('roles are created and listed over GraphQL (spec:graphql.5, spec:graphql.10)', async () => {
    const { scope, token } = await stack.makeOrganization();
    const made = await stack.graphql(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { id name groups { id } } }',
      { input: { scope, name: 'Auditor' } },
      { token },
    );
    expect(made.json.errors).toStrictEqualFor([made.json, stack.lines], undefined);
    expect(made.data.createRole?.name).toBe('Auditor');
    const listed = await stack.graphql(
      'query ($input: RolesInput!) { roles(input: $input) { totalCount roles { name users { id } } } }',
      { input: { scope } },
      { token },
    );
    expect(listed.data.roles?.totalCount).toStrictEqualFor(listed.json, 6);
  });
});

type Heard = (typeof stack.peers.heard)[number];

describe('what is set in a role itself', () => {
  /** A project with an invoice, and one who has the role. */
  async function world() {
    const workshop = await makeWorkshop(stack);
    const { owner, project } = workshop;
    const invoice = await owner.make('resources', { name: 'Invoice', slug: 'invoice', actions: ['read', 'pay', 'void'] });
    const may = async (userId: string, action: string) => (await stack.check(userId, project, `invoice:${action}`)).authorized;
    const give = (...actions: string[]) => ({ permissions: [{ resourceId: invoice.id, actions }] });
    const groupsOf = async (roleId: unknown) => (await owner.list('roles', `&ids=${roleId}&relations=groups`)).data.items?.[0]?.groups;
    const count = async (path: string) => Number((await owner.list(path)).data.totalCount);
    return { ...workshop, invoice, may, give, groupsOf, count };
  }

  test('is given by one call, in a group of the role’s own, and decides at once', async () => {
    const { owner, project, may, give, groupsOf, invoice } = await world();
    const standing = await owner.make('permissions', { name: 'read them', action: 'read', resourceId: invoice.id });
    const role = await owner.make('roles', { name: 'Clerk', ...give('read', 'pay') });
    const person = await stack.join(project, [`${role.id}`]);
    expect([await may(person, 'read'), await may(person, 'pay'), await may(person, 'void')]).toStrictEqual([true, true, false]);
    const [group, ...others] = (await groupsOf(role.id)) as unknown as { name: string; roleId: string }[];
    expect([group?.name, group?.roleId, others]).toStrictEqual(['Clerk', role.id, []]);
    // A permission that is there is not made again.
    const permissions = (await owner.list('permissions', '&sortField=name')).data.items;
    expect(names(permissions)).toStrictEqual(['invoice:pay', 'read them']);
    expect(permissions?.map(({ id }) => id)).toContain(standing.id);
  });

  test('is replaced by another set; a condition stays while its action is named', async () => {
    const { owner, project, may, give, invoice } = await world();
    const role = await owner.make('roles', { name: 'Clerk', ...give('read', 'pay') });
    const person = await stack.join(project, [`${role.id}`]);
    const paying = (await owner.list('permissions', '&search=pay')).data.items?.[0];
    const condition = { Equals: { 'user.id': person } };
    expect((await owner.patch(`permissions/${paying?.id}`, { condition })).status).toBe(200);
    expect((await owner.patch(`roles/${role.id}`, give('pay', 'void'))).status).toBe(200);
    expect([await may(person, 'read'), await may(person, 'pay'), await may(person, 'void')]).toStrictEqual([false, true, true]);
    const inPay = (await owner.list('permissions', '&search=invoice:pay')).data.items;
    expect(inPay?.map(({ condition: now }) => now)).toStrictEqual([condition]);
    const rows = await stack.openDatabase().query<{ change: unknown }>(
      sql(`SELECT change FROM audit_log, jsonb_array_elements(changes) AS change
          WHERE target_id = $1 AND action = 'role.updated' AND change->>'field' = 'permissions'`),
      [role.id],
    );
    const given = (...actions: string[]) => [{ resourceId: invoice.id, actions }];
    expect(rows.map(({ change }) => change)).toStrictEqual([
      { field: 'permissions', before: given('pay', 'read'), after: given('pay', 'void') },
    ]);
  });

  test('tells of growth those who have the role, and of none when nothing is added', async () => {
    const { owner, project, give } = await world();
    const role = await owner.make('roles', { name: 'Clerk', ...give('read', 'pay') });
    const person = await stack.join(project, [`${role.id}`]);
    // Several services hear of each.
    const isOfPerson = ({ type, payloadJson }: Heard) => type === 'rights.grew' && payloadJson.includes(person);
    const grown = () => new Set(stack.peers.heard.filter(isOfPerson).map(({ id }) => id)).size;
    await owner.patch(`roles/${role.id}`, give('read'));
    await owner.patch(`roles/${role.id}`, give('read', 'void'));
    await until(() => grown() > 0);
    expect(grown()).toBe(1);
  });

  test('keeps other groups, has the name of the role, and ends with it', async () => {
    const { owner, give, groupsOf, count } = await world();
    const shared = await owner.make('groups', { name: 'shared' });
    const role = await owner.make('roles', { name: 'Clerk', groupIds: [shared.id], ...give('read') });
    await owner.patch(`roles/${role.id}`, { name: 'Accountant', ...give('read', 'pay') });
    expect(names(await groupsOf(role.id))).toStrictEqual(['Accountant', 'shared']);
    // A group of that name is there already: names tell groups apart in manifests.
    await owner.patch(`roles/${role.id}`, { name: 'shared' });
    expect(names(await groupsOf(role.id))).toStrictEqual(['shared', 'shared (role)']);
    expect(await count('groups')).toBe(2);
    expect((await owner.remove(`roles/${role.id}`, '&hardDelete=false')).status).toBe(200);
    expect(names((await owner.list('groups')).data.items)).toStrictEqual(['shared']);
    const gone = await owner.make('roles', { name: 'Clerk', ...give('read') });
    expect((await owner.remove(`roles/${gone.id}`, '&hardDelete=true')).status).toBe(200);
    expect(await count('groups')).toBe(1);
  });

  test('is of that role alone: no other role gets its group, and it is no built-in role’s', async () => {
    const { owner, acme, inOrganization, give, groupsOf } = await world();
    const role = await owner.make('roles', { name: 'Clerk', ...give('read') });
    const groupIds = (await groupsOf(role.id))?.map(({ id }) => `${id}`) ?? [];
    const other = await owner.make('roles', { name: 'Other' });
    const refused = await owner.patch(`roles/${other.id}`, { groupIds });
    expect([refused.status, refused.json.translationKey]).toStrictEqual([400, 'errors.rbac.ownGroup']);
    expect((await owner.post('roles', { name: 'Third', groupIds })).status).toBe(400);
    expect((await owner.patch(`roles/${role.id}`, { groupIds })).status).toBe(200);
    const viewer = await inOrganization.patch(`roles/${acme.roleId('Viewer')}`, { permissions: [] });
    expect([viewer.status, viewer.json.translationKey]).toStrictEqual([403, 'errors.rbac.builtIn']);
  });

  test('is made whole or not at all: an unknown action or resource leaves neither role nor permission', async () => {
    const { owner, invoice, give, count } = await world();
    const elsewhere = await world();
    const wrong = [
      give('read', 'fly'),
      {
        permissions: [
          { resourceId: invoice.id, actions: ['read'] },
          { resourceId: elsewhere.invoice.id, actions: ['read'] },
        ],
      },
      {
        permissions: Array.from({ length: 6 }, (_, at) => ({
          resourceId: newId(),
          actions: Array.from({ length: 200 }, (__, n) => `${at}-${n}`),
        })),
      },
    ];
    const answers = [];
    for (const body of wrong) answers.push((await owner.post('roles', { name: 'Half', ...body })).status);
    expect(answers).toStrictEqual([400, 404, 400]);
    expect([await count('roles'), await count('permissions'), await count('groups')]).toStrictEqual([0, 0, 0]);
  });

  test('is given by nobody who does not hold it, or may not make what it needs', async () => {
    const { acme, as, project, inOrganization, give } = await world();
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const resourceId = builtInResourceId('Organization');
    const ending = { permissions: [{ resourceId, actions: ['Delete'] }] };
    const refused = await dev.post('roles', { name: 'Boss', ...ending });
    expect([refused.status, refused.json.translationKey]).toStrictEqual([403, 'errors.rbac.escalation']);
    const role = await inOrganization.make('roles', { name: 'Boss', ...ending });
    // What was there may stay, and be taken away; it does not come back by the Dev.
    expect((await dev.patch(`roles/${role.id}`, ending)).status).toBe(200);
    expect((await dev.patch(`roles/${role.id}`, { permissions: [] })).status).toBe(200);
    expect((await dev.patch(`roles/${role.id}`, ending)).status).toBe(403);
    const asApp = (...scopes: string[]) => {
      const token = stack.token({ userId: acme.ownerId, type: 'projectApp', project, scopes: ['Role:Create', ...scopes] });
      return stack.request('POST', '/api/roles', { token, body: { scope: project, name: 'By an app', ...give('read') } });
    };
    const statuses = [];
    for (const scopes of [[], ['Group:Create'], ['Permission:Create'], ['Group:Create', 'Permission:Create']])
      statuses.push((await asApp(...scopes)).status);
    expect(statuses).toStrictEqual([403, 403, 403, 201]);
  });

  test('that was taken out of the role is compared again when it comes back', async () => {
    const { acme, as, inOrganization } = await world();
    const dev = as(await acme.addMember('Dev'), acme.scope);
    const ending = { permissions: [{ resourceId: builtInResourceId('Organization'), actions: ['Delete'] }] };
    const role = await inOrganization.make('roles', { name: 'Boss', ...ending });
    expect((await dev.patch(`roles/${role.id}`, { groupIds: [] })).status).toBe(200);
    expect((await dev.patch(`roles/${role.id}`, ending)).status).toBe(403);
    expect((await inOrganization.patch(`roles/${role.id}`, ending)).status).toBe(200);
  });

  test('is a part of the role: who edits the role sees that its group was changed', async () => {
    const { owner, give, groupsOf } = await world();
    const role = await owner.make('roles', { name: 'Clerk', ...give('read') });
    const [group] = (await groupsOf(role.id))?.map(({ id }) => `${id}`) ?? [];
    expect((await owner.patch(`groups/${group}`, { permissionIds: [] })).status).toBe(200);
    const now = (await owner.list('roles', `&ids=${role.id}`)).data.items?.[0];
    expect(`${now?.updatedAt}` > `${role.updatedAt}`).toBe(true);
  });
});
