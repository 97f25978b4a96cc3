import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiKeysOf } from '../../testing/api-keys.ts';
import { type Json, startTestStack, type TestStack } from '../../testing/service.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const { create, createKey, exchange, list } = apiKeysOf(() => stack);

function itemsOf(data: Json): readonly Json[] {
  return data['items'] as unknown as Json[];
}

describe('listing', () => {
  test('listApiKeys returns the keys of one place only, paged, searched and sorted', async () => {
    const project = await stack.project();
    for (const name of ['alpha', 'beta', '100%']) await createKey(project, { name, description: null });
    await createKey(project, { name: 'mine', scope: project.userScope, roleId: undefined });
    const namesOf = async (more: string, scope: { tenant: string; id: string } = project.scope) => {
      const { data, text } = await list({ ...project, scope }, more);
      expect([text, Boolean(data['items'])]).toStrictEqual([text, true]);
      return { names: itemsOf(data).map(({ name }) => name), total: data['totalCount'], next: data['hasNextPage'] };
    };
    expect(await namesOf('&sortField=name')).toStrictEqual({ names: ['100%', 'alpha', 'beta'], total: 3, next: false });
    expect(await namesOf('&sortField=name&sortOrder=desc&limit=1&page=2')).toStrictEqual({ names: ['alpha'], total: 3, next: true });
    expect(await namesOf('&search=%25')).toStrictEqual({ names: ['100%'], total: 1, next: false });
    expect(await namesOf('', project.userScope)).toStrictEqual({ names: ['mine'], total: 1, next: false });
  });

  test('listApiKeys returns every field of a key and nothing of its secret', async () => {
    const project = await stack.project();
    const { token, scope, roleId, userId, userScope } = project;
    const body = { name: ' deploy ', description: 'from CI', expiresAt: '2999-01-01T00:00:00+02:00' };
    const made = await create(project, body);
    const { id, clientId, clientSecret, createdAt, ...rest } = made.data;
    const expected = {
      name: 'deploy',
      description: 'from CI',
      roleId,
      expiresAt: '2998-12-31T22:00:00.000Z',
      lastUsedAt: null,

      isRevoked: false,
      revokedAt: null,
      revokedBy: null,
      createdBy: userId,
      parentKeyId: null,
      updatedAt: createdAt,
      deletedAt: null,
    };
    expect(rest).toStrictEqual(expected);
    expect(String(clientSecret)).toMatch(/^tsk_[\w-]{43}$/);
    expect(String(createdAt)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(clientId).not.toBe(id);
    expect((await list(project)).data['items']).toStrictEqual([{ id, clientId, createdAt, ...expected }]);
    const own = await create(project, { scope: userScope, roleId: undefined });
    expect([own.data['roleId'], own.data['description'], own.data['expiresAt']]).toStrictEqual([null, null, null]);

    const before = Date.now();
    expect((await exchange({ clientId, clientSecret, scope })).status).toBe(200);
    const [used] = itemsOf((await list({ token, scope })).data);
    const usedAt = Date.parse(String(used?.['lastUsedAt']));
    expect(usedAt).toBeGreaterThanOrEqual(before - 1_000);
    expect(usedAt).toBeLessThanOrEqual(Date.now() + 1_000);
    // A use is no change.
    expect({ ...used, lastUsedAt: null }).toStrictEqual({ id, clientId, createdAt, ...expected });
  });

  test('a refused exchange does not change lastUsedAt', async () => {
    const project = await stack.project();
    const { credentials } = await createKey(project);
    expect((await exchange({ ...credentials, clientSecret: 'tsk_wrong' })).status).toBe(401);
    expect(itemsOf((await list(project)).data)[0]?.['lastUsedAt']).toBeNull();
  });
});

describe('use over time', () => {
  const useOf = ({ token, scope }: Parameters<typeof list>[0], id: string, period = 'day') =>
    stack.request('GET', `/api/api-keys/${id}/use?${new URLSearchParams({ tenant: scope.tenant, scopeId: scope.id, period })}`, { token });

  test('counts the exchanges of one key, by the hour or by the day, and no other key’s', async () => {
    const project = await stack.project();
    const [used, other] = [await createKey(project), await createKey(project)];
    for (let times = 0; times < 3; times += 1) expect((await exchange(used.credentials)).status).toBe(200);
    await exchange(other.credentials);
    await exchange({ ...used.credentials, clientSecret: 'tsk_wrong' });
    const { status, data, text } = await useOf(project, used.id);
    expect(status).toStrictEqualFor(text, 200);
    const counts = data['counts'] as unknown as readonly { readonly at: string; readonly exchanged: number }[];
    expect([data['unit'], counts.length]).toStrictEqual(['hour', 24]);
    expect(counts.map(({ at }) => at)).toStrictEqual(counts.map(({ at }) => at).sort());
    expect(counts.reduce((sum, { exchanged }) => sum + exchanged, 0)).toBe(3);
    const month = (await useOf(project, used.id, 'month')).data['counts'] as unknown as typeof counts;
    expect([month.length, month.at(-1)?.exchanged]).toStrictEqual([30, 3]);
  });

  test('is found in the key’s own place only: not by another project, and that of a person’s key only in theirs', async () => {
    const [project, other] = [await stack.project(), await stack.project()];
    const key = await createKey(project);
    const mine = await createKey(project, { scope: project.userScope, roleId: undefined });
    expect((await useOf(other, key.id)).status).toBe(404);
    expect((await useOf(project, mine.id)).status).toBe(404);
    expect((await useOf({ ...project, scope: project.userScope }, mine.id)).status).toBe(200);
    expect((await useOf(project, key.id, 'century')).status).toBe(400);
  });
});
