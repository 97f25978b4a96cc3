/** Who reads the log of an organization that was deleted (decision 019). */
import { afterAll, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { sql } from '@tessera/kernel/postgres';
import { call } from '../../testing/call.ts';
import { openTestService, type User } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

type Event = { readonly action: string; readonly scope: { readonly id: string } | null };

async function ask(user: User, query = '', limit = 100) {
  const url = `/api/audit-events?tenant=account&scopeId=${user.accountId}&limit=${limit}${query}`;
  return service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${user.token}` } });
}
/** What an account reads about an organization. */
async function read(user: User, organizationId: string, query?: string): Promise<string[]> {
  const answer = await ask(user, query);
  expect(answer.statusCode).toBe(200);
  const items: readonly Event[] = answer.json().data.items;
  return items.filter(({ scope }) => scope?.id.startsWith(organizationId)).map(({ action }) => action);
}
function remove(user: User, id: string, hardDelete = false) {
  return call(service, 'rest', 'deleteOrganization', { scope: { tenant: 'organization', id }, id, hardDelete }, user.token);
}

for (const hardDelete of [false, true])
  test(`an Owner reads the log of a deleted organization in the scope of the account (hardDelete ${hardDelete})`, async () => {
    const { owner, organizationId } = await service.createOrganization();
    const second = await service.addMember(organizationId, 'Owner');
    const [admin, viewer] = [await service.addMember(organizationId, 'Admin'), await service.addMember(organizationId, 'Viewer')];
    const stranger = await service.register('Sam Stranger');
    expect(await read(owner, organizationId)).toStrictEqual([]);
    expect((await remove(owner, organizationId, hardDelete)).status).toBe(200);
    for (const reader of [owner, second]) expect(await read(reader, organizationId)).toContain('organization.deleted');
    // rbac named the two Owners alone as readers.
    for (const other of [admin, viewer, stranger]) expect(await read(other, organizationId)).toStrictEqual([]);
    expect(await read(owner, organizationId, '&includeProjects=false')).toStrictEqual([]);
  });

test('the person who deletes an organization becomes no reader of its log by that', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const deleter = await service.addMember(organizationId, 'Owner');
  const before = service.deps.logReadersOf;
  Object.assign(service.deps, { logReadersOf: async () => ({ readers: [owner.id], exporters: [] }) });
  await remove(deleter, organizationId);
  Object.assign(service.deps, { logReadersOf: before });
  expect(await read(owner, organizationId)).toContain('organization.deleted');
  expect(await read(deleter, organizationId)).toStrictEqual([]);
});

test('who could read the log on a page alone exports none of it in the scope of the account', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const auditor = await service.addMember(organizationId, 'Viewer');
  const before = service.deps.logReadersOf;
  Object.assign(service.deps, { logReadersOf: async () => ({ readers: [owner.id, auditor.id], exporters: [owner.id] }) });
  await remove(owner, organizationId);
  Object.assign(service.deps, { logReadersOf: before });
  const exported = async (user: User) => {
    const url = `/api/audit-events/export?tenant=account&scopeId=${user.accountId}&format=ndjson`;
    const answer = await service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${user.token}` } });
    expect(answer.statusCode).toBe(200);
    return answer.body.includes('organization.deleted');
  };
  for (const reader of [owner, auditor]) expect(await read(reader, organizationId)).toContain('organization.deleted');
  expect([await exported(owner), await exported(auditor)]).toStrictEqual([true, false]);
});

test('nothing is deleted while rbac can not say who reads the log', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const before = service.deps.logReadersOf;
  Object.assign(service.deps, { logReadersOf: () => Promise.reject(failures.unavailable('rbac')) });
  const answer = await remove(owner, organizationId);
  Object.assign(service.deps, { logReadersOf: before });
  expect(answer.status).toBe(503);
  expect(await service.query<object>('SELECT FROM organizations WHERE id = $1 AND deleted_at IS NULL', [organizationId])).toHaveLength(1);
});

test('in the scope of another tenant neither readers can be added nor ended organizations be listed', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const [stranger, other] = [await service.register('Sam Stranger'), await service.createOrganization()];
  await remove(owner, organizationId);
  const inOther = { tenant: 'organization', id: other.organizationId, organizationId: other.organizationId } as const;
  // The function keeps readers of the transaction's own organization only.
  await service.database.scoped(inOther, (tx) => tx.query(sql('SELECT keep_readers_of_ended($1::uuid[], $1::uuid[])'), [[stranger.id]]));
  expect(await read(stranger, organizationId)).toStrictEqual([]);
  const seen = await service.database.scoped(inOther, (tx) => tx.query(sql('SELECT * FROM ended_organizations_of_account(false)'), []));
  expect(seen).toStrictEqual([]);
  const direct = service.database.scoped(inOther, (tx) => tx.query(sql('SELECT * FROM ended_organization_readers'), []));
  await expect(direct).rejects.toThrow(/permission denied/);
});

test('pages of the account and of what has ended are one list, without gaps and repetitions', async () => {
  const { owner, organizationId } = await service.createOrganization();
  await remove(owner, organizationId);
  const whole = (await ask(owner)).json().data.items.map(({ id }: { id: string }) => id);
  const paged: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const more: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const page = (await ask(owner, more, 1)).json().data;
    paged.push(...page.items.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor;
  }
  expect(whole.length).toBeGreaterThan(1);
  expect(paged).toStrictEqual(whole);
});
