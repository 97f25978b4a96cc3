import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { describeUnless } from '../../../test/support/unless.ts';
import type { Authorizer, Decision } from '../authorization/index.ts';
import { createDegradingCounter, createLocalCounter } from './counts.ts';
import { createRedisCounts } from './redis-counts.ts';
import { createRequestQuota } from './request-quota.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const logger = { warn: () => undefined };
const redisUrl = process.env['TEST_REDIS_URL'];

const subject = { type: 'session', userId: 'ada', tokenId: 't' } as const;
const organization = (id = randomUUID()) => ({ tenant: 'organization', id }) as const;
const inside = (scope: { readonly tenant: 'organization' | 'organizationProject'; readonly id: string }) => ({
  subject,
  scope,
  resource: 'Role',
  action: 'Query',
});

function authorizerOf(...decisions: readonly Decision[]): Authorizer {
  return { check: async (checks) => checks.map((_, index) => decisions[index] ?? decisions[0] ?? { authorized: false, reason: 'none' }) };
}
const allowed = (requestsPerMinute?: number): Decision => ({
  authorized: true,
  reason: 'PERMISSION_GRANTED_NO_CONDITION',
  ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
});

async function outcomes(times: number, ask: () => Promise<unknown>): Promise<string[]> {
  const settled = await Promise.all(
    Array.from({ length: times }, () =>
      ask().then(
        () => 'ok',
        ({ kind }: { kind: string }) => kind,
      ),
    ),
  );
  return settled.toSorted();
}

test('of requests at the same moment as many pass as the limit says, and its project counts with the organization', async () => {
  const quota = createRequestQuota(createLocalCounter());
  const { check } = quota.limit(authorizerOf(allowed(3)));
  const scope = organization();
  const project = { tenant: 'organizationProject', id: `${scope.id}:${randomUUID()}` } as const;
  expect(await outcomes(4, () => check([inside(scope)]))).toStrictEqual(['ok', 'ok', 'ok', 'rate-limited']);
  expect(await outcomes(1, () => check([inside(project)]))).toStrictEqual(['rate-limited']);
  expect(await outcomes(1, () => check([inside(organization())]))).toStrictEqual(['ok']);
  expect(quota.requests).toStrictEqual({ counted: 4, refused: 2 });
});

test('what is refused, and tenants without a limit, are not counted; several checks of a request count once', async () => {
  const quota = createRequestQuota(createLocalCounter());
  const scope = organization();
  const refused = quota.limit(authorizerOf({ authorized: false, reason: 'NO_MATCHING_PERMISSION_FOUND', requestsPerMinute: 1 }));
  expect(await outcomes(5, () => refused.check([inside(scope)]))).toStrictEqual(Array.from({ length: 5 }, () => 'ok'));
  const free = quota.limit(authorizerOf(allowed()));
  expect(await outcomes(5, () => free.check([inside(scope)]))).toStrictEqual(Array.from({ length: 5 }, () => 'ok'));
  const { check } = quota.limit(authorizerOf(allowed(1)));
  expect(await outcomes(1, () => check([inside(scope), inside(scope)]))).toStrictEqual(['ok']);
  expect(await outcomes(1, () => check([inside(scope)]))).toStrictEqual(['rate-limited']);
});

test('the refusal says when to try again, and names the quota', async () => {
  const { admit } = createRequestQuota(createLocalCounter());
  const scope = organization();
  await admit(scope, allowed(1));
  await expect(admit(scope, allowed(1))).rejects.toMatchObject({
    kind: 'rate-limited',
    key: 'errors.quota.requests',
    params: { limit: 1, seconds: 60 },
    extensions: { quota: 'requestsPerMinute', limit: 1 },
  });
  // A higher limit holds from the next decision on.
  await admit(scope, allowed(3));
});

describeUnless(redisUrl === undefined && 'NOT RUN against Redis: TEST_REDIS_URL is not set')('two replicas', () => {
  test('count together', async () => {
    const replica = () => {
      const shared = createRedisCounts({ settings: { REDIS_URL: redisUrl ?? '' }, logger });
      cleanup.defer(async () => shared.close());
      return createRequestQuota(createDegradingCounter(shared, createLocalCounter(), logger));
    };
    const [one, other] = [replica(), replica()];
    const scope = organization();
    let turn = 0;
    const ask = () => (turn++ % 2 === 0 ? one : other).admit(scope, allowed(5));
    expect(await outcomes(8, ask)).toStrictEqual([
      ...Array.from({ length: 5 }, () => 'ok'),
      ...Array.from({ length: 3 }, () => 'rate-limited'),
    ]);
  });
});
