import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
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
