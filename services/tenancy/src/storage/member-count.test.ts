/** The kept count of members: what it says is what counting finds, whatever happened. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { call } from '../testing/call.ts';
import { openStage, type Stage } from '../testing/service.ts';
import { pageMembers } from './member-page.ts';
import { addMember, removeMember } from './members.ts';
import { buryPerson } from './people.ts';
import { pagePeople } from './people-page.ts';
import { foldMemberCounts } from './retention.ts';
import { createSearchTotals } from './search-totals.ts';

const totals = createSearchTotals();
let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

const firstPage = { page: 1, limit: 10, sortField: 'name', sortOrder: 'asc' } as const;

/** Of every organization that has or had members: what is kept, and what there is. */
async function assertExact(): Promise<void> {
  const off = await stage.rows(
    `SELECT organization_id, kept.n AS kept, coalesce(found.n, 0) AS found
     FROM (SELECT organization_id, sum(change)::bigint AS n FROM organization_user_changes GROUP BY 1) AS kept
     FULL JOIN (SELECT organization_id, count(*) AS n FROM organization_users GROUP BY 1) AS found USING (organization_id)
     WHERE kept.n IS DISTINCT FROM coalesce(found.n, 0)`,
  );
  assert.deepEqual(off, []);
}

async function totalOf(organizationId: string): Promise<number> {
  const scope = parseScope({ tenant: 'organization', id: organizationId });
  const [members, people] = await stage.database.scoped(scope, (tx) =>
    Promise.all([pageMembers(tx, totals, organizationId, firstPage), pagePeople(tx, totals, { organizationId }, firstPage)]),
  );
  assert.equal(members.totalCount, people.totalCount);
  return members.totalCount;
}

describe('how many members an organization has', () => {
  it('follows those who join, leave, come back, are deleted, and those whose change did not stand', async () => {
    const { organizationId, owner } = await stage.found('Counted');
    const second = (await stage.found('Beside')).organizationId;
    const people = await Promise.all(Array.from({ length: 6 }, (_, index) => stage.join(organizationId, 'Dev', `Dev ${index}`)));
    assert.equal(await totalOf(organizationId), 7);
    const [first, other, third] = people;
    assert.ok(first && other && third);
    await stage.database.transaction(async (tx) => {
      assert.equal(await addMember(tx, organizationId, first.id), 'already');
      assert.equal(await addMember(tx, second, first.id), 'added');
      assert.equal(await removeMember(tx, organizationId, other.id), true);
      assert.equal(await removeMember(tx, organizationId, other.id), false);
    });
    assert.deepEqual([await totalOf(organizationId), await totalOf(second)], [6, 2]);
    await assert.rejects(
      stage.database.transaction(async (tx) => {
        await removeMember(tx, organizationId, third.id);
        throw new Error('called off');
      }),
    );
    await stage.database.transaction((tx) => buryPerson(tx, first.id, new Date().toISOString()));
    assert.deepEqual([await totalOf(organizationId), await totalOf(second)], [5, 1]);
    await assertExact();
    const scope = { tenant: 'organization', id: organizationId };
    await call(stage, 'rest', 'deleteOrganization', { scope, id: organizationId, hardDelete: true }, owner.token);
    await assertExact();
  });

  it('is the same before and after folding, also while others join and leave', async () => {
    const { organizationId } = await stage.found('Folded');
    const people = await Promise.all(Array.from({ length: 12 }, (_, index) => stage.register(`Person ${index}`, 'personal')));
    const come = people.map(({ id }) => stage.database.transaction((tx) => addMember(tx, organizationId, id)));
    const folds = Array.from({ length: 4 }, () => stage.database.transaction(foldMemberCounts));
    await Promise.all([...come, ...folds]);
    assert.equal(await totalOf(organizationId), 13);
    await Promise.all([
      ...people.slice(3).map(({ id }) => stage.database.transaction((tx) => removeMember(tx, organizationId, id))),
      ...Array.from({ length: 4 }, () => stage.database.transaction(foldMemberCounts)),
    ]);
    assert.equal(await totalOf(organizationId), 4);
    await stage.database.transaction(foldMemberCounts);
    assert.deepEqual(await stage.rows('SELECT change FROM organization_user_changes WHERE organization_id = $1', [organizationId]), [
      { change: 4 },
    ]);
    await assertExact();
  });

  it('cannot be passed by: memberships are neither moved nor truncated', async () => {
    const { organizationId } = await stage.found('Fixed');
    const attempts = [
      `UPDATE organization_users SET organization_id = '${newId()}' WHERE organization_id = '${organizationId}'`,
      'TRUNCATE organization_users',
    ];
    for (const text of attempts)
      await assert.rejects(
        stage.database.transaction((tx) => tx.execute(sql(text))),
        /not moved or truncated/,
      );
  });

  it('is counted where no scope is set, as with row-level security switched off', async () => {
    const { organizationId } = await stage.found('Unscoped');
    const { totalCount } = await stage.database.transaction((tx) => pageMembers(tx, totals, organizationId, firstPage));
    assert.equal(totalCount, 1);
  });
});
