/** The stored count of members always equals an actual count. */

import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { call } from '../testing/call.ts';
import { openTestService } from '../testing/service.ts';
import { pageMembers } from './member-page.ts';
import { addMember, removeMember } from './members.ts';
import { deletePerson } from './people.ts';
import { pagePeople } from './people-page.ts';
import { foldMemberCounts } from './retention.ts';
import { createSearchTotals } from './search-totals.ts';

const totals = createSearchTotals();
const service = await openTestService();
afterAll(() => service.close());

const firstPage = { page: 1, limit: 10, sortField: 'name', sortOrder: 'asc' } as const;

/** For every organization that has or had members: the stored count and an actual count. */
async function assertExact(): Promise<void> {
  const off = await service.query(
    `SELECT organization_id, kept.n AS kept, coalesce(found.n, 0) AS found
     FROM (SELECT organization_id, sum(change)::bigint AS n FROM organization_user_changes GROUP BY 1) AS kept
     FULL JOIN (SELECT organization_id, count(*) AS n FROM organization_users GROUP BY 1) AS found USING (organization_id)
     WHERE kept.n IS DISTINCT FROM coalesce(found.n, 0)`,
  );
  expect(off).toStrictEqual([]);
}

async function totalOf(organizationId: string): Promise<number> {
  const scope = parseScope({ tenant: 'organization', id: organizationId });
  const [members, people] = await service.database.scoped(scope, (tx) =>
    Promise.all([pageMembers(tx, totals, organizationId, firstPage), pagePeople(tx, totals, { organizationId }, firstPage)]),
  );
  expect(members.totalCount).toBe(people.totalCount);
  return members.totalCount;
}

describe('organization_user_count()', () => {
  test('counts members after joining, leaving, rejoining, deletion and rolled-back changes', async () => {
    const { organizationId, owner } = await service.createOrganization('Counted');
    const second = (await service.createOrganization('Beside')).organizationId;
    const people = await Promise.all(Array.from({ length: 6 }, (_, index) => service.addMember(organizationId, 'Dev', `Dev ${index}`)));
    expect(await totalOf(organizationId)).toBe(7);
    const [first, other, third] = people;
    assert.ok(first && other && third);
    await service.database.transaction(async (tx) => {
      expect(await addMember(tx, organizationId, first.id)).toBe('already');
      expect(await addMember(tx, second, first.id)).toBe('added');
      expect(await removeMember(tx, organizationId, other.id)).toBe(true);
      expect(await removeMember(tx, organizationId, other.id)).toBe(false);
    });
    expect([await totalOf(organizationId), await totalOf(second)]).toStrictEqual([6, 2]);
    await expect(
      service.database.transaction(async (tx) => {
        await removeMember(tx, organizationId, third.id);
        throw new Error('called off');
      }),
    ).rejects.toThrow();
    await service.database.transaction((tx) => deletePerson(tx, first.id, new Date().toISOString()));
    expect([await totalOf(organizationId), await totalOf(second)]).toStrictEqual([5, 1]);
    await assertExact();
    const scope = { tenant: 'organization', id: organizationId };
    await call(service, 'rest', 'deleteOrganization', { scope, id: organizationId, hardDelete: true }, owner.token);
    await assertExact();
  });

  test('returns the same count before and after folding, with concurrent joins and leaves', async () => {
    const { organizationId } = await service.createOrganization('Folded');
    const people = await Promise.all(Array.from({ length: 12 }, (_, index) => service.register(`Person ${index}`, 'personal')));
    const come = people.map(({ id }) => service.database.transaction((tx) => addMember(tx, organizationId, id)));
    const folds = Array.from({ length: 4 }, () => service.database.transaction(foldMemberCounts));
    await Promise.all([...come, ...folds]);
    expect(await totalOf(organizationId)).toBe(13);
    await Promise.all([
      ...people.slice(3).map(({ id }) => service.database.transaction((tx) => removeMember(tx, organizationId, id))),
      ...Array.from({ length: 4 }, () => service.database.transaction(foldMemberCounts)),
    ]);
    expect(await totalOf(organizationId)).toBe(4);
    await service.database.transaction(foldMemberCounts);
    expect(await service.query('SELECT change FROM organization_user_changes WHERE organization_id = $1', [organizationId])).toStrictEqual([
      { change: 4 },
    ]);
    await assertExact();
  });

  test('stays right because memberships cannot be moved or truncated', async () => {
    const { organizationId } = await service.createOrganization('Fixed');
    const attempts = [
      `UPDATE organization_users SET organization_id = '${newId()}' WHERE organization_id = '${organizationId}'`,
      'TRUNCATE organization_users',
    ];
    for (const text of attempts)
      await expect(service.database.transaction((tx) => tx.execute(sql(text)))).rejects.toThrow(/not moved or truncated/);
  });

  test('pages count members themselves when no scope is set, as with row-level security off', async () => {
    const { organizationId } = await service.createOrganization('Unscoped');
    const { totalCount } = await service.database.transaction((tx) => pageMembers(tx, totals, organizationId, firstPage));
    expect(totalCount).toBe(1);
  });
});
