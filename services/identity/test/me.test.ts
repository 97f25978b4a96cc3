import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import sharp from 'sharp';
import { claimsOf, goodPassword, registered, startIdentity, type TestService } from './service.ts';
import { call, transportsOf } from './transports.ts';

const newPassword = 'Another7!Word';
const png = () =>
  sharp({ create: { width: 900, height: 600, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
const upload = (file: Buffer, contentType = 'image/png') => ({ file: file.toString('base64'), filename: 'me.png', contentType });

describe('me', () => {
  let service: TestService;
  before(async () => {
    service = await startIdentity();
  });
  after(async () => service.stop());

  const addMethod = async (userId: string, provider: string) => {
    const id = newId();
    const insert = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
      VALUES ($1, $2, $3, $4, true, false, now(), now())`;
    await service.database.query(sql(insert), [id, userId, provider, newId()]);
    return id;
  };

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
    uploadMyPicture: async () => upload(await png()),
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

    test(`methods over ${transport}: add, conflict, make primary, delete; neither the primary nor the last one goes [spec:methods.1-4 spec:methods.6-8]`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const list = () => call(service, transport, 'listMyAuthenticationMethods', {}, { token });
      const [first] = (await list()).data.items;
      assert.deepEqual([first.provider, first.providerId, first.isPrimary, first.isVerified], ['email', email, true, true]);
      assert.equal('providerData' in first, false);
      const last = await call(service, transport, 'deleteMyAuthenticationMethod', { id: first.id }, { token });
      assert.equal(last.code, 'CONFLICT');
      const second = { provider: 'email', providerId: `second.${email}`, providerData: { password: goodPassword } };
      const same = await call(service, transport, 'createMyAuthenticationMethod', second, { token });
      assert.deepEqual([same.code, same.field], ['CONFLICT', 'provider']);
      const codehost = await addMethod(userId, 'codehost');
      const primary = await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      assert.deepEqual([primary.code, primary.data?.isPrimary], ['ok', true]);
      assert.equal((await call(service, transport, 'deleteMyAuthenticationMethod', { id: codehost }, { token })).code, 'CONFLICT');
      const gone = await call(service, transport, 'deleteMyAuthenticationMethod', { id: first.id }, { token });
      assert.equal(gone.code, 'ok');
      const taken = await registered(service);
      const others = await call(service, transport, 'createMyAuthenticationMethod', { ...second, providerId: taken.email }, { token });
      assert.deepEqual([others.code, others.field], ['CONFLICT', 'providerId']);
      const added = await call(service, transport, 'createMyAuthenticationMethod', second, { token });
      assert.deepEqual([added.code, added.data?.isVerified, added.data?.isPrimary], ['ok', false, false]);
      assert.equal((await service.mails(second.providerId)).length, 1);
      const notices = (await service.mails(email, 2)).filter(({ template }) => template.startsWith('method-'));
      assert.deepEqual(
        notices.map(({ template, data }) => [template, data.provider, data.token]),
        [['method-removed', 'email', '']],
        'the owner hears of it where they are known to be; of what is only claimed nobody there does',
      );
      assert.equal((await list()).data.totalCount, 2);
      const foreign = await call(service, transport, 'listMyAuthenticationMethods', {}, { token: taken.accessToken });
      const id = foreign.data.items[0].id;
      for (const operation of ['setMyPrimaryAuthenticationMethod', 'deleteMyAuthenticationMethod']) {
        assert.equal((await call(service, transport, operation, { id }, { token })).code, 'NOT_FOUND');
      }
    });

    test(`a removed method ends what was opened by it, over ${transport}; the session that asks stays`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const elsewhere = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
      const stolen = (await call(service, 'rest', 'login', elsewhere, { userAgent: 'the device of a thief' })).data;
      const codehost = await addMethod(userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const { id } = items.find(({ provider }: { provider: string }) => provider === 'email');
      assert.equal((await call(service, transport, 'deleteMyAuthenticationMethod', { id }, { token })).code, 'ok');
      assert.equal((await call(service, 'rest', 'getMe', {}, { token: stolen.accessToken })).code, 'UNAUTHENTICATED');
      const refreshed = await call(service, 'rest', 'refreshSession', { refreshToken: stolen.refreshToken });
      assert.equal(refreshed.code, 'UNAUTHENTICATED');
      assert.equal((await call(service, 'rest', 'getMe', {}, { token })).code, 'ok');
    });

    test(`an address that somebody only claims brings its owner into no account of theirs, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const codehost = await addMethod(userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const own = items.find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const victim = `victim.${email}`;
      const claimed = { provider: 'email', providerId: victim, providerData: { password: goodPassword } };
      assert.equal((await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).code, 'ok');
      assert.equal((await call(service, transport, 'requestPasswordReset', { email: victim })).code, 'ok');
      const [verification, ...more] = await service.mails(victim, 2);
      assert.deepEqual([verification?.template, more], ['verify-email', []], 'no reset into an account that somebody else signs in to');
      await call(service, transport, 'verifyEmail', { token: verification?.data.token });
      await call(service, transport, 'requestPasswordReset', { email: victim });
      assert.deepEqual((await service.mails(victim, 2)).map(({ template }) => template).sort(), ['reset-password', 'verify-email']);
    });

    test(`an address that somebody only claims is free to be registered, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const codehost = await addMethod(userId, 'codehost');
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const mine = async () => (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data.items;
      const own = (await mine()).find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const claimed = { provider: 'email', providerId: `victim.${email}`, providerData: { password: goodPassword } };
      const { id } = (await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).data;
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id }, { token });
      const victim = await call(service, transport, 'register', claimed);
      assert.equal(victim.code, 'ok', JSON.stringify(victim));
      assert.deepEqual(
        (await mine()).map((method: { id: string; isPrimary: boolean }) => [method.id, method.isPrimary]),
        [[codehost, true]],
      );
      assert.equal((await call(service, transport, 'register', claimed)).code, 'CONFLICT', 'the only way to sign in is no mere claim');
      assert.equal((await call(service, transport, 'getMe', {}, { token })).code, 'ok');
    });

    test(`nobody is shown under an address that they only claim, over ${transport}`, async () => {
      const { accessToken: token, userId, email } = await registered(service);
      const proven = `proven.${email}`;
      const codehost = await addMethod(userId, 'codehost');
      await service.database.query(sql('UPDATE authentication_methods SET email = $2 WHERE id = $1'), [codehost, proven]);
      await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id: codehost }, { token });
      const { items } = (await call(service, transport, 'listMyAuthenticationMethods', {}, { token })).data;
      const own = items.find(({ provider }: { provider: string }) => provider === 'email');
      await call(service, transport, 'deleteMyAuthenticationMethod', { id: own.id }, { token });
      const told = () => service.peers.events.filter(({ event }) => event.type === 'user.updated' && event.key === userId).at(-1)?.event;
      assert.equal(JSON.parse(told()?.payloadJson ?? '{}').email, proven, 'the others hear of the address that is left');
      const claimed = { provider: 'email', providerId: `boss.${email}`, providerData: { password: goodPassword } };
      const { id } = (await call(service, transport, 'createMyAuthenticationMethod', claimed, { token })).data;
      assert.equal((await call(service, transport, 'setMyPrimaryAuthenticationMethod', { id }, { token })).code, 'ok');
      const me = (await call(service, transport, 'getMe', {}, { token })).data;
      assert.deepEqual([me.email, me.isVerified], [proven, true]);
      assert.equal(JSON.parse(told()?.payloadJson ?? '{}').email, proven);
    });

    test(`a picture over ${transport} is decoded, made small and stripped; its address serves it`, async () => {
      const { accessToken: token } = await registered(service);
      const secretive = await sharp(await png())
        .withExif({ IFD0: { Copyright: 'my secret place' } })
        .jpeg()
        .toBuffer();
      const kept = await call(service, transport, 'uploadMyPicture', upload(secretive, 'image/png'), { token });
      assert.equal(kept.code, 'ok', JSON.stringify(kept));
      const me = await call(service, 'rest', 'getMe', {}, { token });
      assert.equal(me.data.user.pictureUrl, kept.data.url);
      assert.equal(kept.data.url, `http://tessera.test${kept.data.path}`);
      const served = await service.ask('GET', kept.data.path);
      assert.deepEqual(
        [served.status, served.headers['content-type'], served.headers['x-content-type-options']],
        [200, 'image/webp', 'nosniff'],
      );
      assert.ok(!String(served.body).includes('my secret place'));
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');
      for (const bad of [svg, Buffer.from('GIF89a but no picture'), Buffer.from('<html>'), (await png()).subarray(0, 200)]) {
        const refused = await call(service, transport, 'uploadMyPicture', upload(bad), { token });
        assert.deepEqual([refused.code, refused.field], ['VALIDATION_ERROR', 'file']);
      }
      const noBase64 = await call(service, transport, 'uploadMyPicture', { ...upload(secretive), file: '%%%%' }, { token });
      assert.equal(noBase64.field, 'file');
      assert.equal((await call(service, transport, 'uploadMyPicture', upload(secretive, 'image/svg+xml'), { token })).field, 'contentType');
    });

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
      assert.equal(exported.data.user.id, userId);
      assert.ok(!/\$2b\$|passwordHash|providerData|"hash"/.test(JSON.stringify(exported.data)));
    });

    for (const hardDelete of [false, true]) {
      test(`deletion over ${transport}, ${hardDelete ? 'hard' : 'soft'}: tokens, sign-in and refresh end at once; the address is ${hardDelete ? 'free' : 'kept'}`, async () => {
        const { accessToken: token, email, userId, refreshToken } = await registered(service);
        const deleted = await call(service, transport, 'deleteMyAccounts', { hardDelete }, { token });
        assert.equal(deleted.code, 'ok', JSON.stringify(deleted));
        assert.equal(deleted.data.id, userId);
        assert.ok(deleted.data.deletedAt);
        await new Promise((resolve) => setTimeout(resolve, 100));
        assert.equal((await call(service, 'rest', 'getMe', {}, { token })).code, 'UNAUTHENTICATED');
        assert.equal((await call(service, 'rest', 'refreshSession', { refreshToken })).code, 'UNAUTHENTICATED');
        const credentials = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
        assert.equal((await call(service, 'rest', 'login', credentials)).code, 'UNAUTHENTICATED');
        const again = await call(service, 'rest', 'register', credentials);
        assert.equal(again.code, hardDelete ? 'ok' : 'CONFLICT');
        const told = service.peers.events.filter(({ event }) => event.type === 'user.deleted' && event.key === userId);
        assert.deepEqual(told.map(({ subscriber }) => subscriber).sort(), ['keys', 'rbac', 'tenancy']);
        const rows = await service.database.query(sql('SELECT FROM users WHERE id = $1'), [userId]);
        assert.equal(rows.length, hardDelete ? 0 : 1);
      });
    }
  }

  test('the rules of methods hold in the database, whatever runs at once [spec:methods.4 spec:methods.8-10]', async () => {
    const { userId, accessToken: token } = await registered(service);
    const [first] = (await call(service, 'rest', 'listMyAuthenticationMethods', {}, { token })).data.items;
    const ids = [first.id, ...(await Promise.all(Array.from({ length: 6 }, (_, at) => addMethod(userId, `provider-${at}`))))];
    const choose = ids.map((id) => call(service, 'rest', 'setMyPrimaryAuthenticationMethod', { id }, { token }));
    const remove = ids.map((id) => call(service, 'rest', 'deleteMyAuthenticationMethod', { id }, { token }));
    const outcomes = await Promise.all([...choose, ...remove, ...choose, ...remove]);
    assert.ok(
      outcomes.every(({ code }) => ['ok', 'CONFLICT', 'NOT_FOUND'].includes(code)),
      JSON.stringify(outcomes.map(({ code }) => code)),
    );
    const left = await service.database.query<{ primaries: number; methods: number }>(
      sql('SELECT count(*) FILTER (WHERE is_primary) AS primaries, count(*) AS methods FROM authentication_methods WHERE user_id = $1'),
      [userId],
    );
    assert.equal(left[0]?.primaries, 1);
    assert.ok((left[0]?.methods ?? 0) >= 1);
    const violations = [
      'DELETE FROM authentication_methods WHERE user_id = $1',
      'UPDATE authentication_methods SET is_primary = false WHERE user_id = $1',
    ];
    for (const violation of violations)
      await assert.rejects(service.database.query(sql(violation), [userId]), /no primary authentication method/);
    const second = `INSERT INTO authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
      VALUES (gen_random_uuid(), $1, 'second-primary', 'x', true, true, now(), now())`;
    await assert.rejects(service.database.query(sql(second), [userId]), /authentication_methods_primary/);
  });

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
