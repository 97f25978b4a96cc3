import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from '@tessera/kernel/postgres';
import { until } from '../../../../../../test/support/until.ts';
import { goodPassword, registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const service = await startIdentity();

describe('my data: export and deletion', () => {
  afterAll(async () => service.stop());

  test('the export is a file', async () => {
    const { accessToken: token } = await registered(service);
    const { headers } = await service.ask('GET', '/api/me/export', { token });
    expect(headers['content-disposition']).toBe('attachment; filename="my-data.json"');
  });

  for (const transport of ['rest', 'graphql'] as const) {
    test(`export over ${transport}: everything that is kept, nothing secret [spec:rest.16 spec:graphql.9]`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const exported = await call(service, transport, 'exportMyData', {}, { token });
      expect(exported.code).toStrictEqualFor(exported, 'ok');
      const names = [
        'accounts',
        'authenticationMethods',
        'exportedAt',
        'organizationMemberships',
        'projectMemberships',
        'providerSignIns',
        'sessions',
        'user',
      ];
      expect(Object.keys(exported.data).sort()).toStrictEqual(names);
      const { user, accounts, authenticationMethods, sessions, organizationMemberships, projectMemberships } = exported.data;
      expect(user.id).toBe(userId);
      const idsOf = (kept: readonly { id: string }[]) => kept.map(({ id }) => id);
      const [listedMethods, listedSessions] = [
        await call(service, 'rest', 'listMyAuthenticationMethods', {}, { token }),
        await call(service, 'rest', 'listMySessions', {}, { token }),
      ];
      expect(accounts.length).toBe(1);
      expect(idsOf(authenticationMethods)).toStrictEqual(idsOf(listedMethods.data.items));
      expect(idsOf(sessions)).toStrictEqual(idsOf(listedSessions.data.items));
      expect(organizationMemberships).toStrictEqual(service.peers.memberships.organizations);
      expect(projectMemberships).toStrictEqual(service.peers.memberships.projects);
      expect(JSON.stringify(exported.data)).not.toMatch(/\$2b\$|passwordHash|providerData|"hash"/);
    });

    for (const hardDelete of [false, true])
      test(`deletion over ${transport}, ${hardDelete ? 'hard' : 'soft'}: tokens, sign-in and refresh end at once; the address is ${hardDelete ? 'free' : 'kept'}`, async () => {
        const { accessToken: token, email, userId, refreshToken } = await registered(service);
        const deleted = await call(service, transport, 'deleteMyAccounts', { hardDelete }, { token });
        expect(deleted.code).toStrictEqualFor(deleted, 'ok');
        expect(deleted.data.id).toBe(userId);
        expect(deleted.data.deletedAt).toBeTruthy();
        expect((await call(service, 'rest', 'getMe', {}, { token })).code).toBe('UNAUTHENTICATED');
        expect((await call(service, 'rest', 'refreshSession', { refreshToken })).code).toBe('UNAUTHENTICATED');
        const credentials = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
        expect((await call(service, 'rest', 'login', credentials)).code).toBe('UNAUTHENTICATED');
        const again = await call(service, 'rest', 'register', credentials);
        expect(again.code).toBe(hardDelete ? 'ok' : 'CONFLICT');
        const told = () => service.peers.events.filter(({ event }) => event.type === 'user.deleted' && event.key === userId);
        await until(() => told().length >= 3);
        expect(
          told()
            .map(({ subscriber }) => subscriber)
            .sort(),
        ).toStrictEqual(['keys', 'rbac', 'tenancy']);
        const rows = await service.database.query(sql('SELECT FROM users WHERE id = $1'), [userId]);
        expect(rows).toHaveLength(hardDelete ? 0 : 1);
      });
  }
});
