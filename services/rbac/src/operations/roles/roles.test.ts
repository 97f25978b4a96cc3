import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

describe('roles', () => {
  it('are created, listed, changed and deleted in their organization (spec:rest.7, spec:scope.3)', async () => {
    const { scope, ownerId } = await stack.makeOrganization();
    const token = stack.token({ userId: ownerId });
    const created = await stack.request('POST', '/api/roles', { token, body: { scope, name: 'Auditor', metadata: { color: 'red' } } });
    assert.equal(created.status, 201, JSON.stringify([created.json, stack.lines]));
    assert.equal(created.data.name, 'Auditor');
    assert.deepEqual(created.data.metadata, { color: 'red' });
    assert.ok(created.headers.get('x-consistency-token'));
    const id = created.data.id;
    const query = `scopeId=${scope.id}&tenant=${scope.tenant}`;
    const listed = await stack.request('GET', `/api/roles?${query}&sortField=name`, { token });
    assert.deepEqual(
      listed.data.items?.map((role) => role.name),
      ['Admin', 'Auditor', 'Dev', 'Owner', 'Viewer'],
    );
    assert.equal(listed.data.totalCount, 5);
    const changed = await stack.request('PATCH', `/api/roles/${id}`, { token, body: { scope, description: 'reads' } });
    assert.deepEqual([changed.status, changed.data.name, changed.data.description], [200, 'Auditor', 'reads']);
    const deleted = await stack.request('DELETE', `/api/roles/${id}?${query}`, { token });
    assert.equal(deleted.status, 200);
    assert.ok(deleted.data.deletedAt);
    assert.equal((await stack.request('DELETE', `/api/roles/${id}?${query}`, { token })).status, 404);
  });

  it('of another organization are not found, and its scope is forbidden (spec:codes.4, spec:codes.6)', async () => {
    const [mine, theirs] = [await stack.makeOrganization(), await stack.makeOrganization()];
    const [token, other] = [stack.token({ userId: mine.ownerId }), stack.token({ userId: theirs.ownerId })];
    const { data } = await stack.request('POST', '/api/roles', { token: other, body: { scope: theirs.scope, name: 'Theirs' } });
    const patch = (scope: object) => stack.request('PATCH', `/api/roles/${data.id}`, { token, body: { scope, name: 'Mine' } });
    assert.equal((await patch(mine.scope)).status, 404);
    assert.equal((await patch(theirs.scope)).status, 403);
    assert.equal((await patch({ tenant: 'organization', id: newId() })).status, 403);
  });

  it('that are built in cannot be changed or deleted', async () => {
    const { scope, ownerId, roleId } = await stack.makeOrganization();
    const token = stack.token({ userId: ownerId });
    const renamed = await stack.request('PATCH', `/api/roles/${roleId('Viewer')}`, { token, body: { scope, name: 'Boss' } });
    assert.deepEqual([renamed.status, renamed.json.translationKey], [403, 'errors.rbac.builtIn']);
    const path = `/api/roles/${roleId('Viewer')}?scopeId=${scope.id}&tenant=organization`;
    assert.equal((await stack.request('DELETE', path, { token })).status, 403);
  });

  it('exist in GraphQL alike (spec:graphql.5, spec:graphql.10)', async () => {
    const { scope, ownerId } = await stack.makeOrganization();
    const token = stack.token({ userId: ownerId });
    const made = await stack.graphql(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { id name groups { id } } }',
      { input: { scope, name: 'Auditor' } },
      { token },
    );
    assert.deepEqual(made.json.errors, undefined, JSON.stringify([made.json, stack.lines]));
    assert.equal(made.data.createRole?.name, 'Auditor');
    const listed = await stack.graphql(
      'query ($input: RolesInput!) { roles(input: $input) { totalCount roles { name users { id } } } }',
      { input: { scope } },
      { token },
    );
    assert.equal(listed.data.roles?.totalCount, 5, JSON.stringify(listed.json));
  });
});
