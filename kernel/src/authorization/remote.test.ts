import { expect, test } from '@jest/globals';
import type { CheckMany } from '@tessera/proto/types/rbac.v1';
import { until } from '../../../test/support/until.ts';
import { failures } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type Check, createRemoteAuthorizer, subjectOf } from './index.ts';

function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
const [organization, project, userId] = [newId(), newId(), newId()];

function setUp(maxAgeMs = 60_000) {
  const requests: CheckMany[] = [];
  const state = { authorized: true, answers: Promise.resolve(), down: false };
  const handlers = { changed: (_: { tenantKey: string }): void => undefined, reconnect: (): void => undefined };
  const authorizer = createRemoteAuthorizer({
    maxAgeMs,
    client: {
      isAuthorizedMany: async (request) => {
        requests.push(request);
        const { authorized } = state;
        await state.answers;
        if (state.down) throw failures.unavailable('rbac');
        return { decisions: request.checks.map(({ action }) => ({ authorized, reason: action })) };
      },
    },
    notices: {
      subscribe: (_, handler) => {
        handlers.changed = handler;
      },
      onReconnect: (handler) => {
        handlers.reconnect = handler;
      },
    },
  });
  return { authorizer, requests, state, handlers };
}

function check(changes: Partial<Check> = {}): Check {
  return {
    subject: { type: 'session', userId, tokenId: newId() },
    scope: { tenant: 'organizationProject', id: `${organization}:${project}` },
    resource: 'Role',
    action: 'Read',
    ...changes,
  };
}

test('the remote authorizer sends the checks of one tick in one call and returns decisions in order', async () => {
  const { authorizer, requests } = setUp();
  const [two, one] = await Promise.all([
    authorizer.check([check({ action: 'Read' }), check({ action: 'Update' })]),
    authorizer.check([check({ action: 'Delete' })]),
  ]);
  expect([...two, ...one].map(({ reason }) => reason)).toStrictEqual(['Read', 'Update', 'Delete']);
  expect(requests.map(({ checks }) => checks.length)).toStrictEqual([3]);
});

test('the remote authorizer caches a decision, and only for the very same check', async () => {
  const { authorizer, requests } = setUp();
  const base = check();
  await authorizer.check([base]);
  await authorizer.check([base, { ...base, subject: { ...base.subject, tokenId: newId() } }]);
  expect(requests).toHaveLength(1);
  const others: Check[] = [
    { ...base, target: { ownerId: 'a' } },
    { ...base, target: { ownerId: 'b' } },
    { ...base, action: 'Update' },
    { ...base, resource: 'Rol', action: 'eRead' },
    { ...base, resource: 'role' },
    { ...base, scope: { tenant: 'accountProject', id: base.scope.id } },
    { ...base, subject: { ...base.subject, scopes: [] } },
    { ...base, subject: { ...base.subject, roleId: newId() } },
    { ...base, subject: { ...base.subject, type: 'apiKey' } },
  ];
  await authorizer.check(others);
  expect(requests[1]?.checks.length).toBe(others.length);
});

test('a cached decision expires, and noCache or a consistency token skip it', async () => {
  const { authorizer, requests } = setUp(40);
  await authorizer.check([check()]);
  await authorizer.check([check()], { noCache: true });
  await authorizer.check([check()], { consistencyToken: 'c1' });
  expect(requests.map(({ checks: [first] }) => [first?.noCache, first?.consistencyToken])).toStrictEqual([
    [false, undefined],
    [true, undefined],
    [false, 'c1'],
  ]);
  await later(60);
  await authorizer.check([check()]);
  expect(requests).toHaveLength(4);
});

test('a change of an organization or project drops its cached decisions, and no others', async () => {
  const { authorizer, requests, handlers } = setUp();
  for (const tenantKey of [organization, project, `organization:${organization}`]) {
    await authorizer.check([check()]);
    const before = requests.length;
    handlers.changed({ tenantKey: newId() });
    await authorizer.check([check()]);
    expect(requests).toHaveLength(before);
    handlers.changed({ tenantKey });
    await authorizer.check([check()]);
    expect(requests.length).toStrictEqualFor(tenantKey, before + 1);
  }
  handlers.reconnect();
  await authorizer.check([check()]);
  expect(requests).toHaveLength(5);
});

test('a decision is not cached when its tenant changed while the call was in flight', async () => {
  const { authorizer, requests, state, handlers } = setUp();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  state.answers = promise;
  const inFlight = authorizer.check([check()]);
  await until(() => requests.length === 1);
  state.authorized = false;
  handlers.changed({ tenantKey: organization });
  answer();
  expect((await inFlight)[0]?.authorized).toBe(true);
  expect((await authorizer.check([check()]))[0]?.authorized).toBe(false);
});

test('a failed call is thrown and not cached', async () => {
  const { authorizer, state } = setUp();
  state.down = true;
  await expect(authorizer.check([check()])).rejects.toMatchObject({ kind: 'unavailable' });
  state.down = false;
  expect((await authorizer.check([check()]))[0]?.authorized).toBe(true);
});

test('subjectOf copies the claims of the token, also an empty list of scopes', () => {
  const common = { sub: userId, aud: 'a', iss: 'i', exp: 2, iat: 1, jti: 't' };
  expect(subjectOf({ ...common, type: 'projectApp', scopes: [] })).toStrictEqual({ type: 'projectApp', userId, tokenId: 't', scopes: [] });
  // A session without a level, from before there were levels, counts as the lowest and oldest.
  const oldest = { acr: 'aal1', authTime: 0 };
  expect(subjectOf({ ...common, type: 'session', isVerified: true })).toStrictEqual({ type: 'session', userId, tokenId: 't', ...oldest });
  const level = { acr: 'aal2', authTime: 5 };
  const claims = { ...common, type: 'session', isVerified: true, acr: 'aal2', auth_time: 5 } as const;
  expect(subjectOf(claims)).toStrictEqual({ type: 'session', userId, tokenId: 't', ...level });
});

test('the remote authorizer decides while calls to one replica hang', async () => {
  let calls = 0;
  const authorizer = createRemoteAuthorizer({
    client: {
      isAuthorizedMany: async ({ checks }) => {
        calls += 1;
        if (calls <= 8) await new Promise(() => {});
        return { decisions: checks.map(() => ({ authorized: true, reason: '' })) };
      },
    },
    notices: { subscribe: () => undefined, onReconnect: () => undefined },
  });
  for (let n = 1; n <= 8; n += 1) {
    void authorizer.check([check()], { noCache: true });
    await until(() => calls === n);
  }
  const [decision] = await authorizer.check([check()], { noCache: true });
  expect(decision?.authorized).toBe(true);
});
