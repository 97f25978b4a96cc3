import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import sharp from 'sharp';
import { registered, startIdentity } from '../../../testing/service.ts';
import { call } from '../../../testing/transports.ts';

const scopes = [
  () => ({ tenant: 'organization', id: newId() }),
  () => ({ tenant: 'organizationProject', id: `${newId()}:${newId()}` }),
  () => ({ tenant: 'accountProject', id: `${newId()}:${newId()}` }),
];
const operations = ['listUsers', 'getUser', 'createUser', 'updateUser', 'deleteUser', 'uploadUserPicture'];
const permissions: Readonly<Record<string, string>> = {
  listUsers: 'User:Query',
  getUser: 'User:Read',
  createUser: 'User:Create',
  updateUser: 'User:Update',
  deleteUser: 'User:Delete',
  uploadUserPicture: 'User:UploadPicture',
};

const service = await startIdentity();
const owner = await registered(service);
const picture = (
  await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64');

describe('users within a scope', () => {
  afterAll(async () => service.stop());
  beforeEach(() => {
    service.peers.denied.clear();
    service.peers.verdicts.clear();
  });

  const inputOf = (operation: string, scope: object, id: string) => ({
    scope,
    ...(operation === 'listUsers' || operation === 'createUser' ? {} : { id }),
    ...(operation === 'createUser' ? { name: 'Linus' } : {}),
    ...(operation === 'updateUser' ? { name: 'Linus T.' } : {}),
    ...(operation === 'uploadUserPicture' ? { file: picture, filename: 'a.png', contentType: 'image/png' } : {}),
  });
  const transportsFor = (operation: string) => (operation === 'getUser' ? (['rest'] as const) : (['rest', 'graphql'] as const));
  const make = async (scope: object, more: object = {}) => {
    const made = await call(service, 'rest', 'createUser', { scope, name: 'Linus', ...more }, { token: owner.accessToken });
    expect([made, made.code]).toStrictEqual([made, 'ok']);
    return made.data;
  };

  for (const scopeOf of scopes) {
    const { tenant } = scopeOf();
    for (const operation of operations) {
      for (const transport of transportsFor(operation)) {
        test(`${operation} in ${tenant} over ${transport}: allowed, refused, not there [spec:rest.6 spec:graphql.6 spec:codes.6]`, async () => {
          const [scope, elsewhere] = [scopeOf(), scopeOf()];
          const token = owner.accessToken;
          const { id } = await make(scope);
          const { id: stranger } = await make(elsewhere);
          const ask = (input: object, as: object = { token }) => call(service, transport, operation, { ...input }, as);
          expect((await ask(inputOf(operation, scope, id), {})).code).toBe('UNAUTHENTICATED');
          service.peers.denied.add(permissions[operation] ?? '');
          expect((await ask(inputOf(operation, scope, id), { token, headers: { 'cache-control': 'no-cache' } })).code).toBe('FORBIDDEN');
          service.peers.denied.clear();
          if ('id' in inputOf(operation, scope, id)) {
            // Another tenant’s user.
            expect((await ask(inputOf(operation, scope, stranger))).code).toBe('NOT_FOUND');
            expect((await ask(inputOf(operation, scope, newId()))).code).toBe('NOT_FOUND');
          }
          expect((await ask({ ...inputOf(operation, { tenant: 'account', id: newId() }, id) })).code).toBe('VALIDATION_ERROR');
          const done = await ask(inputOf(operation, scope, id));
          expect([done, done.code]).toStrictEqual([done, 'ok']);
        });
      }
    }

    test(`in ${tenant} an unverified caller ${tenant === 'accountProject' ? 'may' : 'may not'} write, and may read [spec:gating.2-3 spec:gating.5 spec:gating.8]`, async () => {
      const scope = scopeOf();
      const { accessToken: token } = await registered(service, { verified: false });
      for (const transport of ['rest', 'graphql'] as const) {
        const written = await call(service, transport, 'createUser', { scope, name: 'Linus' }, { token });
        expect(written.code).toBe(tenant === 'accountProject' ? 'ok' : 'EMAIL_VERIFICATION_REQUIRED');
        expect((await call(service, transport, 'listUsers', { scope }, { token })).code).toBe('ok');
      }
    });
  }

  test('what is made is told to tenancy and rbac, with roles, tags and its maker', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const [role, tag] = [newId(), newId()];
    const { id } = await make(scope, { metadata: { badge: 7 }, roleIds: [role], tagIds: [tag], primaryTagId: tag });
    const joined = service.peers.events.filter(({ event }) => event.type === 'user.joined' && event.key === id);
    expect(joined.map(({ subscriber }) => subscriber).sort()).toStrictEqual(['rbac', 'tenancy']);
    expect(JSON.parse(joined[0]?.event.payloadJson ?? '')).toStrictEqual({
      userId: id,
      name: 'Linus',
      email: null,
      scope,
      roleIds: [role],
      tagIds: [tag],
      primaryTagId: tag,
      createdBy: owner.userId,
    });
    const record = `SELECT changes FROM audit_log WHERE action = 'user.created' AND target_id = $1`;
    const [row] = await service.database.query<{ changes: readonly unknown[] }>({ text: record }, [id]);
    expect(row?.changes).toContainEqual({ field: 'tagIds', before: null, after: [tag] });
  });

  test('a person in an organization takes a place that tenancy holds, and is not made without one; in a project they take none', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const { id } = await make(scope);
    expect(service.peers.heldPlaces.at(-1)).toBe(id);
    service.peers.onHoldPlace = (organizationId) => {
      if (organizationId === scope.id) throw failures.unavailable('tenancy');
    };
    const before = service.peers.events.length;
    for (const transport of ['rest', 'graphql'] as const)
      expect((await call(service, transport, 'createUser', { scope, name: 'Late' }, { token: owner.accessToken })).code).toBe(
        'SERVICE_UNAVAILABLE',
      );
    expect(service.peers.events).toHaveLength(before);
    const project = await make({ tenant: 'organizationProject', id: `${scope.id}:${newId()}` });
    expect(service.peers.heldPlaces).not.toContain(project.id);
    service.peers.onHoldPlace = () => undefined;
  });

  test('a change of tags is told to rbac in the commit that changes the rest, and not when that fails', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const { id } = await make(scope);
    const [one, two] = [newId(), newId()];
    const told = () =>
      service.peers.events
        .filter(({ event, subscriber }) => event.type === 'entity.tagged' && event.key === id && subscriber === 'rbac')
        .map(({ event }) => JSON.parse(event.payloadJson));
    for (const transport of ['rest', 'graphql'] as const) {
      const change = { scope, id, name: transport, tagIds: [one, two], primaryTagId: two };
      expect((await call(service, transport, 'updateUser', change, { token: owner.accessToken })).code).toBe('ok');
      expect(told().at(-1)).toStrictEqual({ scope, entity: 'user', entityId: id, tagIds: [one, two], primaryTagId: two });
    }
    expect((await call(service, 'rest', 'updateUser', { scope, id, name: 'Same' }, { token: owner.accessToken })).code).toBe('ok');
    expect(told()).toHaveLength(2);
    const last = { scope, id, roleIds: [newId()], tagIds: [one] };
    service.peers.verdicts.set(last.roleIds[0] ?? '', 'above-own-rank');
    expect((await call(service, 'rest', 'updateUser', last, { token: owner.accessToken })).code).toBe('FORBIDDEN');
    expect(told()).toHaveLength(2);
  });

  test('the primary tag is part of a person, and of lists with relations=tags', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const [first, second] = [newId(), newId()];
    const ask = (transport: 'rest' | 'graphql', operation: string, input: object) =>
      call(service, transport, operation, { scope, ...input }, { token: owner.accessToken });
    const { id, primaryTagId } = await make(scope, { tagIds: [first, second], primaryTagId: first });
    expect(primaryTagId).toBe(first);
    const shown = async () => [
      (await ask('rest', 'getUser', { id })).data.primaryTagId,
      (await ask('rest', 'listUsers', { ids: [id], relations: ['tags'] })).data.items[0].primaryTagId,
      (await ask('graphql', 'listUsers', { ids: [id] })).data.items[0].primaryTagId,
    ];
    expect(await shown()).toStrictEqual([first, first, first]);
    expect('primaryTagId' in (await ask('rest', 'listUsers', { ids: [id] })).data.items[0]).toBe(false);
    for (const transport of ['rest', 'graphql'] as const) {
      const changed = async (change: object) => (await ask(transport, 'updateUser', { id, ...change })).data.primaryTagId;
      expect(await changed({ primaryTagId: second })).toBe(second);
      // What is not said stays.
      expect(await changed({ metadata: {} })).toBe(second);
      // A tag that was taken away.
      expect(await changed({ tagIds: [first] })).toBeNull();
      expect(await changed({ primaryTagId: first })).toBe(first);
      expect(await shown()).toStrictEqual([first, first, first]);
      await changed({ tagIds: [first, second] });
    }
  });

  test('roles that do not exist are not found, roles above one’s own are refused, and nothing changes', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const { id } = await make(scope);
    const [missing, above, escalating] = [newId(), newId(), newId()];
    service.peers.verdicts.set(missing, 'not-found').set(above, 'above-own-rank').set(escalating, 'escalation');
    const before = service.peers.setRoles.length;
    for (const transport of ['rest', 'graphql'] as const) {
      for (const [roleId, code] of [
        [missing, 'NOT_FOUND'],
        [above, 'FORBIDDEN'],
        [escalating, 'FORBIDDEN'],
      ]) {
        const token = owner.accessToken;
        expect((await call(service, transport, 'createUser', { scope, name: 'x', roleIds: [roleId] }, { token })).code).toBe(code);
        expect((await call(service, transport, 'updateUser', { scope, id, name: 'x', roleIds: [roleId] }, { token })).code).toBe(code);
      }
      const tags = await call(service, transport, 'updateUser', { scope, id, tagIds: [missing] }, { token: owner.accessToken });
      expect(tags.code).toBe('NOT_FOUND');
      const primary = await call(
        service,
        transport,
        'createUser',
        { scope, name: 'x', primaryTagId: newId() },
        { token: owner.accessToken },
      );
      expect(primary.field).toBe('primaryTagId');
    }
    expect(service.peers.setRoles).toHaveLength(before);
    const [row] = await service.database.query<{ name: string }>(sql('SELECT name FROM users WHERE id = $1'), [id]);
    expect(row?.name).toBe('Linus');
    const good = newId();
    expect((await call(service, 'rest', 'updateUser', { scope, id, roleIds: [good] }, { token: owner.accessToken })).code).toBe('ok');
    expect(service.peers.setRoles.at(-1)).toStrictEqual({ userId: id, roleIds: [good] });
  });

  test('a profile is changed by the person, or by the scope of a person who cannot sign in; a refusal changes nothing', async () => {
    const [home, elsewhere] = [
      { tenant: 'organization', id: newId() },
      { tenant: 'organization', id: newId() },
    ];
    const { id: directory } = await make(home);
    const guest = await registered(service);
    service.peers.people.set(elsewhere.id, new Set([directory, guest.userId, owner.userId]));
    const cases = [
      [directory, home, 'ok'],
      [directory, elsewhere, 'errors.user.homeProfile'],
      [guest.userId, elsewhere, 'errors.user.ownProfile'],
      [owner.userId, elsewhere, 'ok'],
    ] as const;
    const before = service.peers.setRoles.length;
    for (const transport of ['rest', 'graphql'] as const) {
      for (const [id, scope, expected] of cases) {
        const roleIds = expected === 'ok' ? {} : { roleIds: [newId()] };
        for (const change of [{ name: 'Changed' }, { metadata: { clearance: 'top' } }]) {
          const input = { scope, id, ...change, ...roleIds };
          const { code, key } = await call(service, transport, 'updateUser', input, { token: owner.accessToken });
          expect(code === 'ok' ? code : key).toBe(expected);
        }
        const file = { scope, id, file: picture, filename: 'a.png', contentType: 'image/png' };
        const { code, key } = await call(service, transport, 'uploadUserPicture', file, { token: owner.accessToken });
        expect(code === 'ok' ? code : key).toBe(expected);
      }
    }
    expect(service.peers.setRoles).toHaveLength(before);
    const [row] = await service.database.query(sql('SELECT name, metadata, picture_path FROM users WHERE id = $1'), [guest.userId]);
    expect(row).toStrictEqual({ name: guest.email.split('@')[0], metadata: {}, picture_path: null });
  });

  test('one’s own profile stays an account setting in a personal project: not before the address is verified', async () => {
    const scope = { tenant: 'accountProject', id: `${newId()}:${newId()}` };
    const { accessToken: token, userId: id } = await registered(service, { verified: false });
    service.peers.people.set(scope.id, new Set([id]));
    for (const transport of ['rest', 'graphql'] as const) {
      const renamed = await call(service, transport, 'updateUser', { scope, id, name: 'Renamed' }, { token });
      const file = { scope, id, file: picture, filename: 'a.png', contentType: 'image/png' };
      const pictured = await call(service, transport, 'uploadUserPicture', file, { token });
      expect([renamed.code, pictured.code]).toStrictEqual(['EMAIL_VERIFICATION_REQUIRED', 'EMAIL_VERIFICATION_REQUIRED']);
    }
  });

  test('provider ids are shown to those who may export, and to oneself [spec:relations.3]', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const other = await registered(service);
    service.peers.people.set(scope.id, new Set([owner.userId, other.userId]));
    // In the graph a user's accounts are tenancy's field.
    const relations = ['authenticationMethods', 'accounts', 'roles', 'tags'];
    const idsSeen = async (transport: 'rest' | 'graphql') => {
      const input = transport === 'rest' ? { scope, relations } : { scope };
      const { data } = await call(service, transport, 'listUsers', input, { token: owner.accessToken });
      const users: { id: string; accounts?: unknown[]; authenticationMethods: { providerId: string | null }[] }[] = data.items;
      expect(users.flatMap(({ authenticationMethods }) => authenticationMethods.filter((method) => 'email' in method))).toStrictEqual([]);
      return Object.fromEntries(
        users.map(({ id, accounts, authenticationMethods: [method] }) => [
          id,
          [method?.providerId, accounts?.length ?? (id === owner.userId ? 1 : 0)],
        ]),
      );
    };
    for (const transport of ['rest', 'graphql'] as const) {
      expect(await idsSeen(transport)).toStrictEqual({ [owner.userId]: [owner.email, 1], [other.userId]: [other.email, 0] });
    }
    service.peers.denied.add('User:ExportData');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const transport of ['rest', 'graphql'] as const) {
      expect(await idsSeen(transport)).toStrictEqual({ [owner.userId]: [owner.email, 1], [other.userId]: [null, 0] });
    }
    for (const denied of ['Role:Query', 'UserAuthenticationMethod:Query']) service.peers.denied.add(denied);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const relation of ['roles', 'authenticationMethods']) {
      const refused = await call(service, 'rest', 'listUsers', { scope, relations: [relation] }, { token: owner.accessToken });
      expect([relation, refused.code]).toStrictEqual([relation, 'FORBIDDEN']);
    }
    const unknown = await call(service, 'rest', 'listUsers', { scope, relations: ['passwords'] }, { token: owner.accessToken });
    expect(unknown.code).toBe('VALIDATION_ERROR');
  });

  test('a list says whether an account holds its address: after a click in another browser it is verified, and not held', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const [clicked, waiting] = [await registered(service, { verified: false }), await registered(service, { verified: false })];
    const [mail] = await service.mails(clicked.email);
    await service.ask('POST', '/api/auth/verify-email', { body: { token: mail?.data.token }, userAgent: 'another browser' });
    service.peers.people.set(scope.id, new Set([owner.userId, clicked.userId, waiting.userId]));
    type Shown = {
      readonly id: string;
      readonly authenticationMethods: readonly { readonly isVerified: boolean; readonly isHeld: boolean }[];
    };
    for (const transport of ['rest', 'graphql'] as const) {
      const input = transport === 'rest' ? { scope, relations: ['authenticationMethods'] } : { scope };
      const { data } = await call(service, transport, 'listUsers', input, { token: owner.accessToken });
      const shown = (data.items as readonly Shown[]).map(({ id, authenticationMethods: [method] }) => [
        id,
        method?.isVerified,
        method?.isHeld,
      ]);
      expect(Object.fromEntries(shown.map(([id, ...said]) => [id, said]))).toStrictEqual({
        [owner.userId]: [true, true],
        [clicked.userId]: [true, false],
        [waiting.userId]: [false, false],
      });
    }
  });

  test('lists are paged and filtered by ids, in the order that tenancy says', async () => {
    const scope = { tenant: 'organization', id: newId() };
    const made = [await make(scope), await make(scope), await make(scope)];
    for (const transport of ['rest', 'graphql'] as const) {
      const page = await call(service, transport, 'listUsers', { scope, page: 2, limit: 2 }, { token: owner.accessToken });
      expect([page.data.items.map(({ id }: { id: string }) => id), page.data.totalCount, page.data.hasNextPage]).toStrictEqual([
        [made[2].id],
        3,
        false,
      ]);
      const chosen = await call(service, transport, 'listUsers', { scope, ids: [made[1].id, newId()] }, { token: owner.accessToken });
      expect(chosen.data.items.map(({ id }: { id: string }) => id)).toStrictEqual([made[1].id]);
      const tagged = await call(service, transport, 'listUsers', { scope, tagIds: [newId()] }, { token: owner.accessToken });
      expect([tagged.data.items, tagged.data.totalCount]).toStrictEqual([[], 0]);
      const tag = newId();
      for (const { id } of made.slice(0, 2)) service.peers.tags.set(id, { tagIds: [tag], primaryTagId: undefined });
      const both = { scope, ids: [made[1].id, made[2].id], tagIds: [tag] };
      const chosenAndTagged = await call(service, transport, 'listUsers', both, { token: owner.accessToken });
      // Filters by id and by tag must both match.
      expect(chosenAndTagged.data.items.map(({ id }: { id: string }) => id)).toStrictEqual([made[1].id]);
    }
  });
});
