import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { pictureFile, png } from '../../../testing/pictures.ts';
import { claimsOf, goodPassword, registered, startIdentity } from '../../../testing/service.ts';
import { call, transportsOf } from '../../../testing/transports.ts';

const newPassword = 'Another7!Word';

const service = await startIdentity();

describe('me', () => {
  afterAll(async () => service.stop());

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

  for (const operation of everything)
    for (const transport of transportsOf(operation))
      test(`${operation} over ${transport}: refused without a token; unverified ${blocked.includes(operation) ? 'refused' : 'let through'} [spec:gating.4 spec:gating.7-9 spec:rest.1]`, async () => {
        const input = { ...(await inputs[operation]?.()) };
        expect((await call(service, transport, operation, input)).code).toBe('UNAUTHENTICATED');
        const { accessToken: token } = await registered(service, { verified: false });
        const outcome = await call(service, transport, operation, input, { token });
        if (blocked.includes(operation)) expect(outcome.code).toBe('EMAIL_VERIFICATION_REQUIRED');
        else expect(['ok', 'NOT_FOUND'].includes(outcome.code)).toStrictEqualFor(outcome.code, true);
      });

  test('the organizations of a person come with their role and what each uses, when they are asked for', async () => {
    const { accessToken: token, userId } = await registered(service);
    const [organizationId, projectId] = [newId(), newId()];
    service.peers.customers.set(`${newId()}:${projectId}`, [{ organizationId, name: 'Acme', slug: 'acme' }]);
    service.peers.people.set(organizationId, new Set([userId]));
    const scope = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    const grants = [{ id: organizationId, projectId, name: 'Shop', scope }];
    const expected = [{ id: organizationId, name: 'Acme', slug: 'acme', role: 'Viewer', grants }];
    const asked = await service.ask('GET', '/api/me?relations=organizations', { token });
    expect(asked.body.data.organizations).toStrictEqual(expected);
    const fields = 'organizations { id name slug role grants { id projectId name scope { tenant id } } }';
    const inGraphql = await service.graphql(`{ me { ${fields} } }`, {}, { token });
    expect(inGraphql.body.data.me.organizations).toStrictEqual(expected);
    // Without them neither service is called.
    service.peers.down.add('tenancy');
    const plain = await service.ask('GET', '/api/me', { token });
    service.peers.down.delete('tenancy');
    expect([plain.status, plain.body.data.organizations]).toStrictEqual([200, undefined]);
  });

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
      expect(changed.code).toStrictEqualFor(changed, 'ok');
      expect([changed.data.user.name, changed.data.user.metadata, changed.data.email]).toStrictEqual([
        'Grace Hopper',
        { team: 'navy', nested: { a: [1] } },
        email,
      ]);
      const kept = await call(service, transport, 'updateMe', { name: 'Grace' }, { token });
      expect(kept.data.user.metadata).toStrictEqual({ team: 'navy', nested: { a: [1] } });
      const told = service.peers.events
        .filter(({ event }) => event.type === 'user.updated' && event.key === userId)
        .map(({ event }) => JSON.parse(event.payloadJson));
      expect(told.at(-1)).toStrictEqual({ userId, name: 'Grace', email, isVerified: true });
      expect([(await call(service, transport, 'updateMe', { name: '' }, { token })).field]).toStrictEqual(['name']);
      expect([(await call(service, transport, 'updateMe', { name: 'x'.repeat(201) }, { token })).field]).toStrictEqual(['name']);
    });

    test(`profile over ${transport}: says whether the account holds its address`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const standing = async () => {
        const { data } = await call(service, transport, 'getMe', {}, { token });
        return [data.isVerified, data.isHeld];
      };
      expect(await standing()).toStrictEqual([true, true]);
      // The link was opened in a browser without the account's session.
      await service.database.query(sql('UPDATE authentication_methods SET held_at = NULL WHERE user_id = $1'), [userId]);
      expect(await standing()).toStrictEqual([true, false]);
      const changed = await call(service, transport, 'updateMe', { name: 'Ada' }, { token });
      expect(changed.data.isHeld).toBe(false);
    });

    test(`profile over ${transport}: says who administers the platform, and only with a verified address`, async () => {
      const [person, unverified] = [await registered(service), await registered(service, { verified: false })];
      const told = async ({ accessToken: token }: typeof person) =>
        (await call(service, transport, 'getMe', {}, { token })).data.isPlatformAdministrator;
      expect(await told(person)).toBe(false);
      for (const { userId } of [person, unverified])
        await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [userId]);
      expect([await told(person), await told(unverified)]).toStrictEqual([true, false]);
      const changed = await call(service, transport, 'updateMe', { name: 'Olivia' }, { token: person.accessToken });
      expect(changed.data.isPlatformAdministrator).toBe(true);
      await service.database.query(sql('DELETE FROM platform_administrators WHERE user_id = $1'), [person.userId]);
      expect(await told(person)).toBe(false);
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
        expect([outcome.code, outcome.field]).toStrictEqual(['VALIDATION_ERROR', field]);
      }
      expect((await call(service, transport, 'changePassword', good, { token })).code).toBe('ok');
      expect((await call(service, 'rest', 'getMe', {}, { token: phone.data.accessToken })).code).toBe('UNAUTHENTICATED');
      expect((await call(service, 'rest', 'getMe', {}, { token })).code).toBe('ok');
      expect((await call(service, transport, 'changePassword', good, { token })).field).toBe('currentPassword');
    });

    test(`of two changes of password at once over ${transport} one counts: what the other gave as current no longer is`, async () => {
      const { accessToken: token } = await registered(service);
      const wishes = [`${newPassword}1`, `${newPassword}2`].map((wish) => ({ newPassword: wish, confirmPassword: wish }));
      const outcomes = await Promise.all(
        wishes.map((wish) => call(service, transport, 'changePassword', { currentPassword: goodPassword, ...wish }, { token })),
      );
      expect(outcomes.map(({ code, field }) => [code, field]).sort()).toStrictEqual([
        ['VALIDATION_ERROR', 'currentPassword'],
        ['ok', undefined],
      ]);
    });

    test(`accounts over ${transport}: the missing type once`, async () => {
      const { accessToken: token, userId } = await registered(service);
      const made = await call(service, transport, 'createSecondaryAccount', {}, { token });
      expect(made.code).toStrictEqualFor(made, 'ok');
      expect(made.data.accounts.length).toBe(2);
      expect(service.peers.accounts.filter(({ ownerId }) => ownerId === userId).map(({ type }) => type)).toStrictEqual([
        'personal',
        'organization',
      ]);
      expect((await call(service, transport, 'createSecondaryAccount', {}, { token })).code).toBe('CONFLICT');
    });
  }

  test('prototype names and numbers that JSON cannot keep are refused in documents, variables and bodies', async () => {
    const { accessToken: token } = await registered(service);
    for (const value of ['__proto__: {x: 1}', 'a: {__proto__: 1}', 'n: 9007199254740993', 'n: [1e400]']) {
      const document = `mutation { updateMyUser(input: { metadata: {${value}} }) { user { id } } }`;
      const [error] = (await service.graphql(document, {}, { token })).body.errors ?? [];
      expect([value, error?.extensions.code]).toStrictEqual([value, 'VALIDATION_ERROR']);
    }
    for (const value of ['"__proto__": {"x": 1}', '"a": {"__proto__": 1}', '"n": 9007199254740993', '"n": [1e400]']) {
      const { status, body } = await service.ask('PATCH', '/api/me', { token, body: `{"metadata": {${value}}}` });
      expect([value, status, body.code]).toStrictEqual([value, 400, 'VALIDATION_ERROR']);
      const query = 'mutation($m: JSON) { updateMyUser(input: { metadata: $m }) { user { id } } }';
      const sent = `{"query": ${JSON.stringify(query)}, "variables": {"m": {${value}}}}`;
      const [error] = (await service.ask('POST', '/graphql', { token, body: sent })).body.errors ?? [];
      expect([value, error?.extensions.code]).toStrictEqual([value, 'VALIDATION_ERROR']);
    }
  });

  test('sessions are paged, and limits outside 1 to 100 are refused', async () => {
    const { accessToken: token, email } = await registered(service);
    for (const at of [1, 2, 3, 4])
      await call(
        service,
        'rest',
        'login',
        { provider: 'email', providerId: email, providerData: { password: goodPassword } },
        { userAgent: `device ${at}` },
      );
    for (const transport of ['rest', 'graphql'] as const) {
      const page = await call(service, transport, 'listMySessions', { page: 2, limit: 2 }, { token });
      expect([page.data.items.length, page.data.totalCount, page.data.hasNextPage]).toStrictEqual([2, 5, true]);
      const last = await call(service, transport, 'listMySessions', { page: 3, limit: 2 }, { token });
      expect([last.data.items.length, last.data.hasNextPage, last.data.items[0].isCurrent]).toStrictEqual([1, false, true]);
      expect(last.data.items[0].id).toBe(claimsOf(token).jti);
      for (const limit of [0, -1, 101])
        expect((await call(service, transport, 'listMySessions', { limit }, { token })).field).toBe('limit');
    }
  });
});
