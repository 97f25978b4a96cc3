import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../../../tools/testing/until.ts';
import { goodPassword, registered, startIdentity, type TestService } from '../../testing/service.ts';
import { call } from '../../testing/transports.ts';

describe('my data: export and deletion', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  test('the export is a file', async () => {
    const { accessToken: token } = await registered(service);
    const { headers } = await service.ask('GET', '/api/me/export', { token });
    assert.equal(headers['content-disposition'], 'attachment; filename="my-data.json"');
  });

  for (const transport of ['rest', 'graphql'] as const) {
    test(`export over ${transport}: everything that is kept, nothing secret [spec:rest.16 spec:graphql.9]`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const exported = await call(service, transport, 'exportMyData', {}, { token });
      assert.equal(exported.code, 'ok', JSON.stringify(exported));
      const names = [
        'accounts',
        'authenticationMethods',
        'exportedAt',
        'organizationMemberships',
        'projectMemberships',
        'sessions',
        'user',
      ];
      assert.deepEqual(Object.keys(exported.data).sort(), names);
      const { user, accounts, authenticationMethods, sessions, organizationMemberships, projectMemberships } = exported.data;
      assert.equal(user.id, userId);
      const idsOf = (kept: readonly { id: string }[]) => kept.map(({ id }) => id);
      const [listedMethods, listedSessions] = [
        await call(service, 'rest', 'listMyAuthenticationMethods', {}, { token }),
        await call(service, 'rest', 'listMySessions', {}, { token }),
      ];
      assert.equal(accounts.length, 1);
      assert.deepEqual(idsOf(authenticationMethods), idsOf(listedMethods.data.items));
      assert.deepEqual(idsOf(sessions), idsOf(listedSessions.data.items));
      assert.deepEqual(organizationMemberships, service.peers.memberships.organizations);
      assert.deepEqual(projectMemberships, service.peers.memberships.projects);
      assert.ok(!/\$2b\$|passwordHash|providerData|"hash"/.test(JSON.stringify(exported.data)));
    });

    for (const hardDelete of [false, true]) {
      test(`deletion over ${transport}, ${hardDelete ? 'hard' : 'soft'}: tokens, sign-in and refresh end at once; the address is ${hardDelete ? 'free' : 'kept'}`, async () => {
        const { accessToken: token, email, userId, refreshToken } = await registered(service);
        const deleted = await call(service, transport, 'deleteMyAccounts', { hardDelete }, { token });
        assert.equal(deleted.code, 'ok', JSON.stringify(deleted));
        assert.equal(deleted.data.id, userId);
        assert.ok(deleted.data.deletedAt);
        assert.equal((await call(service, 'rest', 'getMe', {}, { token })).code, 'UNAUTHENTICATED');
        assert.equal((await call(service, 'rest', 'refreshSession', { refreshToken })).code, 'UNAUTHENTICATED');
        const credentials = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
        assert.equal((await call(service, 'rest', 'login', credentials)).code, 'UNAUTHENTICATED');
        const again = await call(service, 'rest', 'register', credentials);
        assert.equal(again.code, hardDelete ? 'ok' : 'CONFLICT');
        const told = () => service.peers.events.filter(({ event }) => event.type === 'user.deleted' && event.key === userId);
        await until(() => told().length >= 3);
        assert.deepEqual(
          told()
            .map(({ subscriber }) => subscriber)
            .sort(),
          ['keys', 'rbac', 'tenancy'],
        );
        const rows = await service.database.query(sql('SELECT FROM users WHERE id = $1'), [userId]);
        assert.equal(rows.length, hardDelete ? 0 : 1);
      });
    }
  }
});
