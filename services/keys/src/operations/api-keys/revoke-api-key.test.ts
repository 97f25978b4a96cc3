import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../../../../test/support/until.ts';
import { apiKeysOf } from '../../testing/api-keys.ts';
import { startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ replicas: 2 });
});
afterAll(() => stack.stop());

const { createKey, exchange, list, remove, revoke } = apiKeysOf(() => stack);

describe('revoking and deleting', () => {
  test('revoking or deleting a key ends its tokens on this instance at once, and on the other soon (test/journeys/faults measures how soon) [spec:claims.7]', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const token = String((await exchange(credentials)).data['accessToken']);
      const path = `/api/api-keys?scopeId=${project.scope.id}&tenant=${project.scope.tenant}`;
      expect((await stack.request('GET', path, { token, replica: 1 })).status).toBe(200);
      await (end === 'revoke' ? revoke : remove)(project, id);
      expect((await stack.request('GET', path, { token, replica: 0 })).status).toBe(401);
      await until(async () => (await stack.request('GET', path, { token, replica: 1 })).status === 401);
    }
  });

  test('a revoked or deleted key is refused at the next exchange, on every instance', async () => {
    const project = await stack.project();
    for (const end of ['revoke', 'delete'] as const) {
      const { id, credentials } = await createKey(project);
      const statuses = async () => [(await exchange(credentials, 0)).status, (await exchange(credentials, 1)).status];
      expect(await statuses()).toStrictEqual([200, 200]);
      await (end === 'revoke' ? revoke : remove)(project, id);
      expect(await statuses()).toStrictEqual([401, 401]);
    }
  });

  test('revokeApiKey returns when and by whom, and a second call changes nothing', async () => {
    const project = await stack.project();
    const [revoked, deleted, erased] = [await createKey(project), await createKey(project), await createKey(project)];
    const first = (await revoke(project, revoked.id)).data;
    const { isRevoked, revokedAt, revokedBy, updatedAt, deletedAt } = first;
    expect([isRevoked, revokedBy, updatedAt, deletedAt]).toStrictEqual([true, project.userId, revokedAt, null]);
    expect(Math.abs(Date.parse(String(revokedAt)) - Date.now())).toBeLessThan(60_000);
    const again = await revoke(project, revoked.id);
    expect([again.status, again.data]).toStrictEqual([200, first]);
    const after = (await remove(project, revoked.id)).data;
    // What it was stays to be seen.
    expect({ ...after, updatedAt, deletedAt }).toStrictEqual(first);
    expect(after['deletedAt']).toBe(after['updatedAt']);
    for (const [id, more] of [
      [deleted.id, ''],
      [erased.id, '&hardDelete=true'],
    ] as const) {
      expect(typeof (await remove(project, id, more)).data['deletedAt']).toBe('string');
      // A second time.
      expect((await remove(project, id, more)).status).toBe(404);
      expect((await revoke(project, id)).status).toBe(404);
    }
    expect((await list(project)).data['totalCount']).toBe(0);
    const admin = await stack.database.connect();
    const { rows } = await admin.query('SELECT id FROM keys.api_keys WHERE id = ANY($1)', [[deleted.id, erased.id]]);
    // Only hardDelete removes the row.
    expect(rows).toStrictEqual([{ id: deleted.id }]);
  });

  test('revoking or deleting a key of another place is a 404', async () => {
    const project = await stack.project();
    const other = await stack.project();
    const { id } = await createKey(project);
    expect((await revoke(other, id)).status).toBe(404);
    // A project’s key is not one of its user’s.
    expect((await revoke({ ...project, scope: project.userScope }, id)).status).toBe(404);
    expect((await remove(other, id)).status).toBe(404);
    expect((await list(project)).data['totalCount']).toBe(1);
  });

  test('revokeApiKey sends the key’s creator to rbac, for conditions on own keys', async () => {
    const project = await stack.project();
    const { id } = await createKey(project);
    await revoke(project, id);
    const check = stack.peers.checks.findLast(({ action }) => action === 'Revoke');
    expect(JSON.parse(check?.targetJson ?? '')['createdBy']).toBe(project.userId);
  });
});
