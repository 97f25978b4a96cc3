import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../../tools/testing/until.ts';
import { apiKeysOf } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
before(async () => {
  stack = await startTestStack({ replicas: 2 });
});
after(() => stack.stop());

const { createKey, exchange, list, remove, revoke } = apiKeysOf(() => stack);

describe('revoking and deleting', () => {
  it('ends issued tokens on this instance at once, and on the other soon: test/faults measures how soon [spec:claims.7]', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const token = String((await exchange(credentials)).data['accessToken']);
      const path = `/api/api-keys?scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
      assert.equal((await stack.request('GET', path, { token, replica: 1 })).status, 200);
      await (end === 'revoke' ? revoke : remove)(project, id);
      assert.equal((await stack.request('GET', path, { token, replica: 0 })).status, 401);
      await until(async () => (await stack.request('GET', path, { token, replica: 1 })).status === 401);
    }
  });

  it('a revoked or deleted key is refused at the next exchange, on every instance', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const statuses = async () => [(await exchange(credentials, 0)).status, (await exchange(credentials, 1)).status];
      assert.deepEqual(await statuses(), [200, 200]);
      await (end === 'revoke' ? revoke : remove)(project, id);
      assert.deepEqual(await statuses(), [401, 401]);
    }
  });

  it('says when, and of a revocation by whom; twice changes nothing', async () => {
    const project = await stack.project();
    const [revoked, deleted, erased] = [await createKey(project), await createKey(project), await createKey(project)];
    const first = (await revoke(project, revoked.id)).data;
    const { isRevoked, revokedAt, revokedBy, updatedAt, deletedAt } = first;
    assert.deepEqual([isRevoked, revokedBy, updatedAt, deletedAt], [true, project.userId, revokedAt, null]);
    assert.ok(Math.abs(Date.parse(String(revokedAt)) - Date.now()) < 60_000);
    const again = await revoke(project, revoked.id);
    assert.deepEqual([again.status, again.data], [200, first]);
    const after = (await remove(project, revoked.id)).data;
    assert.deepEqual({ ...after, updatedAt, deletedAt }, first, 'what it was stays to be seen');
    assert.equal(after['deletedAt'], after['updatedAt']);
    for (const [id, more] of [
      [deleted.id, ''],
      [erased.id, '&hardDelete=true'],
    ] as const) {
      assert.equal(typeof (await remove(project, id, more)).data['deletedAt'], 'string');
      assert.equal((await remove(project, id, more)).status, 404, 'a second time');
      assert.equal((await revoke(project, id)).status, 404);
    }
    assert.equal((await list(project)).data['totalCount'], 0);
    const admin = await stack.admin();
    const { rows } = await admin.query('SELECT id FROM keys.api_keys WHERE id = ANY($1)', [[deleted.id, erased.id]]);
    await admin.end();
    assert.deepEqual(rows, [{ id: deleted.id }], 'only hardDelete removes the row');
  });

  it('of another place’s key finds nothing', async () => {
    const project = await stack.project();
    const other = await stack.project();
    const { id } = await createKey(project);
    assert.equal((await revoke(other, id)).status, 404);
    assert.equal((await revoke({ ...project, scope: project.userScope }, id)).status, 404, 'a project’s key is not one of its user’s');
    assert.equal((await remove(other, id)).status, 404);
    assert.equal((await list(project)).data['totalCount'], 1);
  });

  it('tells rbac who created the key, for those who may touch only their own', async () => {
    const project = await stack.project();
    const { id } = await createKey(project);
    await revoke(project, id);
    const check = stack.peers.checks.findLast(({ action }) => action === 'Revoke');
    assert.equal(JSON.parse(check?.targetJson ?? '')['createdBy'], project.userId);
  });
});
