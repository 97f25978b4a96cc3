import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Answer, createClient, inScope } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';

const PASSWORD = 'Correct-Horse7!';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const stack = await openStack();
const client = createClient(stack.url, `people ${randomUUID()}`);

function data({ status, body }: Answer, expected = 200) {
  expect(status).toStrictEqualFor(body, expected);
  return body.data;
}

type Person = {
  readonly email: string;
  readonly userId: string;
  readonly accountId: string;
  readonly token: string;
  readonly refreshToken: string;
};

function credentials(email: string) {
  return { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
}

/** A verified person with an organization account, who may make organizations. */
async function signUp(name: string): Promise<Person> {
  const email = `${name}-${randomUUID()}@example.com`;
  const { account } = data(await client.post('/api/auth/register', { name, type: 'organization', ...credentials(email) }), 201);
  const mail = await waitForMail(stack.dataDir, email);
  data(await client.post('/api/auth/verify-email', { token: mail.data.token }));
  const { accessToken: token, refreshToken } = data(await client.post('/api/auth/login', credentials(email)));
  return { email, userId: account.ownerId, accountId: account.id, token, refreshToken };
}

async function organizationOf({ accountId, token }: Person) {
  const made = await client.post('/api/organizations', { scope: { tenant: 'account', id: accountId }, name: `Org ${randomUUID()}` }, token);
  return { tenant: 'organization', id: data(made, 201).id } as const;
}

describe('people in an organization', () => {
  test('are made with a role, listed with it, changed, pictured, and leave', async () => {
    const owner = await signUp('owner');
    const scope = await organizationOf(owner);
    const roles = data(await client.get(`/api/roles?${inScope(scope)}`, owner.token)).items;
    const viewer = roles.find(({ name }: { name: string }) => name === 'Viewer');
    const made = data(
      await client.post('/api/users', { scope, name: 'Vera Viewer', metadata: { desk: 4 }, roleIds: [viewer.id] }, owner.token),
      201,
    );

    const listed = data(
      await client.get(`/api/users?${inScope(scope, 'search=vera&relations=roles,tags,accounts,authenticationMethods')}`, owner.token),
    );
    expect(listed.totalCount).toBe(1);
    const [vera] = listed.items;
    expect([
      vera.id,
      vera.roles.map(({ name }: { name: string }) => name),
      vera.tags,
      vera.accounts,
      vera.authenticationMethods,
    ]).toStrictEqual([made.id, ['Viewer'], [], [], []]);

    const { body } = await client.graphql(
      'query ($input: UsersInput!) { users(input: $input) { totalCount users { id name scope { tenant id } roles { name } tags { name } accounts { id } authenticationMethods { id } } } }',
      { input: { scope, sortField: 'name', sortOrder: 'desc' } },
      owner.token,
    );
    expect(body.errors).toBeUndefined();
    expect([body.data.users.totalCount, body.data.users.users[0].name, body.data.users.users[0].roles]).toStrictEqual([
      2,
      'Vera Viewer',
      [{ name: 'Viewer' }],
    ]);
    expect(body.data.users.users[0].scope).toStrictEqual(scope);

    data(await client.patch(`/api/users/${made.id}`, { scope, name: 'Vera V.' }, owner.token));
    expect(data(await client.get(`/api/users?${inScope(scope, 'search=vera%20v.')}`, owner.token)).totalCount).toBe(1);
    const picture = data(
      await client.post(`/api/users/${made.id}/picture`, { scope, file: png, filename: 'v.png', contentType: 'image/png' }, owner.token),
      201,
    );
    expect((await client.get(picture.path)).status).toBe(200);

    expect(
      (await client.get(`/api/users/${owner.userId}?${inScope(await organizationOf(await signUp('other')))}`, owner.token)).status,
    ).toBe(403);
    data(await client.delete(`/api/users/${made.id}?${inScope(scope)}`, owner.token));
    expect(data(await client.get(`/api/users?${inScope(scope)}`, owner.token)).totalCount).toBe(1);
    expect((await client.get(`/api/users/${made.id}?${inScope(scope)}`, owner.token)).status).toBe(404);
    const last = await client.delete(`/api/users/${owner.userId}?${inScope(scope)}`, owner.token);
    // The last Owner stays.
    expect(last.status).toBe(409);
  });
});

describe('an own account', () => {
  test('gets its second type, is exported, and is deleted with everything that it opened', async () => {
    const person = await signUp('leaver');
    const both = data(await client.post('/api/me/accounts', {}, person.token), 201);
    expect(both.accounts.map(({ type }: { type: string }) => type).sort()).toStrictEqual(['organization', 'personal']);
    expect((await client.post('/api/me/accounts', {}, person.token)).status).toBe(409);
    const organization = await organizationOf(person);
    const exported = await client.get('/api/me/export', person.token);
    expect(String(exported.headers['content-disposition'])).toMatch(/^attachment/);
    expect(exported.body.organizationMemberships.map(({ organizationId }: { organizationId: string }) => organizationId)).toStrictEqual([
      organization.id,
    ]);

    const gone = data(await client.delete('/api/me/accounts?hardDelete=true', person.token));
    expect(gone.id).toBe(person.userId);
    expect((await client.get('/api/me', person.token)).status).toBe(401);
    expect((await client.post('/api/auth/refresh', { refreshToken: person.refreshToken })).status).toBe(401);
    expect((await client.post('/api/auth/login', credentials(person.email))).status).toBe(401);
    // The address is free again.
    expect((await client.post('/api/auth/register', credentials(person.email))).status).toBe(201);
  });

  test('of the last Owner of an organization with others stays', async () => {
    const owner = await signUp('last');
    const scope = await organizationOf(owner);
    data(await client.post('/api/users', { scope, name: 'Somebody' }, owner.token), 201);
    expect((await client.delete('/api/me/accounts', owner.token)).status).toBe(409);
    expect((await client.get('/api/me', owner.token)).status).toBe(200);
  });
});
