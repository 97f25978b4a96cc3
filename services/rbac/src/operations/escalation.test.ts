import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import { until, waitingForMe } from '../../../../test/support/until.ts';
import { replaceRoles } from '../storage/assignments.ts';
import { createTenantChanges } from '../storage/tenants.ts';
import { startTestStack } from '../testing/service.ts';

/** An Admin's write that waits while the Admin becomes a Viewer is refused after that change. */
const stack = await startTestStack();
const database = stack.openDatabase();
afterAll(() => stack.stop());

async function makeWorld() {
  const acme = await stack.makeOrganization();
  const project = await stack.makeProject(acme.scope);
  const [adminId, otherId] = [await acme.addMember('Admin'), await acme.addMember('Viewer')];
  const [owner, admin] = [stack.token({ userId: acme.ownerId }), stack.token({ userId: adminId })];
  const call =
    (token: string) =>
    (method: string, path: string, body: object = {}, scope: Scope = acme.scope) =>
      method === 'DELETE'
        ? stack.request(method, `/api/${path}?scopeId=${scope.id}&tenant=${scope.tenant}`, { token })
        : stack.request(method, `/api/${path}`, { token, body: { scope, ...body } });
  const make = async (path: string, body: object): Promise<string> => `${(await call(owner)('POST', path, body)).data.id}`;
  const permission = await make('permissions', { name: 'p', action: 'Update', resourceId: builtInResourceId('Organization') });
  const group = await make('groups', { name: 'g' });
  const role = await make('roles', { name: 'r' });
  const tag = await make('tags', { name: 't', color: 'red' });
  const asAdmin = { actor: { type: 'session', userId: adminId, tokenId: newId(), scopes: [] }, scope: acme.scope, userId: otherId };
  return { acme, project, adminId, admin: call(admin), asAdmin, permission, group, role, tag, otherId };
}
type World = Awaited<ReturnType<typeof makeWorld>>;

type Rest = { readonly path: string; readonly body?: object; readonly scope?: Scope };

/** The writes of an Admin; each tells how it was refused, if it was. */
function overRest(method: string, asked: (w: World) => Rest) {
  return async (w: World): Promise<string | undefined> => {
    const { path, body, scope } = asked(w);
    const { status, json } = await w.admin(method, path, body, scope);
    return status < 300 ? undefined : `${json.code}`;
  };
}
function overGrpc(write: (w: World) => Promise<unknown>) {
  return (w: World): Promise<string | undefined> =>
    write(w).then(
      () => undefined,
      ({ kind }: { kind: string }) => kind.toUpperCase(),
    );
}
const writes: Readonly<Record<string, (w: World) => Promise<string | undefined>>> = {
  'a group with a right': overRest('POST', ({ permission }) => ({ path: 'groups', body: { name: 'new', permissionIds: [permission] } })),
  'a right into a group': overRest('PATCH', ({ group, permission }) => ({
    path: `groups/${group}`,
    body: { permissionIds: [permission] },
  })),
  'a group gone': overRest('DELETE', ({ group }) => ({ path: `groups/${group}` })),
  'a role with a group': overRest('POST', ({ group }) => ({ path: 'roles', body: { name: 'new', groupIds: [group] } })),
  'a group into a role': overRest('PATCH', ({ role, group }) => ({ path: `roles/${role}`, body: { groupIds: [group] } })),
  'a right into a role itself': overRest('PATCH', ({ role }) => ({
    path: `roles/${role}`,
    body: { permissions: [{ resourceId: builtInResourceId('Organization'), actions: ['Update'] }] },
  })),
  'a role gone': overRest('DELETE', ({ role }) => ({ path: `roles/${role}` })),
  'a permission': overRest('POST', () => {
    return { path: 'permissions', body: { name: 'new', action: 'Query', resourceId: builtInResourceId('Role') } };
  }),
  'a permission changed': overRest('PATCH', ({ permission }) => ({ path: `permissions/${permission}`, body: { action: 'Read' } })),
  'a permission gone': overRest('DELETE', ({ permission }) => ({ path: `permissions/${permission}` })),
  'a resource of a project': overRest('POST', ({ project: scope }) => {
    return { path: 'resources', body: { name: 'new', actions: ['Read'], createPermissions: true }, scope };
  }),
  'a tag': overRest('POST', () => ({ path: 'tags', body: { name: 'new', color: 'blue' } })),
  'a tag changed': overRest('PATCH', ({ tag }) => ({ path: `tags/${tag}`, body: { name: 'changed' } })),
  'a member’s role': overGrpc(({ acme, asAdmin }) => stack.clientOf(0).roles.changeMemberRole({ ...asAdmin, roleId: acme.roleId('Dev') })),
  'roles of a user': overGrpc(({ acme, asAdmin }) =>
    stack.clientOf(0).roles.setSubjectRoles({ ...asAdmin, roleIds: [acme.roleId('Dev')] }),
  ),
  'a membership’s end': overGrpc(({ asAdmin }) => stack.clientOf(0).roles.endMembership(asAdmin)),
};

/** Holds the tenant while the Admin becomes a Viewer, until the write waits for it. */
async function demoteMeanwhile({ acme, adminId }: World, write: () => Promise<string | undefined>) {
  const scope = parseScope(acme.scope);
  return database.transaction(async (tx) => {
    await createTenantChanges(() => undefined).bump(tx, scope);
    await replaceRoles(tx, scope, adminId, [acme.roleId('Viewer')]);
    const outcome = write();
    // A write that does not wait does not look at what the tenant is now.
    await until(async () => (await tx.query(sql(waitingForMe))).length > 0);
    return { outcome };
  });
}

describe('a write that waits while the actor loses the right to it', () => {
  for (const [what, write] of Object.entries(writes)) {
    test(`is refused: ${what}`, async () => {
      const w = await makeWorld();
      expect((await stack.check(w.adminId, w.acme.scope, 'Role:Create')).authorized).toBe(true);
      const { outcome } = await demoteMeanwhile(w, () => write(w));
      expect(await outcome).toBe('FORBIDDEN');
    });
    test(`succeeds when the right stays: ${what}`, async () => expect(await write(await makeWorld())).toBeUndefined());
  }
});
