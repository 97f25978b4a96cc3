/** Apps that are OpenID clients: what each type may have, their secrets and consents. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { type OauthService, startOauth } from '../../testing/oauth.ts';
import { join } from '../../testing/project.ts';
import { type Answer, appUrl, type Registered, registered } from '../../testing/service.ts';
import { addConsent, findConsent } from '../storage/project-app-consents.ts';
import { findAppSecrets, insertAppSecret, markAppSecretUsed, matchAppSecret } from '../storage/project-app-secrets.ts';
import { insertAppToken } from '../storage/project-app-tokens.ts';
import { findProjectApp, findProjectAppByClient, findTypedApp } from '../storage/project-apps.ts';
import { mayStillGiveRole } from '../voucher.ts';

let service: OauthService;
let owner: Registered;
beforeAll(async () => {
  service = await startOauth();
  owner = await registered(service);
});
afterAll(async () => service.stop());

const redirectUris = ['https://client.example/cb'];
const publicKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

function newScope() {
  const scope = { tenant: 'organizationProject', id: `${newId()}:${newId()}` } as const;
  join(service.peers, scope.id.slice(0, 36), owner.userId);
  return scope;
}
function inQuery({ tenant, id }: { tenant: string; id: string }) {
  return `tenant=${tenant}&scopeId=${encodeURIComponent(id)}`;
}
const create = (body: object, token = owner.accessToken) =>
  service.ask('POST', '/api/project-apps', { body: { name: 'Shop', ...body }, token });
function outcome({ status, body }: Answer) {
  return body.success ? status : [status, body.extensions?.field ?? body.translationKey];
}

describe('types', () => {
  test.each([
    ['web', {}, 'client_secret_basic', ['authorization_code', 'refresh_token'], true],
    ['spa', {}, 'none', ['authorization_code', 'refresh_token'], false],
    ['native', {}, 'none', ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'], false],
    ['machine', { roleId: newId(), redirectUris: [] }, 'client_secret_basic', ['client_credentials'], true],
  ])('%s has its defaults, and a secret only where it can keep one', async (type, fields, method, grants, hasSecret) => {
    const { body } = await create({ scope: newScope(), type, redirectUris, ...fields });
    const { tokenEndpointAuthMethod, grantTypes, clientSecret, isFirstParty, requireSecondFactor } = body.data;
    expect([tokenEndpointAuthMethod, grantTypes, isFirstParty, requireSecondFactor]).toStrictEqual([method, grants, false, false]);
    expect(String(clientSecret)).toMatch(hasSecret ? /^tas_[\w-]{43}$/ : /^undefined$/);
  });

  const roleId = newId();
  test.each([
    ['a type that there is not', { type: 'robot' }, 'type'],
    ['a grant of a machine for people', { type: 'web', grantTypes: ['client_credentials'] }, 'grantTypes.0'],
    ['refreshing alone', { type: 'web', grantTypes: ['refresh_token'] }, 'grantTypes'],
    ['a browser app that keeps a secret', { type: 'spa', tokenEndpointAuthMethod: 'client_secret_basic' }, 'tokenEndpointAuthMethod'],
    ['a web app without authentication', { type: 'web', tokenEndpointAuthMethod: 'none' }, 'tokenEndpointAuthMethod'],
    ['a machine without a role', { type: 'machine', redirectUris: [] }, 'roleId'],
    ['a machine with redirect URIs', { type: 'machine', roleId }, 'redirectUris'],
    [
      'a machine that signs people up',
      { type: 'machine', roleId, redirectUris: [], allowSignUp: true, signUpRoleId: roleId },
      'allowSignUp',
    ],
    ['a role of a web app', { type: 'web', roleId }, 'roleId'],
    ['no redirect URI', { type: 'web', redirectUris: [] }, 'redirectUris'],
    ['signed requests without a key', { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt' }, 'jwks'],
    [
      'two sources of keys',
      { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [publicKey] }, jwksUri: 'https://client.example/jwks' },
      'jwksUri',
    ],
    ['keys without use', { type: 'web', jwks: { keys: [publicKey] } }, 'jwks'],
    ['a private key', { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [privateKey] } }, 'jwks.keys.0'],
    [
      'a shared key',
      { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [publicKey, { kty: 'oct', k: 'c2VjcmV0' }] } },
      'jwks.keys.1',
    ],
    ['no PKCE for a browser app', { type: 'spa', requirePkce: false }, 'requirePkce'],
    ['no PKCE for a native app', { type: 'native', requirePkce: false }, 'requirePkce'],
    ['no PKCE for a machine', { type: 'machine', roleId, redirectUris: [], requirePkce: false }, 'requirePkce'],
    ['no PKCE in the fragment flow', { requirePkce: false }, 'requirePkce'],
    ['a web app that acts in grants', { type: 'web', actsInGrants: true }, 'actsInGrants'],
    ['an app of the fragment flow that acts in grants', { actsInGrants: true }, 'actsInGrants'],
    ['an app of the fragment flow for new organizations', { allowOrganizationSignUp: true }, 'allowOrganizationSignUp'],
    [
      'a machine for new organizations',
      { type: 'machine', roleId, redirectUris: [], allowOrganizationSignUp: true },
      'allowOrganizationSignUp',
    ],
    [
      'an app that lets people join the project, and make organizations',
      { type: 'web', allowSignUp: true, signUpRoleId: roleId, allowOrganizationSignUp: true },
      'allowOrganizationSignUp',
    ],
    ['a private scheme in a browser', { type: 'spa', redirectUris: ['com.example.app:/cb'] }, 'redirectUris.0'],
    ['a fragment', { type: 'web', redirectUris: ['https://client.example/cb#x'] }, 'redirectUris.0'],
    ['a logout address over http', { type: 'web', postLogoutRedirectUris: ['http://client.example/out'] }, 'postLogoutRedirectUris.0'],
    ['a notice over http', { type: 'web', backchannelLogoutUri: 'http://client.example/logout' }, 'backchannelLogoutUri'],
    ['keys over http', { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'http://client.example/jwks' }, 'jwksUri'],
    ['a notice to a private address', { type: 'web', backchannelLogoutUri: 'https://10.0.0.7/logout' }, 'backchannelLogoutUri'],
    [
      'keys at a private address',
      { type: 'web', tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://[fd00::1]/jwks' },
      'jwksUri',
    ],
    ['a page of the platform to redirect to', { type: 'web', redirectUris: [`${appUrl}/console`] }, 'redirectUris.0'],
    [
      'a page of the platform after logout',
      { type: 'web', postLogoutRedirectUris: [`${appUrl}/oauth/logout`] },
      'postLogoutRedirectUris.0',
    ],
    ['a client of the fragment flow with a secret', { tokenEndpointAuthMethod: 'client_secret_basic' }, 'tokenEndpointAuthMethod'],
    ['a client of the fragment flow without consent', { isFirstParty: true }, 'isFirstParty'],
  ])('refused: %s', async (_what, fields, field) => {
    expect(outcome(await create({ scope: newScope(), redirectUris, ...fields }))).toStrictEqual([400, field]);
  });

  test('private schemes and loopback addresses are for native apps', async () => {
    const addresses = ['com.example.app:/cb', 'http://127.0.0.1/cb', 'https://client.example/cb'];
    expect(outcome(await create({ scope: newScope(), type: 'native', redirectUris: addresses }))).toBe(201);
  });

  test('PKCE is the default, and a web app may do without', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    expect(app.requirePkce).toBe(true);
    const body = { scope, requirePkce: false };
    const changed = await service.ask('PATCH', `/api/project-apps/${app.id}`, { body, token: owner.accessToken });
    expect(changed.body.data).toMatchObject({ requirePkce: false });
  });

  test('the type never changes, the rest does', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    const update = (body: object) =>
      service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope, ...body }, token: owner.accessToken });
    expect(outcome(await update({ type: 'spa' }))).toStrictEqual([400, 'type']);
    const postLogoutRedirectUris = ['https://client.example/bye'];
    const changed = await update({ postLogoutRedirectUris, requireSecondFactor: true, tokenEndpointAuthMethod: 'client_secret_post' });
    expect(changed.body.data).toMatchObject({ type: 'web', postLogoutRedirectUris, requireSecondFactor: true });
    expect(changed.body.data).not.toHaveProperty('clientSecret');
  });

  test('GraphQL says the same', async () => {
    const scope = newScope();
    const document = `mutation ($input: CreateProjectAppInput!) { createProjectApp(input: $input) { id type clientSecret grantTypes } }`;
    const input = { scope, name: 'Shop', type: 'web', redirectUris };
    const { data } = (await service.graphql(document, { input }, { token: owner.accessToken })).body;
    expect(data.createProjectApp).toMatchObject({ type: 'web', clientSecret: expect.stringMatching(/^tas_/) });
    const listed = `query ($input: ProjectAppSecretsInput!) { projectAppSecrets(input: $input) { items { id lastFour lastUsedAt } } }`;
    const secrets = (await service.graphql(listed, { input: { scope, id: data.createProjectApp.id } }, { token: owner.accessToken })).body;
    expect(secrets.data.projectAppSecrets.items).toHaveLength(1);
  });

  test('the fragment flow knows no typed apps, and OpenID no others', async () => {
    const [typed, other] = [
      await create({ scope: newScope(), type: 'web', redirectUris }),
      await create({ scope: newScope(), redirectUris }),
    ];
    const ids = [typed, other].map(({ body }) => String(body.data.clientId));
    const found = (app: object | undefined) => app !== undefined;
    expect(await Promise.all(ids.map(async (id) => found(await findTypedApp(service.database, id))))).toStrictEqual([true, false]);
    expect(await Promise.all(ids.map(async (id) => found(await findProjectAppByClient(service.database, id))))).toStrictEqual([
      false,
      true,
    ]);
  });
});

describe('rights', () => {
  test('an app lets people make organizations if who directs it may give the project to others', async () => {
    const scope = newScope();
    const admin = await registered(service);
    join(service.peers, scope.id.slice(0, 36), admin.userId);
    const made = await create({ scope, type: 'web', redirectUris, allowOrganizationSignUp: true }, admin.accessToken);
    expect([made.status, made.body.data.allowOrganizationSignUp]).toStrictEqual([201, true]);
    const { id } = made.body.data;
    const { body: plain } = await create({ scope, type: 'web', redirectUris });
    const patch = (app: string, fields: object) =>
      service.ask('PATCH', `/api/project-apps/${app}`, { body: { scope, ...fields }, token: owner.accessToken });
    service.peers.denied.add('ProjectGrant:Create');
    try {
      const another = ['https://client.example/cb', 'https://elsewhere.example/cb'];
      const refused = [
        await create({ scope, type: 'web', redirectUris, allowOrganizationSignUp: true }),
        await patch(plain.data.id, { allowOrganizationSignUp: true }),
        // Who directs it vouches for the sign-ups, too.
        await patch(id, { redirectUris: another }),
      ];
      expect(refused.map(({ status }) => status)).toStrictEqual([403, 403, 403]);
      // Who only stops them needs no such right; nor who changes what directs nothing.
      expect((await patch(id, { name: 'Store' })).status).toBe(200);
      expect((await patch(id, { allowOrganizationSignUp: false })).body.data.allowOrganizationSignUp).toBe(false);
    } finally {
      service.peers.denied.clear();
    }
    const both = await patch(id, { allowSignUp: true, signUpRoleId: newId(), allowOrganizationSignUp: true });
    expect(outcome(both)).toStrictEqual([400, 'allowOrganizationSignUp']);
    const ofAccount = { tenant: 'accountProject', id: `${newId()}:${newId()}` };
    const inAccount = await create({ scope: ofAccount, type: 'web', redirectUris, allowOrganizationSignUp: true });
    expect(outcome(inAccount)).toStrictEqual([400, 'allowOrganizationSignUp']);
  });

  test('only Owners and Admins make an app first-party, or direct one that is', async () => {
    const scope = newScope();
    const demands = { requireSecondFactor: true, enabledProviders: ['email'] };
    const { data: app } = (await create({ scope, type: 'web', redirectUris, isFirstParty: true, ...demands })).body;
    // A person without cached decisions.
    const dev = await registered(service);
    service.peers.denied.add('User:ExportData');
    try {
      expect(outcome(await create({ scope, type: 'web', redirectUris, isFirstParty: true }, dev.accessToken))).toStrictEqual([
        403,
        'errors.forbidden',
      ]);
      const update = (body: object) =>
        service.ask('PATCH', `/api/project-apps/${app.id}`, { body: { scope, ...body }, token: dev.accessToken });
      for (const change of [
        { redirectUris: ['https://thief.example/cb'] },
        { postLogoutRedirectUris: ['https://thief.example/bye'] },
        { backchannelLogoutUri: 'https://thief.example/logout' },
        { requireSecondFactor: false },
        { enabledProviders: [] },
        { enabledProviders: ['email', 'codehost'] },
      ])
        expect([change, outcome(await update(change))]).toStrictEqual([change, [403, 'errors.forbidden']]);
      expect(
        outcome(await service.ask('POST', `/api/project-apps/${app.id}/secrets`, { body: { scope }, token: dev.accessToken })),
      ).toStrictEqual([403, 'errors.forbidden']);
      expect(outcome(await update({ name: 'Store', requireSecondFactor: true, enabledProviders: ['email'] }))).toBe(200);
    } finally {
      service.peers.denied.clear();
    }
  });

  test('a machine app gets a role that its maker may give, and stops when that person may not any more', async () => {
    const scope = newScope();
    const [above, gone, roleId] = [newId(), newId(), newId()];
    service.peers.verdicts.set(above, 'above-own-rank').set(gone, 'not-found');
    const machine = { scope, type: 'machine' };
    expect(outcome(await create({ ...machine, roleId: above }))).toStrictEqual([403, 'errors.forbidden']);
    expect(outcome(await create({ ...machine, roleId: gone }))).toStrictEqual([400, 'roleId']);
    const { data } = (await create({ ...machine, roleId })).body;
    const vouched = async () => {
      const app = await findProjectApp(service.database, scope, data.id);
      return (
        app?.voucher != null &&
        (await mayStillGiveRole(app, app.voucher, {
          roles: {
            checkGrant: async ({ roleIds }) => ({
              verdicts: roleIds.map((id) => ({ roleId: id, verdict: service.peers.verdicts.get(id) ?? 'allowed' })),
            }),
          },
        }))
      );
    };
    expect(await vouched()).toBe(true);
    service.peers.verdicts.set(roleId, 'above-own-rank');
    expect(await vouched()).toBe(false);
    const secret = await service.ask('POST', `/api/project-apps/${data.id}/secrets`, { body: { scope }, token: owner.accessToken });
    expect(outcome(secret)).toStrictEqual([403, 'errors.forbidden']);
    service.peers.verdicts.set(roleId, 'not-found');
    expect(await vouched()).toBe(true);
  });
});

describe('secrets', () => {
  const secretsOf = (app: { id: string }, scope: { tenant: string; id: string }) => ({
    add: () => service.ask('POST', `/api/project-apps/${app.id}/secrets`, { body: { scope }, token: owner.accessToken }),
    list: () => service.ask('GET', `/api/project-apps/${app.id}/secrets?${inQuery(scope)}`, { token: owner.accessToken }),
    remove: (id: string) =>
      service.ask('DELETE', `/api/project-apps/${app.id}/secrets/${id}?${inQuery(scope)}`, { token: owner.accessToken }),
  });

  test('two are valid while one replaces the other; a list shows their last four characters', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    const secrets = secretsOf(app, scope);
    const second = (await secrets.add()).body.data;
    const listed = (await secrets.list()).body.data.items;
    expect(listed.map(({ lastFour }: { lastFour: string }) => lastFour)).toStrictEqual([
      app.clientSecret.slice(-4),
      second.clientSecret.slice(-4),
    ]);
    expect(JSON.stringify(listed)).not.toMatch(/digest|tas_/);
    const stored = await findAppSecrets(service.database, app.id);
    expect(
      [app.clientSecret, second.clientSecret, `${second.clientSecret}x`, ''].map((given) => matchAppSecret(stored, given)?.id),
    ).toStrictEqual([listed[0].id, listed[1].id, undefined, undefined]);
    expect(outcome(await secrets.add())).toStrictEqual([409, 'errors.projectApp.enoughSecrets']);
    expect(outcome(await secrets.remove(listed[0].id))).toBe(200);
    expect(outcome(await secrets.remove(listed[0].id))).toStrictEqual([404, 'errors.notFound']);
    expect(matchAppSecret(await findAppSecrets(service.database, app.id), app.clientSecret)).toBeUndefined();
  });

  test('ten at once make no third', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    const made = await Promise.all(Array.from({ length: 10 }, () => secretsOf(app, scope).add()));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await findAppSecrets(service.database, app.id)).toHaveLength(2);
  });

  test('its use is noted, at most once a minute', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    const used = async (at: Date) => {
      const [secret] = await findAppSecrets(service.database, app.id);
      if (secret !== undefined) await service.database.transaction((tx) => markAppSecretUsed(tx, secret, at));
      return (await findAppSecrets(service.database, app.id))[0]?.lastUsedAt;
    };
    const first = '2026-01-01T00:00:00.000Z';
    expect(await used(new Date(first))).toBe(first);
    expect(await used(new Date('2026-01-01T00:00:59.000Z'))).toBe(first);
    expect(await used(new Date('2026-01-01T00:01:01.000Z'))).toBe('2026-01-01T00:01:01.000Z');
  });

  test('apps without one, and of another project', async () => {
    const scope = newScope();
    const { data: spa } = (await create({ scope, type: 'spa', redirectUris })).body;
    expect(outcome(await secretsOf(spa, scope).add())).toStrictEqual([409, 'errors.projectApp.noSecrets']);
    const { data: web } = (await create({ scope, type: 'web', redirectUris })).body;
    const elsewhere = secretsOf(web, newScope());
    const [secret] = await findAppSecrets(service.database, web.id);
    for (const answer of [await elsewhere.add(), await elsewhere.list(), await elsewhere.remove(secret?.id ?? '')])
      expect(answer.status).toBe(404);
    await expect(
      service.database.transaction((tx) => insertAppSecret(tx, { id: newId(), projectAppId: web.id, secret: 'short' }, new Date())),
    ).resolves.toBeDefined();
  });
});

describe('consents', () => {
  async function consented() {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris })).body;
    const person = await registered(service);
    const grant = { userId: person.userId, projectAppId: String(app.id) };
    const tokenId = newId();
    await service.database.transaction(async (tx) => {
      await addConsent(tx, { ...grant, organizationId: null, scopes: ['profile', 'openid'] }, new Date('2026-01-01T00:00:00.000Z'));
      await addConsent(tx, { ...grant, organizationId: null, scopes: ['email', 'openid'] }, new Date('2026-01-02T00:00:00.000Z'));
      await insertAppToken(tx, { id: tokenId, appId: app.id, userId: person.userId, expiresAt: new Date(Date.now() + 60_000) });
    });
    const revoked = async () =>
      (await service.database.query<{ value: string }>(sql('SELECT value FROM revocations WHERE value = $1'), [tokenId])).length === 1;
    return { scope, app, person, grant, revoked };
  }

  test('whom an app may act for is the same for many people as for one: by their consents in this organization', async () => {
    const scope = newScope();
    const { data: app } = (await create({ scope, type: 'web', redirectUris, scopes: ['order:read', 'order:write'] })).body;
    const elsewhere = { tenant: scope.tenant, id: `${newId()}:${scope.id.slice(37)}` };
    const allow = (organizationId: string | null, scopes: readonly string[]) => async (userId: string) => {
      const consent = { userId, projectAppId: String(app.id), organizationId, scopes };
      await service.database.transaction((tx) => addConsent(tx, consent, new Date()));
    };
    const people = await Promise.all(
      [
        allow(null, ['openid', 'order:read']),
        allow(null, ['openid']),
        allow(elsewhere.id.slice(0, 36), ['order:write']),
        async () => undefined,
      ].map(async (make) => {
        const { userId } = await registered(service);
        await make(userId);
        return userId;
      }),
    );
    const [reads, nothing, writesElsewhere, unasked] = people;
    const allowed: (readonly string[])[] = [];
    for (const place of [scope, elsewhere])
      for (const name of ['order:read', 'order:write', 'order:delete']) {
        const request = { tenant: place.tenant, id: place.id, appId: String(app.id) };
        const { userIds } = await service.grpc.filterConsenting({ ...request, scope: name, userIds: people });
        const one = await Promise.all(people.map((userId) => service.grpc.findActingApp({ ...request, userId })));
        expect(userIds).toStrictEqual(people.filter((_, index) => one[index]?.app?.scopes.includes(name)));
        allowed.push(userIds);
      }
    expect(allowed).toStrictEqual([
      [reads, writesElsewhere, unasked],
      [writesElsewhere, unasked],
      [],
      [reads, nothing, unasked],
      people,
      [],
    ]);
    const request = { tenant: scope.tenant, id: scope.id, scope: 'order:read', userIds: people };
    expect(await service.grpc.filterConsenting({ ...request, appId: newId() })).toStrictEqual({ userIds: [] });
    const tooMany = { ...request, appId: String(app.id), userIds: Array.from({ length: 5_001 }, () => newId()) };
    await expect(service.grpc.filterConsenting(tooMany)).rejects.toMatchObject({ kind: 'bad-input' });
    expect((await service.grpc.filterConsenting({ ...tooMany, userIds: tooMany.userIds.slice(1) })).userIds).toHaveLength(5_000);
  });

  test('a person sees and withdraws their own, and the tokens end', async () => {
    const { app, scope, person, grant, revoked } = await consented();
    const { data } = (await service.ask('GET', '/api/me/consents', { token: person.accessToken })).body;
    expect(data.items).toMatchObject([
      {
        app: { clientId: app.clientId, name: 'Shop' },
        project: { scope, name: 'Shop' },
        organization: { name: 'Birch' },
        scopes: ['email', 'openid', 'profile'],
      },
    ]);
    service.peers.down.add('tenancy');
    const unnamed = (await service.ask('GET', '/api/me/consents', { token: person.accessToken })).body.data;
    service.peers.down.delete('tenancy');
    expect(unnamed.items).toMatchObject([{ app: { name: 'Shop' }, project: { scope, name: null }, organization: null }]);
    expect(outcome(await service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: owner.accessToken }))).toStrictEqual([
      404,
      'errors.notFound',
    ]);
    expect(await revoked()).toBe(false);
    expect(outcome(await service.ask('DELETE', `/api/me/consents/${app.clientId}`, { token: person.accessToken }))).toBe(200);
    expect([await findConsent(service.database, { ...grant, organizationId: null }), await revoked()]).toStrictEqual([undefined, true]);
  });

  test('an Owner sees and withdraws those of an app, and the tokens end', async () => {
    const { app, scope, person, revoked } = await consented();
    const path = `/api/project-apps/${app.id}/consents`;
    const { data } = (await service.ask('GET', `${path}?${inQuery(scope)}`, { token: owner.accessToken })).body;
    expect([data.items[0].user.id, data.totalCount]).toStrictEqual([person.userId, 1]);
    const elsewhere = inQuery(newScope());
    expect((await service.ask('GET', `${path}?${elsewhere}`, { token: owner.accessToken })).status).toBe(404);
    expect((await service.ask('DELETE', `${path}/${person.userId}?${elsewhere}`, { token: owner.accessToken })).status).toBe(404);
    expect(await revoked()).toBe(false);
    expect(outcome(await service.ask('DELETE', `${path}/${person.userId}?${inQuery(scope)}`, { token: owner.accessToken }))).toBe(200);
    expect(await revoked()).toBe(true);
  });
});
