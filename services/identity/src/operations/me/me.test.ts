import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { pictureFile, png } from '../../testing/pictures.ts';
import { claimsOf, goodPassword, registered, startIdentity, type TestService } from '../../testing/service.ts';
import { call, transportsOf } from '../../testing/transports.ts';

const newPassword = 'Another7!Word';

describe('me', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const everything = [
    'getMe',
    'updateMe',
    'listMyAccounts',
    'createSecondaryAccount',
    'deleteMyAccounts',
    'exportMyData',
    'uploadMyPicture',
    'changePassword',
    'listMySessions',
    'revokeMySession',
    'logoutMe',
    'logout',
    'listMyAuthenticationMethods',
    'createMyAuthenticationMethod',
    'setMyPrimaryAuthenticationMethod',
    'deleteMyAuthenticationMethod',
  ];
  const inputs: Readonly<Record<string, () => Promise<object> | object>> = {
    updateMe: () => ({ name: 'Grace' }),
    uploadMyPicture: async () => pictureFile(await png()),
    changePassword: () => ({ currentPassword: goodPassword, newPassword, confirmPassword: newPassword }),
    revokeMySession: () => ({ id: newId() }),
    createMyAuthenticationMethod: () => ({ provider: 'email', providerId: 'x@example.com', providerData: { password: goodPassword } }),
    setMyPrimaryAuthenticationMethod: () => ({ id: newId() }),
    deleteMyAuthenticationMethod: () => ({ id: newId() }),
  };
  const blocked = [
    'updateMe',
    'createSecondaryAccount',
    'deleteMyAccounts',
    'uploadMyPicture',
    'changePassword',
    'createMyAuthenticationMethod',
    'setMyPrimaryAuthenticationMethod',
    'deleteMyAuthenticationMethod',
  ];

  for (const operation of everything) {
    for (const transport of transportsOf(operation)) {
      test(`${operation} over ${transport}: nobody without a token; unverified ${blocked.includes(operation) ? 'refused' : 'let through'} [spec:gating.4 spec:gating.7-9 spec:rest.1]`, async () => {
        const input = { ...(await inputs[operation]?.()) };
        assert.equal((await call(service, transport, operation, input)).code, 'UNAUTHENTICATED');
        const { accessToken: token } = await registered(service, { verified: false });
        const outcome = await call(service, transport, operation, input, { token });
        if (blocked.includes(operation)) assert.equal(outcome.code, 'EMAIL_VERIFICATION_REQUIRED');
        else assert.ok(['ok', 'NOT_FOUND'].includes(outcome.code), outcome.code);
      });
    }
  }

  for (const transport of ['rest', 'graphql'] as const) {
    test(`profile over ${transport}: read, change, and refuse what is not known`, async () => {
      const { accessToken: token, email, userId } = await registered(service);
      const changed = await call(
        service,
        transport,
        'updateMe',
        { name: 'Grace Hopper', metadata: { team: 'navy', nested: { a: [1] } } },
        { token },
      );
      assert.equal(changed.code, 'ok', JSON.stringify(changed));
      assert.deepEqual(
        [changed.data.user.name, changed.data.user.metadata, changed.data.email],
        ['Grace Hopper', { team: 'navy', nested: { a: [1] } }, email],
      );
      const kept = await call(service, transport, 'updateMe', { name: 'Grace' }, { token });
      assert.deepEqual(kept.data.user.metadata, { team: 'navy', nested: { a: [1] } });
      const told = service.peers.events
        .filter(({ event }) => event.type === 'user.updated' && event.key === userId)
        .map(({ event }) => JSON.parse(event.payloadJson));
      assert.deepEqual(told.at(-1), { userId, name: 'Grace', email, isVerified: true });
      assert.deepEqual([(await call(service, transport, 'updateMe', { name: '' }, { token })).field], ['name']);
      assert.deepEqual([(await call(service, transport, 'updateMe', { name: 'x'.repeat(201) }, { token })).field], ['name']);
    });

    test(`change of password over ${transport}: each fault by its field, other sessions end, the own one stays`, async () => {
      const { accessToken: token, email } = await registered(service);
      const phone = await call(
        service,
        'rest',
        'login',
        { provider: 'email', providerId: email, providerData: { password: goodPassword } },
        { userAgent: 'phone' },
      );
      const good = { currentPassword: goodPassword, newPassword, confirmPassword: newPassword };
      const faults: readonly (readonly [object, string])[] = [
        [{ ...good, confirmPassword: `${newPassword}x` }, 'confirmPassword'],
        [{ ...good, newPassword: 'weak', confirmPassword: 'weak' }, 'newPassword'],
        [{ ...good, currentPassword: 'Wrong7!pass' }, 'currentPassword'],
      ];
      for (const [input, field] of faults) {
        const outcome = await call(service, transport, 'changePassword', { ...input }, { token });
        assert.deepEqual([outcome.code, outcome.field], ['VALIDATION_ERROR', field]);
      }
      assert.equal((await call(service, transport, 'changePassword', good, { token })).code, 'ok');
      assert.equal((await call(service, 'rest', 'getMe', {}, { token: phone.data.accessToken })).code, 'UNAUTHENTICATED');
      assert.equal((await call(service, 'rest', 'getMe', {}, { token })).code, 'ok');
      assert.equal((await call(service, transport, 'changePassword', good, { token })).field, 'currentPassword');
    });

    test(`of two changes of password at once over ${transport} one counts: what the other gave as current no longer is`, async () => {
      const { accessToken: token } = await registered(service);
      const wishes = [`${newPassword}1`, `${newPassword}2`].map((wish) => ({ newPassword: wish, confirmPassword: wish }));
      const outcomes = await Promise.all(
        wishes.map((wish) => call(service, transport, 'changePassword', { currentPassword: goodPassword, ...wish }, { token })),
      );
      assert.deepEqual(outcomes.map(({ code, field }) => [code, field]).sort(), [
        ['VALIDATION_ERROR', 'currentPassword'],
        ['ok', undefined],
      ]);
    });

    test(`accounts over ${transport}: the missing type once`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const made = await call(service, transport, 'createSecondaryAccount', {}, { token });
      assert.equal(made.code, 'ok', JSON.stringify(made));
      assert.equal(made.data.accounts.length, 2);
      assert.deepEqual(
        service.peers.accounts.filter(({ ownerId }) => ownerId === userId).map(({ type }) => type),
        ['personal', 'organization'],
      );
      assert.equal((await call(service, transport, 'createSecondaryAccount', {}, { token })).code, 'CONFLICT');
    });
  }

  test('sessions are paged, and limits outside 1 to 100 are refused', async () => {
    const { accessToken: token, email } = await registered(service);
    for (const at of [1, 2, 3, 4]) {
      await call(
        service,
        'rest',
        'login',
        { provider: 'email', providerId: email, providerData: { password: goodPassword } },
        { userAgent: `device ${at}` },
      );
    }
    for (const transport of ['rest', 'graphql'] as const) {
      const page = await call(service, transport, 'listMySessions', { page: 2, limit: 2 }, { token });
      assert.deepEqual([page.data.items.length, page.data.totalCount, page.data.hasNextPage], [2, 5, true]);
      const last = await call(service, transport, 'listMySessions', { page: 3, limit: 2 }, { token });
      assert.deepEqual([last.data.items.length, last.data.hasNextPage, last.data.items[0].isCurrent], [1, false, true]);
      assert.equal(last.data.items[0].id, claimsOf(token).jti);
      for (const limit of [0, -1, 101])
        assert.equal((await call(service, transport, 'listMySessions', { limit }, { token })).field, 'limit');
    }
  });
});
