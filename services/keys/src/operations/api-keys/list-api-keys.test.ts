import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { apiKeysOf } from '../../testing/api-keys.ts';
import { type Json, startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack();
});
after(() => stack.stop());

const { create, createKey, exchange, list } = apiKeysOf(() => stack);

function itemsOf(data: Json): readonly Json[] {
  return data['items'] as unknown as Json[];
}

describe('listing', () => {
  it('shows each place its own keys only, paged, searched and sorted', async () => {
    const project = await stack.project();
    for (const name of ['alpha', 'beta', '100%']) await createKey(project, { name, description: null });
    await createKey(project, { name: 'mine', scope: project.userScope, roleId: undefined });
    const namesOf = async (more: string, scope: { tenant: string; id: string } = project.scope) => {
      const { data, text } = await list({ ...project, scope }, more);
      assert.ok(data['items'], text);
      return { names: itemsOf(data).map(({ name }) => name), total: data['totalCount'], next: data['hasNextPage'] };
    };
    assert.deepEqual(await namesOf('&sortField=name'), { names: ['100%', 'alpha', 'beta'], total: 3, next: false });
    assert.deepEqual(await namesOf('&sortField=name&sortOrder=desc&limit=1&page=2'), { names: ['alpha'], total: 3, next: true });
    assert.deepEqual(await namesOf('&search=%25'), { names: ['100%'], total: 1, next: false });
    assert.deepEqual(await namesOf('', project.userScope), { names: ['mine'], total: 1, next: false });
  });

  it('shows every field that a key has, as it was made, and nothing of its secret', async () => {
    const project = await stack.project();
    const { token, scope, roleId, userId, userScope } = project;
    const body = { name: ' deploy ', description: 'from CI', expiresAt: '2999-01-01T00:00:00+02:00' };
    const made = await create(project, body);
    const { id, clientId, clientSecret, createdAt, ...rest } = made.data;
    const expected = {
      ...{ name: 'deploy', description: 'from CI', roleId, expiresAt: '2998-12-31T22:00:00.000Z', lastUsedAt: null },
      ...{ isRevoked: false, revokedAt: null, revokedBy: null, createdBy: userId, updatedAt: createdAt, deletedAt: null },
    };
    assert.deepEqual(rest, expected);
    assert.match(String(clientSecret), /^tsk_[\w-]{43}$/);
    assert.match(String(createdAt), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    assert.notEqual(clientId, id);
    assert.deepEqual((await list(project)).data['items'], [{ id, clientId, createdAt, ...expected }]);
    const own = await create(project, { scope: userScope, roleId: undefined });
    assert.deepEqual([own.data['roleId'], own.data['description'], own.data['expiresAt']], [null, null, null]);

    const before = Date.now();
    assert.equal((await exchange({ clientId, clientSecret, scope })).status, 200);
    const [used] = itemsOf((await list({ token, scope })).data);
    const usedAt = Date.parse(String(used?.['lastUsedAt']));
    assert.ok(usedAt >= before - 1_000 && usedAt <= Date.now() + 1_000);
    assert.deepEqual({ ...used, lastUsedAt: null }, { id, clientId, createdAt, ...expected }, 'a use is no change');
  });

  it('takes an exchange that was refused for no use', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    assert.equal((await exchange({ ...credentials, clientSecret: 'tsk_wrong' })).status, 401);
    assert.equal(itemsOf((await list(project)).data)[0]?.['lastUsedAt'], null);
  });
});
