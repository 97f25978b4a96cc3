import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckMany } from '@tessera/proto/types/rbac.v1';
import { until } from '../../../tools/testing/until.ts';
import { failures } from '../errors/index.ts';
import { newId } from '../ids/index.ts';
import { type Check, createRemoteAuthorizer, subjectOf } from './index.ts';

function later(ms: number) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
const [organization, project, userId] = [newId(), newId(), newId()];

function setUp(maxAgeMs = 60_000) {
  const asked: CheckMany[] = [];
  const state = { authorized: true, answers: Promise.resolve(), down: false };
  const handlers = { changed: (_: { tenantKey: string }): void => undefined, reconnect: (): void => undefined };
  const authorizer = createRemoteAuthorizer({
    maxAgeMs,
    client: {
      isAuthorizedMany: async (request) => {
        asked.push(request);
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
  return { authorizer, asked, state, handlers };
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

test('checks of one tick are asked in one call and answered in order', async () => {
  const { authorizer, asked } = setUp();
  const [two, one] = await Promise.all([
    authorizer.check([check({ action: 'Read' }), check({ action: 'Update' })]),
    authorizer.check([check({ action: 'Delete' })]),
  ]);
  assert.deepEqual(
    [...two, ...one].map(({ reason }) => reason),
    ['Read', 'Update', 'Delete'],
  );
  assert.deepEqual(
    asked.map(({ checks }) => checks.length),
    [3],
  );
});

test('the same question is asked once in its time; any difference makes it another', async () => {
  const { authorizer, asked } = setUp();
  const base = check();
  await authorizer.check([base]);
  await authorizer.check([base, { ...base, subject: { ...base.subject, tokenId: newId() } }]);
  assert.equal(asked.length, 1);
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
  assert.equal(asked[1]?.checks.length, others.length);
});

test('an answer dies of age, and freshness or a consistency token go past it', async () => {
  const { authorizer, asked } = setUp(40);
  await authorizer.check([check()]);
  await authorizer.check([check()], { noCache: true });
  await authorizer.check([check()], { consistencyToken: 'c1' });
  assert.deepEqual(
    asked.map(({ checks: [first] }) => [first?.noCache, first?.consistencyToken]),
    [
      [false, undefined],
      [true, undefined],
      [false, 'c1'],
    ],
  );
  await later(60);
  await authorizer.check([check()]);
  assert.equal(asked.length, 4);
});

test('a change of the organization or of the project drops its answers, and nobody else’s', async () => {
  const { authorizer, asked, handlers } = setUp();
  for (const tenantKey of [organization, project, `organization:${organization}`]) {
    await authorizer.check([check()]);
    const before = asked.length;
    handlers.changed({ tenantKey: newId() });
    await authorizer.check([check()]);
    assert.equal(asked.length, before);
    handlers.changed({ tenantKey });
    await authorizer.check([check()]);
    assert.equal(asked.length, before + 1, tenantKey);
  }
  handlers.reconnect();
  await authorizer.check([check()]);
  assert.equal(asked.length, 5);
});

test('an answer that a change overtook on its way is not kept', async () => {
  const { authorizer, asked, state, handlers } = setUp();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  state.answers = promise;
  const onItsWay = authorizer.check([check()]);
  await until(() => asked.length === 1);
  state.authorized = false;
  handlers.changed({ tenantKey: organization });
  answer();
  assert.equal((await onItsWay)[0]?.authorized, true);
  assert.equal((await authorizer.check([check()]))[0]?.authorized, false);
});

test('a failure is thrown and not kept', async () => {
  const { authorizer, state } = setUp();
  state.down = true;
  await assert.rejects(authorizer.check([check()]), { kind: 'unavailable' });
  state.down = false;
  assert.equal((await authorizer.check([check()]))[0]?.authorized, true);
});

test('the subject is what the token says; an empty cap stays a cap', () => {
  const common = { sub: userId, aud: 'a', iss: 'i', exp: 2, iat: 1, jti: 't' };
  assert.deepEqual(subjectOf({ ...common, type: 'projectApp', scopes: [] }), { type: 'projectApp', userId, tokenId: 't', scopes: [] });
  assert.deepEqual(subjectOf({ ...common, type: 'session', isVerified: true }), { type: 'session', userId, tokenId: 't' });
});
