/** People whom a directory sends: how they come in, change and go. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { RegisterProvisionedPeopleRequest } from '@tessera/proto/types/identity.v1';
import { makeUnmade } from '../../directory/make-person.ts';
import { enterpriseUrn, openDirectory, userUrn } from '../../testing/scim.ts';
import { openTestService, tokenFor } from '../../testing/service.ts';

const service = await openTestService();
afterAll(() => service.close());

let count = 0;
function nextDomain(): string {
  count += 1;
  return `corp${count}.example`;
}
async function arrange() {
  const directory = await openDirectory(service);
  const domain = nextDomain();
  await directory.prove(domain);
  const userOf = async (id: string): Promise<string | null> =>
    (await service.query<{ user_id: string | null }>('SELECT user_id FROM directory_users WHERE id = $1', [id]))[0]?.user_id ?? null;
  return { ...directory, domain, userOf };
}
const inactive = [{ op: 'replace', value: { active: false } }];
const active = [{ op: 'replace', value: { active: true } }];

describe('coming in', () => {
  test('a person of a proven domain whom nobody knows is made, and is a Viewer at once', async () => {
    const { create, domain, members, userOf, organizationId } = await arrange();
    const mails = service.identity.mails.length;
    const { status, json, headers } = await create(`Ada@${domain}`, { displayName: 'Ada Lovelace', externalId: '00u1' });
    expect([status, json.userName, json.externalId, json.active, json.schemas]).toStrictEqual([
      201,
      `Ada@${domain}`,
      '00u1',
      true,
      [userUrn],
    ]);
    expect(headers['content-type']).toMatch(/^application\/scim\+json/);
    expect([headers.location, headers.etag]).toStrictEqual([json.meta.location, json.meta.version]);
    expect(json.meta.location).toBe(`https://tessera.example/scim/v2/${organizationId}/Users/${json.id}`);
    const userId = await userOf(json.id);
    expect(userId).not.toBeNull();
    expect(await members()).toContain(userId);
    expect(service.rbac.roleOf(organizationId, userId ?? '')).toBe('Viewer');
    expect([service.identity.people.get(userId ?? '')?.name, service.identity.mails.length]).toStrictEqual(['Ada Lovelace', mails]);
    expect(json.id).not.toBe(userId);
  });

  test('an account that holds its address in a proven domain becomes a member, and is told by mail', async () => {
    const { create, domain, members, userOf, organizationId } = await arrange();
    const id = newId();
    service.identity.people.set(id, { id, name: 'Ben', email: `ben@${domain}`, isVerified: true });
    service.identity.holders.add(id);
    const { json } = await create(`ben@${domain}`, { displayName: 'Benjamin' });
    expect([await userOf(json.id), await members(), service.rbac.roleOf(organizationId, id)]).toStrictEqual([
      id,
      expect.arrayContaining([id]),
      'Viewer',
    ]);
    expect(service.identity.mails.at(-1)).toMatchObject({ to: `ben@${domain}`, template: 'directory-joined' });
    expect(service.identity.people.get(id)?.name).toBe('Ben');
  });

  test('an account that does not hold its address, and an address outside of the domains, are invited', async () => {
    const { create, domain, members, userOf } = await arrange();
    const stranger = newId();
    service.identity.people.set(stranger, { id: stranger, name: 'Mallory', email: `eve@${domain}`, isVerified: false });
    for (const address of [`eve@${domain}`, `out@sub.${domain}`]) {
      const before = await members();
      const { status, json } = await create(address);
      expect([status, json.active, await userOf(json.id)]).toStrictEqual([201, true, null]);
      expect(service.identity.mails.at(-1)).toMatchObject({ to: address, template: 'invitation' });
      expect(await members()).toStrictEqual(before);
    }
  });

  test('the invited person accepts, and keeps the id of the directory', async () => {
    const { create, ask, userOf, members } = await arrange();
    const address = `guest.${newId().slice(-8)}@elsewhere.example`;
    const { json } = await create(address, { displayName: 'Gwen' });
    const token = service.identity.tokenFor(address);
    const userData = { name: 'Gwen Guest', password: 'Correct-horse-17-battery' };
    const accepted = await service.app.inject({
      method: 'POST',
      url: '/api/organization-invitations/accept',
      payload: { token, userData },
    });
    expect(accepted.statusCode).toBe(200);
    const userId = await userOf(json.id);
    expect(await members()).toContain(userId);
    expect((await ask('GET', `/Users/${json.id}`)).json).toMatchObject({ id: json.id, active: true, displayName: 'Gwen' });
  });

  test('an invitation ends with the credential, with the role, and with active false', async () => {
    const directory = await arrange();
    const accept = async (address: string) => {
      const userData = { name: 'Gwen Guest', password: 'Correct-horse-17-battery' };
      const payload = { token: service.identity.tokenFor(address), userData };
      return (await service.app.inject({ method: 'POST', url: '/api/organization-invitations/accept', payload })).statusCode;
    };
    const invite = async () => {
      const address = `guest.${newId().slice(-8)}@elsewhere.example`;
      const { json } = await directory.create(address);
      return { address, id: json.id };
    };
    const [one, two, three] = [await invite(), await invite(), await invite()];
    const key = `${directory.organizationId}:${directory.accountId}`;
    service.rbac.directories.delete(key);
    expect(await accept(one.address)).toBe(409);
    service.rbac.directories.add(key);
    service.identity.serviceCredentials.delete(directory.accountId);
    expect(await accept(two.address)).toBe(409);
    service.identity.serviceCredentials.add(directory.accountId);
    expect((await directory.patch(three.id, inactive)).status).toBe(200);
    expect(await accept(three.address)).toBe(409);
    expect((await directory.patch(three.id, active)).json.active).toBe(true);
    expect(await accept(three.address)).toBe(200);
  });

  test('the domain of another organization is refused, in words that name none', async () => {
    const [acme, globex] = [await arrange(), await arrange()];
    const refused = await acme.create(`spy@${globex.domain}`);
    expect([refused.status, refused.json.status, refused.json.schemas]).toStrictEqual([
      403,
      '403',
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ]);
    expect(refused.json.detail).not.toMatch(/organization|domain/i);
    expect((await acme.filtered(`userName eq "spy@${globex.domain}"`)).json.totalResults).toBe(0);
  });

  test('a member by hand is adopted: the same person, with their role', async () => {
    const { create, organizationId, userOf } = await arrange();
    const admin = await service.addMember(organizationId, 'Admin', 'Anna Admin');
    const { status, json } = await create(admin.email);
    expect([status, await userOf(json.id), service.rbac.roleOf(organizationId, admin.id)]).toStrictEqual([201, admin.id, 'Admin']);
    const again = await create(`alias.${admin.email}`, { emails: [{ value: admin.email }] });
    expect([again.status, again.json.scimType]).toStrictEqual([409, 'uniqueness']);
  });

  test('the directory takes the place of an open invitation by hand', async () => {
    const { create, domain, owner, scope, organizationId, userOf } = await arrange();
    const email = `hand@${domain}`;
    const invited = await service.app.inject({
      method: 'POST',
      url: '/api/organization-invitations/invite',
      headers: { authorization: `Bearer ${owner.token}` },
      payload: { scope, email, roleId: service.rbac.roleId(organizationId, 'Admin') },
    });
    const { json } = await create(email);
    const userId = await userOf(json.id);
    expect(service.rbac.roleOf(organizationId, userId ?? '')).toBe('Viewer');
    const [row] = await service.query<{ status: string }>('SELECT status FROM organization_invitations WHERE id = $1', [
      invited.json().data.id,
    ]);
    expect(row?.status).toBe('revoked');
  });

  test('userName and externalId are taken once in an organization, and again in another', async () => {
    const [acme, globex] = [await arrange(), await arrange()];
    expect((await acme.create(`Ida@${acme.domain}`, { externalId: 'x' })).status).toBe(201);
    for (const body of [[`ida@${acme.domain.toUpperCase()}`], [`other@${acme.domain}`, { externalId: 'x' }]] as const) {
      const { status, json } = await acme.create(...(body as [string]));
      expect([status, json.scimType]).toStrictEqual([409, 'uniqueness']);
    }
    expect((await globex.create(`ida@elsewhere.example`, { externalId: 'x' })).status).toBe(201);
  });

  test('without an address there is nobody to invite', async () => {
    const { create } = await arrange();
    const { status, json } = await create('ida');
    expect([status, json.scimType]).toStrictEqual([400, 'invalidValue']);
    expect((await create('ida', { emails: [{ value: 'ida@elsewhere.example', type: 'work' }] })).status).toBe(201);
  });

  test('who is created inactive is nobody yet', async () => {
    const { create, domain, patch, userOf, members } = await arrange();
    const { json } = await create(`later@${domain}`, { active: false });
    expect([json.active, await userOf(json.id)]).toStrictEqual([false, null]);
    await patch(json.id, active);
    expect(await members()).toContain(await userOf(json.id));
  });
});

describe('going', () => {
  test('active false takes a member out, true brings the same one back without a mail, and DELETE forgets', async () => {
    const { create, domain, patch, ask, members, userOf, organizationId } = await arrange();
    const { json } = await create(`ada@${domain}`);
    const userId = (await userOf(json.id)) ?? '';
    const mails = service.identity.mails.length;
    // Entra's dialect.
    const out = await patch(json.id, [{ op: 'Replace', path: 'active', value: 'False' }]);
    expect([out.status, out.json.active, out.json.id]).toStrictEqual([200, false, json.id]);
    expect(await members()).not.toContain(userId);
    expect(service.rbac.roleOf(organizationId, userId)).toBeUndefined();
    const back = await patch(json.id, [{ op: 'Replace', path: 'active', value: 'True' }]);
    expect([back.json.active, back.json.id]).toStrictEqual([true, json.id]);
    expect(await members()).toContain(userId);
    expect(service.rbac.roleOf(organizationId, userId)).toBe('Viewer');
    expect(service.identity.mails).toHaveLength(mails);
    expect((await ask('DELETE', `/Users/${json.id}`)).status).toBe(204);
    expect(await members()).not.toContain(userId);
    expect((await ask('GET', `/Users/${json.id}`)).status).toBe(404);
    expect((await ask('DELETE', `/Users/${json.id}`)).status).toBe(404);
    expect((await create(`ada@${domain}`)).json.id).not.toBe(json.id);
  });

  test('the last Owner stays, another one goes', async () => {
    const { create, patch, ask, organizationId, owner } = await arrange();
    const { json } = await create(owner.email);
    for (const refused of [await patch(json.id, inactive), await ask('DELETE', `/Users/${json.id}`)]) expect(refused.status).toBe(403);
    expect((await ask('GET', `/Users/${json.id}`)).json.active).toBe(true);
    await service.addMember(organizationId, 'Owner', 'Olaf Owner');
    expect((await patch(json.id, inactive)).status).toBe(200);
    expect(service.rbac.ownersOf(organizationId)).not.toContain(owner.id);
  });

  test('who has left by themselves comes back by their own word only', async () => {
    const { create, domain, patch, scope, members, userOf } = await arrange();
    const address = `ada@${domain}`;
    const { json } = await create(address);
    const userId = (await userOf(json.id)) ?? '';
    const left = await service.app.inject({
      method: 'DELETE',
      url: `/api/organization-members/${userId}?tenant=organization&scopeId=${scope.id}`,
      headers: { authorization: `Bearer ${tokenFor(userId)}` },
    });
    expect(left.statusCode).toBe(200);
    await patch(json.id, inactive);
    const mails = service.identity.mails.length;
    expect((await patch(json.id, active)).status).toBe(200);
    expect(await members()).not.toContain(userId);
    expect(service.identity.mails.slice(mails)).toMatchObject([{ to: address, template: 'invitation' }]);
  });

  test('one person in two organizations goes in one alone', async () => {
    const [acme, globex] = [await arrange(), await arrange()];
    const one = await acme.create(`both@${acme.domain}`, { displayName: 'At Acme' });
    const userId = (await acme.userOf(one.json.id)) ?? '';
    await service.join({ id: userId, email: `both@${acme.domain}` }, globex.scope, 'Both');
    const other = await globex.create('both', { emails: [{ value: 'both@elsewhere.example' }], active: false });
    await acme.patch(one.json.id, inactive);
    expect([await acme.members(), await globex.members()].map((ids) => ids.includes(userId))).toStrictEqual([false, true]);
    expect((await globex.ask('GET', `/Users/${one.json.id}`)).status).toBe(404);
    expect((await acme.ask('GET', `/Users/${other.json.id}`)).status).toBe(404);
  });
});

describe('who came in another way', () => {
  async function byHand(directory: Awaited<ReturnType<typeof arrange>>, email: string, name = 'Bob') {
    const id = newId();
    service.identity.people.set(id, { id, name, email, isVerified: true });
    await service.join({ id, email }, directory.scope, name);
    return id;
  }

  test.each(['PATCH', 'DELETE'] as const)('a member who did not come by the directory’s invitation goes by %s', async (method) => {
    const directory = await arrange();
    const email = `bob.${newId().slice(-8)}@partner.example`;
    const { json } = await directory.create(email);
    const id = await byHand(directory, email);
    // Joined by another door: the row is linked as the membership begins.
    expect(await directory.userOf(json.id)).toBe(id);
    const gone = await (method === 'PATCH' ? directory.patch(json.id, inactive) : directory.ask('DELETE', `/Users/${json.id}`));
    expect(gone.status).toBe(method === 'PATCH' ? 200 : 204);
    expect(await directory.members()).not.toContain(id);
    expect(service.rbac.roleOf(directory.organizationId, id)).toBeUndefined();
  });

  test.each(['PATCH', 'DELETE'] as const)('also where the row was not linked, %s', async (method) => {
    const directory = await arrange();
    const email = `bob.${newId().slice(-8)}@partner.example`;
    const { json } = await directory.create(email);
    const id = await byHand(directory, email);
    await service.query('UPDATE directory_users SET user_id = NULL WHERE id = $1', [json.id]);
    await (method === 'PATCH' ? directory.patch(json.id, inactive) : directory.ask('DELETE', `/Users/${json.id}`));
    expect(await directory.members()).not.toContain(id);
  });

  test('a member who is sent as inactive goes at once, and comes back by the directory', async () => {
    const directory = await arrange();
    const email = `bob.${newId().slice(-8)}@partner.example`;
    const id = await byHand(directory, email);
    const { status, json } = await directory.create(email, { active: false });
    expect([status, json.active, await directory.userOf(json.id)]).toStrictEqual([201, false, id]);
    expect(await directory.members()).not.toContain(id);
    expect(service.rbac.roleOf(directory.organizationId, id)).toBeUndefined();
    await directory.patch(json.id, active);
    expect(await directory.members()).toContain(id);
  });

  test('a refused change ends no membership', async () => {
    const directory = await arrange();
    const { create, domain, patch, members, userOf } = directory;
    await create(`taken@${domain}`, { externalId: 'taken' });
    const { json } = await create(`ada@${domain}`);
    const userId = await userOf(json.id);
    for (const value of [{ userName: `taken@${domain}` }, { externalId: 'taken' }])
      expect((await patch(json.id, [{ op: 'replace', value: { ...value, active: false } }])).status).toBe(409);
    const refused = await create(`alias@${domain}`, { externalId: 'taken', active: false, emails: [{ value: `ada@${domain}` }] });
    expect(refused.status).toBe(409);
    expect(await members()).toContain(userId);
    expect(service.rbac.roleOf(directory.organizationId, userId ?? '')).toBe('Viewer');
  });

  test('who was removed by hand or deleted is invited, also with a new row, and nobody is told twice that they joined', async () => {
    const directory = await arrange();
    const { create, domain, ask, members, userOf } = directory;
    const id = newId();
    const address = `ben@${domain}`;
    service.identity.people.set(id, { id, name: 'Ben', email: address, isVerified: true });
    service.identity.holders.add(id);
    const { json } = await create(address);
    expect(await userOf(json.id)).toBe(id);
    await ask('DELETE', `/Users/${json.id}`);
    const mails = service.identity.mails.length;
    const again = await create(address);
    expect([again.status, await userOf(again.json.id)]).toStrictEqual([201, null]);
    expect(await members()).not.toContain(id);
    expect(service.identity.mails.slice(mails)).toMatchObject([{ to: address, template: 'invitation' }]);
  });

  test('people who are sent at a time are made together; one whom identity refuses fails alone, and the job makes them later', async () => {
    const directory = await arrange();
    const { create, domain, members } = directory;
    const { client } = service.identity;
    const sizes: number[] = [];
    const refusedIn = (people: readonly { readonly email: string }[]) => people.some(({ email }) => email.startsWith('refused@'));
    const register = client.registerProvisionedPeople;
    const spied: typeof register = async (request) => {
      if (refusedIn(request.people)) throw failures.validation('email', { en: 'is refused', de: 'wird abgelehnt' });
      sizes.push(request.people.length);
      await setTimeout(20);
      return register(request);
    };
    Object.assign(client, { registerProvisionedPeople: spied });
    const before = (await members()).length;
    const names = [...Array.from({ length: 12 }, (_, at) => `p${at}`), 'refused', 'last'];
    const answers = await Promise.all(names.map((name) => create(`${name}@${domain}`)));
    Object.assign(client, { registerProvisionedPeople: register });
    expect(answers.map(({ status }) => status)).toStrictEqual(names.map((name) => (name === 'refused' ? 400 : 201)));
    expect([sizes.reduce((sum, size) => sum + size, 0), (await members()).length - before]).toStrictEqual([13, 13]);
    expect(Math.max(...sizes)).toBeGreaterThan(3);
    // The row stands, and the job goes on with it.
    await service.query("UPDATE directory_users SET making_since = now() - interval '1 hour' WHERE email = $1", [`refused@${domain}`]);
    const { database, authorizer } = service.deps;
    await makeUnmade({ database, identity: client, authorizer, clock: () => new Date(), logger: { warn: () => undefined } });
    expect((await members()).length - before).toBe(14);
  });

  test('killed at any step: the person is made as a whole, by the job or by the next request', async () => {
    const { create, domain, organizationId } = await arrange();
    const { identity, authorizer } = service.deps;
    const job = { database: service.database, identity, authorizer, clock: () => new Date(), logger: { warn: () => undefined } };
    let steps = 0;
    for (let isKilled = true; isKilled; steps += 1) {
      const email = `killed${steps}@${domain}`;
      service.crashes.arm(steps + 1);
      await create(email).catch(() => undefined);
      isKilled = service.crashes.hasCrashed;
      await service.restart();
      await service.query("UPDATE directory_users SET making_since = now() - interval '1 hour' WHERE making_since IS NOT NULL");
      await makeUnmade(job);
      const { status } = await create(email);
      expect(isKilled ? [201, 409] : [409]).toContain(status);
      const made = await service.query<{ id: string; user_id: string }>(
        `SELECT d.id, m.user_id FROM organization_users m JOIN directory_users d ON d.user_id = m.user_id AND d.organization_id = m.organization_id
         WHERE m.organization_id = $1 AND m.email = $2 AND d.making_since IS NULL`,
        [organizationId, email],
      );
      expect([steps, made.length]).toStrictEqual([steps, 1]);
      expect(service.rbac.roleOf(organizationId, made[0]?.user_id ?? '')).toBe('Viewer');
    }
    expect(steps).toBeGreaterThan(8);
  });

  test('an identity of the version before, which knows no message for many, makes each alone', async () => {
    const { create, domain, members } = await arrange();
    const { client } = service.identity;
    const register = client.registerProvisionedPeople;
    const unknown: typeof register = async () => {
      throw failures.unavailable('identity', Object.assign(new Error('12 UNIMPLEMENTED'), { code: 12 }));
    };
    Object.assign(client, { registerProvisionedPeople: unknown });
    const before = (await members()).length;
    const answers = await Promise.all(['one', 'two'].map((name) => create(`${name}@${domain}`)));
    Object.assign(client, { registerProvisionedPeople: register });
    expect([answers.map(({ status }) => status), (await members()).length - before]).toStrictEqual([[201, 201], 2]);
  });

  test('the job ends what is made, and makes nobody of a domain that was lost', async () => {
    const directory = await arrange();
    const { create, domain, members } = directory;
    const { database, identity, authorizer } = service.deps;
    const { json } = await create(`ada@${domain}`);
    const makingOf = async (id: string) =>
      (await service.query<{ making_since: string | null }>('SELECT making_since FROM directory_users WHERE id = $1', [id]))[0]
        ?.making_since;
    expect(await makingOf(json.id)).toBeNull();
    // As after a crash: an open invitation of a person who was not made.
    const lost = await create(`lost.${newId().slice(-8)}@partner.example`);
    const before = await members();
    const past = "now() - interval '1 hour'";
    await service.query(`UPDATE directory_users SET making_since = ${past} WHERE id = $1`, [lost.json.id]);
    await service.query(`UPDATE directory_users SET making_since = ${past}, invitation_id = NULL WHERE id = $1`, [json.id]);
    await makeUnmade({ database, identity, authorizer, clock: () => new Date(), logger: { warn: () => undefined } });
    expect([await makingOf(json.id), await makingOf(lost.json.id)]).toStrictEqual([null, null]);
    expect(await members()).toStrictEqual(before);
  });

  test('a person whom identity always refuses is logged by the job, and does not hold up the next ones', async () => {
    const { create, prove } = await arrange();
    const domain = nextDomain();
    const refused = await create(`refused@${domain}`);
    const made = [await create(`one@${domain}`), await create(`two@${domain}`)];
    await prove(domain);
    const ids = [refused, ...made].map(({ json }) => json.id);
    await service.query("UPDATE directory_users SET making_since = now() - interval '1 hour' WHERE id = ANY ($1)", [ids]);
    const { database, authorizer } = service.deps;
    const { client } = service.identity;
    const identity = {
      ...client,
      registerProvisionedPeople: async (request: RegisterProvisionedPeopleRequest) => {
        if (request.people.some(({ email }) => email.startsWith('refused@')))
          throw failures.validation('email', { en: 'is refused', de: 'wird abgelehnt' });
        return client.registerProvisionedPeople(request);
      },
    };
    const logged: unknown[] = [];
    const logger = { warn: ({ directoryUserId }: { directoryUserId?: unknown }) => logged.push(directoryUserId) };
    await makeUnmade({ database, identity, authorizer, clock: () => new Date(), logger });
    const waiting = await service.query('SELECT id FROM directory_users WHERE id = ANY ($1) AND making_since IS NOT NULL', [ids]);
    expect([waiting, logged]).toStrictEqual([[{ id: refused.json.id }], [refused.json.id]]);
  });
});

describe('changing', () => {
  test('names and attributes are the organization’s half; PUT replaces them, PATCH one by one', async () => {
    const { create, domain, ask, patch, userOf } = await arrange();
    const { json } = await create(`ada@${domain}`, {
      displayName: 'Ada',
      title: 'Countess',
      emails: [{ value: `ada@${domain}`, type: 'work', primary: true }],
      [enterpriseUrn]: { department: 'Engines', manager: { value: '7' } },
    });
    expect(json.schemas).toStrictEqual([userUrn, enterpriseUrn]);
    const patched = await patch(json.id, [
      { op: 'Add', path: 'emails[type eq "home"].value', value: 'ada@home.example' },
      { op: 'replace', value: { 'name.givenName': 'Augusta', [`${enterpriseUrn}:department`]: 'Analysis' } },
      { op: 'replace', path: `${enterpriseUrn}:manager`, value: '8' },
      { op: 'remove', path: 'title' },
    ]);
    expect(patched.json).toMatchObject({
      displayName: 'Ada',
      name: { givenName: 'Augusta' },
      emails: [
        { value: `ada@${domain}`, type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
      [enterpriseUrn]: { department: 'Analysis', manager: { value: '8' } },
    });
    expect(patched.json.title).toBeUndefined();
    const put = await ask('PUT', `/Users/${json.id}`, {
      schemas: [userUrn],
      userName: `ada@${domain}`,
      nickName: 'A',
      id: newId(),
      password: 'Secret-1',
    });
    expect([put.status, put.json.id, put.json.nickName, put.json.displayName, put.json.emails]).toStrictEqual([
      200,
      json.id,
      'A',
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(put.json)).not.toMatch(/password/i);
    expect(service.identity.people.get((await userOf(json.id)) ?? '')).toMatchObject({ name: 'Ada', email: `ada@${domain}` });
  });

  test('a version that is not the current one changes nothing, and the current one is not sent again', async () => {
    const { create, domain, patch, ask } = await arrange();
    const { json } = await create(`ada@${domain}`);
    const changed = await patch(json.id, [{ op: 'replace', path: 'title', value: 'x' }], { 'if-match': json.meta.version });
    expect(changed.status).toBe(200);
    for (const refused of [
      await patch(json.id, [{ op: 'replace', path: 'title', value: 'y' }], { 'if-match': json.meta.version }),
      await ask('PUT', `/Users/${json.id}`, { schemas: [userUrn], userName: `ada@${domain}` }, { 'if-match': json.meta.version }),
      await ask('DELETE', `/Users/${json.id}`, undefined, { 'if-match': json.meta.version }),
    ])
      expect([refused.status, refused.json.status]).toStrictEqual([412, '412']);
    expect((await ask('GET', `/Users/${json.id}`, undefined, { 'if-none-match': changed.json.meta.version })).status).toBe(304);
    const same = await patch(json.id, [{ op: 'replace', path: 'title', value: 'x' }]);
    expect(same.json.meta.version).toBe(changed.json.meta.version);
    expect((await patch(json.id, [{ op: 'replace', path: 'title', value: 'z' }], { 'if-match': '*' })).status).toBe(200);
  });

  test('ten changes at once are all made', async () => {
    const { create, domain, patch, ask } = await arrange();
    const { json } = await create(`ada@${domain}`);
    const names = ['title', 'nickName', 'locale'];
    const answers = await Promise.all(names.map((path) => patch(json.id, [{ op: 'replace', path, value: 'v' }])));
    expect(answers.map(({ status }) => status)).toStrictEqual(names.map(() => 200));
    expect((await ask('GET', `/Users/${json.id}`)).json).toMatchObject({ title: 'v', nickName: 'v', locale: 'v' });
  });
});

test('a request of SCIM has its row in the log, and a removal the row of a removal', async () => {
  const { create, domain, patch, organizationId, accountId } = await arrange();
  const { json } = await create(`ada@${domain}`);
  await patch(json.id, inactive);
  const rows = await service.query<{ action: string; actor_id: string }>(
    'SELECT action, actor_id FROM audit_log WHERE scope_id = $1 AND target_id = $2 ORDER BY at, id',
    [organizationId, json.id],
  );
  expect(rows).toStrictEqual([
    { action: 'directoryUser.created', actor_id: accountId },
    { action: 'directoryUser.updated', actor_id: accountId },
  ]);
  expect(service.rbac.audited.at(-1)).toMatchObject({ action: 'organizationMember.removed' });
});
