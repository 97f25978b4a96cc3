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
    ...(data.counts?.map(({ at, allowed, refused, own }) => ({
      at: String(at),
      allowed: Number(allowed),
      refused: Number(refused),
      own: Number(own),
    })) ?? []),
  ];
  const sum = (of: 'allowed' | 'refused' | 'own') => counts.reduce((total, one) => total + one[of], 0);
  return { unit: data.unit, counts, allowed: sum('allowed'), refused: sum('refused'), own: sum('own') };
}

/** As an app of people asks, of one replica after the other. */
async function ask(token: string, scope: Scope, asked: number): Promise<void> {
  const body = { permission: { resource: 'Role', action: 'Create' }, scope };
  const { status } = await stack.request('POST', '/api/auth/is-authorized', { token, body, replica: asked % 2 });
  expect(status).toBe(200);
}

test('what two replicas answered in a project adds up, and another tenant sees nothing of it', async () => {
  const { owner, project, acme } = await makeWorkshop(stack);
  const other = await makeWorkshop(stack);
  for (let asked = 0; asked < 30; asked += 1) await ask(owner.token, project, asked);
  for (let asked = 0; asked < 20; asked += 1) await ask(other.owner.token, project, asked);
  await until(async () => {
    const { allowed, refused } = await countsOf(owner.token, project);
    return allowed === 30 && refused === 20;
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

test('what Tessera asks for its own operations is counted apart from what people ask', async () => {
  const { owner, project, acme } = await makeWorkshop(stack);
  const list = () =>
    stack.request('GET', `/api/roles?${new URLSearchParams({ tenant: project.tenant, scopeId: project.id })}`, { token: owner.token });
  for (let times = 0; times < 5; times += 1) expect((await list()).status).toBe(200);
  for (let times = 0; times < 3; times += 1) await ask(owner.token, project, times);
  // As another service asks for an operation of its own.
  await stack.check(acme.ownerId, project, 'Role:Create');
  await until(async () => {
    const { allowed, own } = await countsOf(owner.token, project);
    return allowed === 3 && own >= 6;
  });
  expect((await countsOf(owner.token, project)).refused).toBe(0);
});

test('GraphQL gives the same counts', async () => {
  const { owner, project } = await makeWorkshop(stack);
  await ask(owner.token, project, 0);
  const document = 'query ($input: DecisionCountsInput!) { decisionCounts(input: $input) { unit counts { at allowed refused } } }';
  const counted = () => stack.graphql(document, { input: { scope: project, period: 'week' } }, { token: owner.token });
  await until(async () => Number((await counted()).data['decisionCounts']?.['counts']?.map(({ allowed }) => allowed)[6]) > 0);
  expect((await counted()).data['decisionCounts']?.['unit']).toBe('day');
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
  tally.add(scope, 'allowed');
  await tally.write();
  tally.add(scope, 'refused');
  tally.add(scope, 'own');
  tally.add({ tenant: 'organization', id: 'o2' }, 'allowed');
  isDown = false;
  await tally.stop();
  await tally.write();
  expect(written).toStrictEqual([
    [
      { tenant: 'organization', id: 'o2', allowed: 1, refused: 0, own: 0 },
      { tenant: 'organization', id: 'o1', allowed: 1, refused: 1, own: 1 },
    ].sort((a, b) => a.id.localeCompare(b.id)),
  ]);
});
