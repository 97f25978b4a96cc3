import { afterAll, expect, test } from '@jest/globals';
import { until } from '../../../../../test/support/until.ts';
import { openTestService } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

test('a service that does not answer makes the page fail, by its name', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const ask = async (path: string) => {
    const url = `${path}?tenant=organization&scopeId=${organizationId}`;
    const answer = await service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${owner.token}` } });
    return { status: answer.statusCode, text: answer.body };
  };
  for (const name of ['keys', 'identity']) {
    service.unreachablePeers.add(name);
    const { status, text } = await ask('/api/audit-events');
    expect([status, JSON.parse(text).code]).toStrictEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(text).toContain(name);
    service.unreachablePeers.delete(name);
  }
  const { status, text } = await ask('/api/audit-events');
  expect([status, JSON.parse(text).data]).toMatchObject([200, { nextCursor: null }]);
});

test('a page that may come from replicas ends as long before now as the caller accepts, and no caller is told less otherwise', async () => {
  const { owner, organizationId } = await service.createOrganization();
  const url = `/api/audit-events?tenant=organization&scopeId=${organizationId}`;
  const count = async (headers: Readonly<Record<string, string>>) => {
    const answer = await service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${owner.token}`, ...headers } });
    expect(answer.statusCode).toStrictEqualFor(answer.body, 200);
    return answer.json().data.items.length;
  };
  const made = await service.app.inject({
    method: 'POST',
    url: '/api/projects',
    headers: { authorization: `Bearer ${owner.token}` },
    payload: { scope: { tenant: 'organization', id: organizationId }, name: 'Web' },
  });
  expect(made.statusCode).toStrictEqualFor(made.body, 201);
  const past = (seconds: string) => count({ 'cache-control': `no-transform, max-stale${seconds}` });
  const all = await count({});
  expect(all).toBeGreaterThan(0);
  expect([await past(''), await past('=5'), await past('=1000000'), await past('=1')]).toStrictEqual([0, 0, 0, 0]);
  // None of these accepts the past.
  for (const header of ['max-stale=0', 'max-stale=5, no-cache', 'x-max-stale=5', 'max-stale=five'])
    expect([header, await count({ 'cache-control': header })]).toStrictEqual([header, all]);
  expect(await count({ 'cache-control': 'max-stale=5', 'x-consistency-token': 'of a write' })).toBe(all);
  await until(async () => (await past('=1')) === all);
  expect(await past('=5')).toBe(0);
});
