import { afterAll, expect, test } from '@jest/globals';
import type { Scope } from '@tessera/kernel/scope';
import { until } from '../../../../../test/support/until.ts';
import { createTally } from '../../decisions/tally.ts';
import type { ScopeCount } from '../../storage/decision-counts.ts';
import { makeWorkshop } from '../../testing/scenario.ts';
import { startTestStack } from '../../testing/service.ts';

const stack = await startTestStack({ replicas: 2 });
afterAll(() => stack.stop());

async function countsOf(token: string, { tenant, id }: Scope, period = 'day') {
  const query = new URLSearchParams({ tenant, scopeId: id, period });
  const { status, data } = await stack.request('GET', `/api/decision-counts?${query}`, { token });
  expect(status).toBe(200);
  const counts = [
    ...(data.counts?.map(({ at, allowed, refused }) => ({ at: String(at), allowed: Number(allowed), refused: Number(refused) })) ?? []),
  ];
  const sum = (of: 'allowed' | 'refused') => counts.reduce((total, one) => total + one[of], 0);
  return { unit: data.unit, counts, allowed: sum('allowed'), refused: sum('refused') };
}

test('what two replicas answered in a project adds up, and another tenant sees nothing of it', async () => {
  const { owner, project, acme } = await makeWorkshop(stack);
  const other = await makeWorkshop(stack);
  for (let asked = 0; asked < 30; asked += 1) await stack.check(acme.ownerId, project, 'Role:Create', { replica: asked % 2 });
  for (let asked = 0; asked < 20; asked += 1) await stack.check(other.acme.ownerId, project, 'Role:Create', { replica: asked % 2 });
  await until(async () => {
    const { allowed, refused } = await countsOf(owner.token, project);
    return allowed >= 30 && refused === 20;
  });
  const { unit, counts } = await countsOf(owner.token, project);
  expect([unit, counts.length]).toStrictEqual(['hour', 24]);
  expect(counts.map(({ at }) => at)).toStrictEqual(counts.map(({ at }) => at).sort());
  expect(counts.slice(0, -2).every(({ allowed, refused }) => allowed + refused === 0)).toBe(true);
  expect((await countsOf(owner.token, project, 'month')).counts).toHaveLength(30);
  // In the other owner's project nothing was refused; this project is closed to them.
  expect((await countsOf(other.owner.token, other.project)).refused).toBe(0);
  const query = new URLSearchParams({ tenant: project.tenant, scopeId: project.id, period: 'day' });
  expect((await stack.request('GET', `/api/decision-counts?${query}`, { token: other.owner.token })).status).toBe(403);
  // The questions of a project are not those of its organization.
  expect((await countsOf(owner.token, acme.scope)).refused).toBe(0);
});

test('GraphQL gives the same counts', async () => {
  const { owner, project, acme } = await makeWorkshop(stack);
  await stack.check(acme.ownerId, project, 'Role:Create');
  const document = 'query ($input: DecisionCountsInput!) { decisionCounts(input: $input) { unit counts { at allowed refused } } }';
  const ask = () => stack.graphql(document, { input: { scope: project, period: 'week' } }, { token: owner.token });
  await until(async () => Number((await ask()).data['decisionCounts']?.['counts']?.map(({ allowed }) => allowed)[6]) > 0);
  expect((await ask()).data['decisionCounts']?.['unit']).toBe('day');
});

test('what could not be written is written the next time, once', async () => {
  const written: ScopeCount[][] = [];
  let isDown = true;
  const tally = createTally({
    save: async (counts) => {
      if (isDown) throw new Error('the database is away');
      written.push([...counts]);
    },
  });
  const scope = { tenant: 'organization', id: 'o1' } as const;
  tally.add(scope, true);
  await tally.write();
  tally.add(scope, false);
  tally.add({ tenant: 'organization', id: 'o2' }, true);
  isDown = false;
  await tally.stop();
  await tally.write();
  expect(written).toStrictEqual([
    [
      { tenant: 'organization', id: 'o2', allowed: 1, refused: 0 },
      { tenant: 'organization', id: 'o1', allowed: 1, refused: 1 },
    ].sort((a, b) => a.id.localeCompare(b.id)),
  ]);
});
