import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import * as client from 'openid-client';
import pg from 'pg';
import { until } from '../../../../../../test/support/until.ts';
import { appUrl, claimsOf, registered, startIdentity } from '../../../testing/service.ts';
import { form, serviceAccountsPath as path, serviceAccountsOf } from '../../../testing/service-accounts.ts';

const service = await startIdentity();
afterAll(() => service.stop());
const { peers, ask } = service;

const { makeWorld, tokenOf, issued, takes, auditOf } = serviceAccountsOf(service);

describe('a service account', () => {
  test('is made, shown without secrets, changed and deleted', async () => {
    const world = await makeWorld();
    const made = await world.make({ description: 'nightly', allowedNetworks: ['192.0.2.0/24'] });
    expect(made).toMatchObject({
      clientId: made.id,
      roleIds: [world.roleId],
      credentials: [],
      createdBy: world.owner.userId,
      elevated: [],
    });
    const secret = await world.makeSecret(made.id);
    expect(secret).toMatchObject({ type: 'secret', clientId: made.id, lastFour: secret.clientSecret.slice(-4), expiresAt: null });
    const shown = await world.get(made.id);
    expect(JSON.stringify(shown.body)).not.toContain(secret.clientSecret);
    expect(shown.body.data.credentials).toMatchObject([{ id: secret.id, lastFour: secret.lastFour }]);
    const role = newId();
    expect((await world.patch(made.id, { name: 'Renamed', roleIds: [role] })).body.data).toMatchObject({
      name: 'Renamed',
      roleIds: [role],
    });
    expect(peers.heldRoles.get(made.id)).toStrictEqual([role]);
    expect((await world.remove(made.id)).status).toBe(200);
    expect((await world.get(made.id)).status).toBe(404);
    expect(peers.heldRoles.get(made.id)).toStrictEqual([]);
  });

  test('is never Owner, and has no role that its maker may not give or that is not there', async () => {
    const world = await makeWorld();
    const [owner, above, gone] = [newId(), newId(), newId()];
    peers.builtInRoles.set(owner, 1);
    peers.verdicts.set(above, 'above-own-rank');
    peers.verdicts.set(gone, 'not-found');
    for (const [roleId, status] of [
      [owner, 400],
      [above, 403],
      [gone, 404],
    ] as const)
      expect([(await world.create({ roleIds: [roleId] })).status, roleId]).toStrictEqual([status, roleId]);
    expect((await world.create({ allowedNetworks: ['10.0.0.0/33'] })).status).toBe(400);
  });

  test('is directed only by who may give the roles that it has: no credential of a stronger one', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const { id: credentialId } = await world.makeSecret(id);
    peers.verdicts.set(world.roleId, 'above-own-rank');
    const tries = [world.credential(id), world.patch(id, { allowedNetworks: [] }), world.patch(id, { roleIds: [] }), world.remove(id)];
    for (const refused of [...tries, world.remove(id, `/credentials/${credentialId}`)]) expect((await refused).status).toBe(403);
    peers.verdicts.delete(world.roleId);
  });

  test('is directed only by who may give the roles that rbac is yet to hear of, or still knows', async () => {
    const world = await makeWorld();
    const [weaker, stronger, gone] = [world.roleId, newId(), newId()];
    const known = await world.make();
    const { id: credentialId } = await world.makeSecret(known.id);
    peers.holdsBackRoles = true;
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => {
      peers.holdsBackRoles = false;
      for (const roleId of [stronger, gone]) peers.verdicts.delete(roleId);
    });
    const made = await world.make({ roleIds: [stronger] });
    expect((await world.patch(known.id, { roleIds: [stronger] })).status).toBe(200);
    expect([peers.heldRoles.get(made.id), peers.heldRoles.get(known.id)]).toStrictEqual([undefined, [weaker]]);
    peers.verdicts.set(stronger, 'above-own-rank');
    const tries = [made.id, known.id].flatMap((id) => [
      world.credential(id),
      world.patch(id, { name: 'Mine' }),
      world.patch(id, { roleIds: [weaker] }),
      world.remove(id),
    ]);
    for (const refused of [...tries, world.remove(known.id, `/credentials/${credentialId}`)]) expect((await refused).status).toBe(403);
    // Weaker roles are given, and rbac still answers with the stronger ones.
    peers.verdicts.delete(stronger);
    peers.heldRoles.set(known.id, [stronger]);
    expect((await world.patch(known.id, { roleIds: [weaker] })).status).toBe(200);
    peers.verdicts.set(stronger, 'above-own-rank');
    expect((await world.credential(known.id)).status).toBe(403);
    // A role that is deleted before rbac gave it stands in the way of no change.
    const late = await world.make({ roleIds: [gone] });
    peers.verdicts.set(gone, 'not-found');
    expect((await world.credential(late.id)).status).toBe(201);
  });

  test('made before its wanted roles were kept is judged by those that rbac knows', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    await service.database.query(sql('UPDATE service_accounts SET role_ids = NULL WHERE id = $1'), [id]);
    expect((await world.credential(id)).status).toBe(201);
    peers.verdicts.set(world.roleId, 'above-own-rank');
    expect((await world.credential(id)).status).toBe(403);
    peers.verdicts.delete(world.roleId);
    expect((await world.patch(id, { name: 'Renamed' })).status).toBe(200);
  });

  test('has four credentials at most, also when they are made at once', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const made = await Promise.all(Array.from({ length: 6 }, () => world.credential(id)));
    expect(made.map(({ status }) => status).toSorted()).toStrictEqual([201, 201, 201, 201, 409, 409]);
  });

  test('of another organization is not found', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const { id } = await one.make();
    for (const refused of [other.get(id), other.patch(id, { name: 'x' }), other.remove(id), other.credential(id)])
      expect((await refused).status).toBe(404);
  });
});

describe('elevated operations', () => {
  test('are named by somebody who has just signed in, within the roles, and the Owners are told', async () => {
    const world = await makeWorld();
    peers.found.splice(0, peers.found.length, world.owner.userId);
    const old = claimsOf(world.owner.accessToken);
    expect(old['auth_time']).toBeDefined();
    const made = await world.make({ elevated: ['ApiKey:Create'] });
    const mails = (await service.mails(world.owner.email, 2)).filter(({ template }) => template === 'service-account-elevated');
    expect(mails).toMatchObject([{ data: { accountName: 'Deployer', elevated: 'ApiKey:Create' } }]);
    peers.denied.add('ApiKey:Create');
    expect((await world.create({ elevated: ['ApiKey:Create'] })).status).toBe(400);
    peers.denied.delete('ApiKey:Create');
    expect((await world.create({ elevated: ['Organization:Read'] })).status).toBe(400);
    const secret = await world.makeSecret(made.id);
    const token = await issued(made.id, secret.clientSecret);
    expect(claimsOf(token)).toMatchObject({ elevated: ['ApiKey:Create'] });
    // It may not make another that may more, nor change itself.
    const refused = await world.create({ elevated: ['ApiKey:Create'] }, token);
    expect([refused.status, refused.body.extensions?.reason]).toStrictEqual([403, 'not_elevated']);
    expect((await world.patch(made.id, { elevated: ['ApiKey:Create', 'ServiceAccount:Update'] }, token)).status).toBe(403);
  });

  test('given to an account of an account are told to its owner, also by a machine', async () => {
    const world = await makeWorld();
    const place = { tenant: 'account', id: newId() };
    peers.found.splice(0, peers.found.length, world.owner.userId);
    const made = await world.make({ scope: place, elevated: ['ServiceAccount:Create', 'ApiKey:Create'] });
    const { body } = await world.credential(made.id, { scope: place });
    const token = await issued(made.id, body.data.clientSecret);
    expect((await world.create({ scope: place, elevated: ['ApiKey:Create'] }, token)).status).toBe(201);
    const told = async () => (await service.mails(world.owner.email, 3)).filter(({ template }) => template === 'service-account-elevated');
    await until(async () => (await told()).length === 2);
    const [byOwner, byMachine] = await told();
    expect(byOwner?.data).toMatchObject({ scopeName: byOwner?.data['maker'], elevated: 'ServiceAccount:Create, ApiKey:Create' });
    expect(byMachine?.data).toMatchObject({ scopeName: byOwner?.data['maker'], maker: made.id, elevated: 'ApiKey:Create' });
  });

  test('end with the token’s generation when they change', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const { clientSecret } = await world.makeSecret(id);
    const token = await issued(id, clientSecret);
    expect(await takes(token, world)).toBe(200);
    expect((await world.patch(id, { allowedNetworks: ['203.0.113.0/24'] })).status).toBe(200);
    expect(await takes(token, world)).toBe(401);
  });
});

describe('its token', () => {
  test('is of type apiKey, bound to the organization, and lives no longer than the credential', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const { id: cid, clientSecret } = await world.makeSecret(id);
    const { body, headers } = await tokenOf(id, clientSecret);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 });
    expect(headers['cache-control']).toBe('no-store');
    expect(claimsOf(body.access_token)).toMatchObject({ type: 'apiKey', sub: id, scope: world.scope, cid, iss: appUrl, aud: appUrl });
    const soon = await world.makeSecret(id, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    const short = await tokenOf(id, soon.clientSecret);
    expect(short.body.expires_in).toBeLessThanOrEqual(60);
    expect((await world.get(id)).body.data).toMatchObject({ lastUsedCredentialId: soon.id, lastUsedFrom: '192.0.2.1' });
    expect(await auditOf(id, 'service-account.token')).toMatchObject([
      { outcome: 'ok', actor_type: 'serviceAccount', actor_id: id, token_id: cid },
      { outcome: 'ok', token_id: soon.id },
    ]);
  });

  test('is given for the secret in the header, as RFC 6749 says, and for nothing else', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const { clientSecret } = await world.makeSecret(id);
    const basic = (text: string) => ({ ...form, authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const post = (headers: Readonly<Record<string, string>>, body: string) => ask('POST', '/oauth/token', { headers, body });
    const grant = 'grant_type=client_credentials';
    expect((await post(basic(`${id}:${clientSecret}`), grant)).status).toBe(200);
    const refusals: readonly (readonly [string, Readonly<Record<string, string>>, string, number, string])[] = [
      ['a wrong secret', basic(`${id}:tas_wrong`), grant, 401, 'invalid_client'],
      ['no secret', basic(id), grant, 401, 'invalid_client'],
      ['another account', basic(`${newId()}:${clientSecret}`), grant, 401, 'invalid_client'],
      ['an id that is none', basic(`x:${clientSecret}`), grant, 401, 'invalid_client'],
      ['a bad encoding', basic(`%zz:${clientSecret}`), grant, 401, 'invalid_client'],
      ['another scheme', { ...form, authorization: `Bearer ${clientSecret}` }, grant, 401, 'invalid_client'],
      ['the secret twice', basic(`${id}:${clientSecret}`), `${grant}&client_secret=${clientSecret}`, 400, 'invalid_request'],
      ['two ids', basic(`${id}:${clientSecret}`), `${grant}&client_id=${newId()}`, 400, 'invalid_request'],
      ['a repeated field', form, `${grant}&client_id=${id}&client_id=${id}&client_secret=${clientSecret}`, 400, 'invalid_request'],
      [
        'thousands of fields',
        form,
        `${grant}&${Array.from({ length: 15_000 }, (_, at) => at.toString(36)).join('&')}`,
        400,
        'invalid_request',
      ],
      ['nothing', form, grant, 401, 'invalid_client'],
    ];
    for (const [what, headers, body, status, error] of refusals) {
      const answer = await post(headers, body);
      expect([what, answer.status, answer.body.error]).toStrictEqual([what, status, error]);
    }
  });

  test('ends at once with the credential, the account and the organization', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const [one, two] = [await world.makeSecret(id), await world.makeSecret(id)];
    const [first, second] = [await issued(id, one.clientSecret), await issued(id, two.clientSecret)];
    expect((await world.remove(id, `/credentials/${one.id}`)).status).toBe(200);
    expect([await takes(first, world), await takes(second, world)]).toStrictEqual([401, 200]);
    expect((await tokenOf(id, one.clientSecret)).status).toBe(401);
    expect((await world.remove(id)).status).toBe(200);
    expect([await takes(second, world), (await tokenOf(id, two.clientSecret)).status]).toStrictEqual([401, 401]);

    const other = await world.make();
    const { clientSecret } = await world.makeSecret(other.id);
    const third = await issued(other.id, clientSecret);
    await service.deliver('organization.deleted', { organizationId: world.scope.id, projectIds: [], hard: false });
    await until(async () => (await takes(third, world)) === 401);
    expect((await tokenOf(other.id, clientSecret)).status).toBe(401);
    expect((await world.create()).status).toBe(403);
  });

  test('is refused while the organization is suspended, and what was issued ends', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const { clientSecret } = await world.makeSecret(id);
    const token = await issued(id, clientSecret);
    const restrict = (isSuspended: boolean) => service.deliver('tenant.restricted', { scope: world.scope, isSuspended, mostApiKeys: null });
    await restrict(true);
    await until(async () => (await takes(token, world)) === 401);
    expect((await tokenOf(id, clientSecret)).body.error).toBe('access_denied');
    await restrict(false);
    const again = await issued(id, clientSecret);
    expect(await takes(again, world)).toBe(200);
    // Another limit comes by the same event and changes no state: a suspension still ends this.
    await restrict(false);
    expect(claimsOf(await issued(id, clientSecret))['gen']).toBe(claimsOf(again)['gen']);
    await restrict(true);
    await until(async () => (await takes(again, world)) === 401);
  });

  test('is given and used from the allowed networks only', async () => {
    const world = await makeWorld();
    const { id } = await world.make({ allowedNetworks: ['198.51.100.0/24'] });
    const { clientSecret } = await world.makeSecret(id);
    expect((await tokenOf(id, clientSecret)).body.error).toBe('access_denied');
    const { body } = await tokenOf(id, clientSecret, {}, '198.51.100.7');
    const list = (ip: string) =>
      ask('GET', `${path}?tenant=${world.scope.tenant}&scopeId=${world.scope.id}`, { token: body.access_token, ip });
    expect((await list('198.51.100.9')).status).toBe(200);
    const refused = await list('192.0.2.1');
    expect([refused.status, refused.body.extensions?.reason]).toStrictEqual([403, 'network_not_allowed']);
  });

  test('is not given while a secret is guessed: one audit row a minute, for the account and address', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    await world.makeSecret(id);
    const guesses = await Promise.all(Array.from({ length: 200 }, (_, at) => tokenOf(id, `tas_${at}`)));
    expect(new Set(guesses.map(({ status, body }) => `${status} ${body.error}`))).toStrictEqual(new Set(['401 invalid_client']));
    await until(async () => (await auditOf(id, 'service-account.token')).length > 0);
    expect(await auditOf(id, 'service-account.token')).toMatchObject([{ outcome: 'refused', code: 'invalid_client' }]);
    expect((await tokenOf(newId(), 'tas_1')).body).toStrictEqual(guesses[0]?.body);
  });

  test('raced with the end of its credential, never outlives it', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    for (let round = 0; round < 5; round += 1) {
      const { id: credentialId, clientSecret } = await world.makeSecret(id);
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: 8 }, () => tokenOf(id, clientSecret))),
        world.remove(id, `/credentials/${credentialId}`),
      ]);
      for (const { body } of answers.filter(({ status }) => status === 200)) expect(await takes(body.access_token, world)).toBe(401);
    }
  });

  test('opens nothing that is for people: no operation without a permission, and nothing under /api/me', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    const token = await issued(id, (await world.makeSecret(id)).clientSecret);
    for (const own of ['/api/me', '/api/me/sessions', '/api/me/authentication-methods'])
      expect([own, (await ask('GET', own, { token })).status]).toStrictEqual([own, 403]);
  });
});

test('a token takes six statements at most, with BEGIN and COMMIT', async () => {
  const world = await makeWorld();
  const { id } = await world.make();
  const { clientSecret } = await world.makeSecret(id);
  await issued(id, clientSecret);
  let sent = 0;
  const { bind, query } = pg.Connection.prototype;
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => void Object.assign(pg.Connection.prototype, { bind, query }));
  const counting = (send: (...call: never[]) => void) =>
    function counted(this: pg.Connection, ...call: never[]) {
      sent += 1;
      return Reflect.apply(send, this, call);
    };
  Object.assign(pg.Connection.prototype, { bind: counting(bind), query: counting(query) });
  const counts: number[] = [];
  // Jobs of the service send statements of their own now and then.
  for (let round = 0; round < 10; round += 1) {
    sent = 0;
    await issued(id, clientSecret);
    counts.push(sent);
  }
  expect(Math.min(...counts)).toBeGreaterThan(2);
  expect(Math.min(...counts)).toBeLessThanOrEqual(6);
});

test('openid-client gets one, from what the platform’s discovery says', async () => {
  const world = await makeWorld();
  const { id } = await world.make();
  const { clientSecret } = await world.makeSecret(id);
  for (const authenticate of [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)]) {
    const config = await client.discovery(new URL(appUrl), id, undefined, authenticate, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: fetchFrom,
    });
    expect(config.serverMetadata().grant_types_supported).toContain('client_credentials');
    const { access_token: token } = await client.clientCredentialsGrant(config);
    expect(await takes(token, world)).toBe(200);
  }
});

/** The service as a client on the network sees it. */
const fetchFrom: client.CustomFetch = async (url, { method, headers, body }) => {
  const { pathname, search } = new URL(url);
  const answer = await ask(method, pathname + search, { headers, ...(body == null ? {} : { body: String(body) }) });
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers: { 'content-type': 'application/json' } });
};

test('a service account makes no credential, for itself or another: a leaked secret ends with its deletion', async () => {
  const world = await makeWorld();
  const [one, other] = [await world.make(), await world.make()];
  const token = await issued(one.id, (await world.makeSecret(one.id)).clientSecret);
  for (const id of [one.id, other.id]) {
    const refused = await world.credential(id, {}, token);
    expect([refused.status, refused.body.translationKey]).toStrictEqual([403, 'errors.serviceAccount.notByMachines']);
  }
  expect((await world.get(one.id)).body.data.credentials).toHaveLength(1);
});

test('a service account changes no account that may do more without a fresh sign-in than itself', async () => {
  const world = await makeWorld();
  const one = await world.make({ elevated: ['ServiceAccount:Update'] });
  const [like, more] = [
    await world.make({ elevated: ['ServiceAccount:Update'] }),
    await world.make({ elevated: ['ServiceAccount:Create', 'ServiceAccount:Update'] }),
  ];
  const token = await issued(one.id, (await world.makeSecret(one.id)).clientSecret);
  expect((await world.patch(like.id, { name: 'Renamed' }, token)).status).toBe(200);
  const refused = await world.patch(more.id, { name: 'Renamed' }, token);
  expect([refused.status, refused.body.extensions]).toStrictEqual([403, { reason: 'not_elevated' }]);
});

test('a service account with networks makes and changes only accounts within them', async () => {
  const world = await makeWorld();
  const allowedNetworks = ['192.0.2.0/24'];
  const [bounded, free] = [await world.make({ allowedNetworks }), await world.make()];
  const token = await issued(bounded.id, (await world.makeSecret(bounded.id)).clientSecret);
  const tries = [
    world.create({}, token),
    world.create({ allowedNetworks: ['192.0.0.0/16'] }, token),
    world.patch(bounded.id, { allowedNetworks: [] }, token),
    world.patch(free.id, { name: 'x' }, token),
  ];
  for (const refused of await Promise.all(tries))
    expect([refused.status, refused.body.translationKey]).toStrictEqual([403, 'errors.serviceAccount.outsideNetworks']);
  expect((await world.create({ allowedNetworks: ['192.0.2.128/25'] }, token)).status).toBe(201);
  expect((await world.patch(bounded.id, { name: 'Renamed' }, token)).status).toBe(200);
});

describe('when the person who made it goes', () => {
  const told = (makerId: string) =>
    peers.events
      .filter(({ event }) => event.type === 'serviceAccount.stays')
      .map(({ event }) => JSON.parse(event.payloadJson))
      .filter((payload) => payload.makerId === makerId);

  test('each organization is told, the newest first, however many there are in another', async () => {
    const world = await makeWorld();
    const hidden = await world.make();
    const scope = { tenant: 'organization', id: newId() };
    const decoys: string[] = [];
    for (let at = 0; at < 21; at += 1) decoys.push((await world.make({ scope })).id);
    await service.deliver('accounts.closed', { userId: world.owner.userId, hard: false });
    await until(() => told(world.owner.userId).length >= 21);
    const all = told(world.owner.userId);
    expect(all.filter(({ organizationId }) => organizationId === world.scope.id)).toMatchObject([{ id: hidden.id, why: 'left', more: 0 }]);
    const others = all.filter(({ organizationId }) => organizationId === scope.id);
    expect(others.map(({ id }) => id).toSorted()).toStrictEqual(decoys.slice(1).toSorted());
    expect(others.map(({ more }) => more)).toStrictEqual(others.map(() => 1));
  });

  test('who added a credential to it counts too, and the mail names that credential', async () => {
    const world = await makeWorld();
    const other = await registered(service);
    const { id } = await world.make();
    await world.makeSecret(id);
    const { body } = await world.credential(id, {}, other.accessToken);
    await service.deliver('user.left', { userId: other.userId, scope: world.scope });
    await until(() => told(other.userId).length > 0);
    expect(told(other.userId)).toMatchObject([{ id, credentials: `secret …${body.data.lastFour}` }]);
  });

  test('or is blocked: its organization is told', async () => {
    const world = await makeWorld();
    const { id } = await world.make();
    await service.deliver('member.restricted', { organizationId: world.scope.id, userId: world.owner.userId, kind: 'block' });
    await until(() => told(world.owner.userId).length > 0);
    expect(told(world.owner.userId)).toMatchObject([{ id, why: 'blocked', organizationId: world.scope.id }]);
  });
});
