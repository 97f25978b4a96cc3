import { afterAll, expect, test } from '@jest/globals';
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
