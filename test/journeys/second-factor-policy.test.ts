/** What an organization demands of sessions, switched on while people work. */
import { expect, test } from '@jest/globals';
import { generateSync } from 'otplib';
import pg from 'pg';
import { claimsOf } from '../../services/identity/src/testing/service.ts';
import { type Answer, inScope } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, builtInRole, createPerson, createWorld, dataOf, PASSWORD, type Person } from '../support/world.ts';

const stack = await openStack();

/** By person: each refresh replaces the token. */
const refreshTokens = new Map<string, string>();

async function refreshedToken({ client, userId, ...person }: Person): Promise<string> {
  const refreshToken = refreshTokens.get(userId) ?? person.refreshToken;
  const refreshed = dataOf(await client.post('/api/auth/refresh', { refreshToken }));
  refreshTokens.set(userId, refreshed.refreshToken);
  return refreshed.accessToken;
}

/** Adds an authenticator app and returns a token of the session, which is now aal2. */
async function enrol(person: Person): Promise<string> {
  const { client, token } = person;
  const { factor, secret } = dataOf(await client.post('/api/me/second-factors/totp', {}, token));
  dataOf(await client.post(`/api/me/second-factors/${factor.id}/confirm`, { code: generateSync({ secret }) }, token));
  return refreshedToken(person);
}

/** A new access token of the session, as if its last proof was so many minutes ago. */
async function aged(person: Person, minutes: number): Promise<string> {
  const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
  await using cleanup = new AsyncDisposableStack();
  await admin.connect();
  cleanup.defer(() => admin.end());
  const age = 'UPDATE identity.sessions SET authenticated_at = now() - make_interval(mins => $2) WHERE id = $1';
  expect((await admin.query(age, [claimsOf(person.token)['jti'], minutes])).rowCount).toBe(1);
  return refreshedToken(person);
}

const rolesQuery = 'query($input: RolesInput!) { roles(input: $input) { totalCount } }';
const refusalOf = ({ status, body }: Answer) => [status, body.code];

test('a policy holds from the next request on, in the organization and its projects, in REST, GraphQL and decisions', async () => {
  const { owner, organization, project } = await createWorld(stack);
  const member = await addMember(stack, owner, organization, 'Dev');
  const list = (scope: typeof project) => member.client.get(`/api/roles?${inScope(scope)}`, member.token);
  expect((await list(organization)).status).toBe(200);
  const security = { requireSecondFactor: true };
  const early = await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, owner.token);
  expect([early.status, early.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);

  const accessToken = await enrol(owner);
  const set = await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, accessToken);
  expect(dataOf(set).security).toStrictEqual({ requireSecondFactor: true, maxSessionAgeMinutes: null, allowEmailCode: true });

  for (const scope of [organization, project]) {
    const refused = await list(scope);
    expect([refused.status, refused.body.code]).toStrictEqual([403, 'SECOND_FACTOR_REQUIRED']);
  }
  const graph = await member.client.graphql(rolesQuery, { input: { scope: organization } }, member.token);
  expect(graph.body.errors[0].extensions.code).toBe('SECOND_FACTOR_REQUIRED');
  const question = { permission: { resource: 'Role', action: 'Query' }, scope: organization };
  const decision = dataOf(await member.client.post('/api/auth/is-authorized', question, member.token));
  expect([decision.authorized, decision.reason]).toStrictEqual([false, 'SECOND_FACTOR_REQUIRED']);
  expect((await owner.client.get(`/api/roles?${inScope(project)}`, accessToken)).status).toBe(200);
});

test('a session whose last proof is too old opens nothing until it is confirmed; a refresh does not help, keys are not asked', async () => {
  const { owner, organization, project } = await createWorld(stack);
  const member = await addMember(stack, owner, organization, 'Dev');
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const key = dataOf(await owner.client.post('/api/api-keys', { scope: project, name: 'Robot', roleId }, owner.token));
  const setAge = (maxSessionAgeMinutes: unknown, token = owner.token) =>
    owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security: { maxSessionAgeMinutes } }, token);
  for (const wrong of [4, 0, -1, 5.5, 525_601, '5']) expect((await setAge(wrong)).status).toStrictEqualFor(wrong, 400);
  const early = await aged(member, 6);
  const list = (scope: typeof project, token: string) => member.client.get(`/api/roles?${inScope(scope)}`, token);
  expect((await list(project, early)).status).toBe(200);
  expect(dataOf(await setAge(5)).security).toStrictEqual({ requireSecondFactor: false, maxSessionAgeMinutes: 5, allowEmailCode: true });

  const stale = await refreshedToken(member);
  for (const scope of [organization, project])
    expect(refusalOf(await list(scope, stale))).toStrictEqualFor(scope, [403, 'FRESH_SIGN_IN_REQUIRED']);
  const graph = await member.client.graphql(rolesQuery, { input: { scope: organization } }, stale);
  expect(graph.body.errors[0].extensions.code).toBe('FRESH_SIGN_IN_REQUIRED');
  const question = { permission: { resource: 'Role', action: 'Query' }, scope: organization };
  const decision = dataOf(await member.client.post('/api/auth/is-authorized', question, stale));
  expect([decision.authorized, decision.reason]).toStrictEqual([false, 'FRESH_SIGN_IN_REQUIRED']);
  // What belongs to the person alone is outside of the organization.
  expect((await member.client.get('/api/me', stale)).status).toBe(200);

  const { accessToken } = dataOf(await member.client.post('/api/auth/confirm', { method: 'password', password: PASSWORD }, stale));
  for (const token of [accessToken, await aged(member, 4)]) expect((await list(project, token)).status).toBe(200);

  const ofOwner = await aged(owner, 6);
  expect(refusalOf(await setAge(null, ofOwner))).toStrictEqual([403, 'FRESH_SIGN_IN_REQUIRED']);
  const { clientId, clientSecret } = key;
  const robot = dataOf(await owner.client.post('/api/auth/token', { clientId, clientSecret, scope: project })).accessToken;
  expect((await list(project, robot)).status).toBe(200);
});

test('an invitation gives no tokens, and membership without the second factor opens nothing', async () => {
  const { owner, organization } = await createWorld(stack);
  const token = await enrol(owner);
  const security = { requireSecondFactor: true };
  dataOf(await owner.client.patch(`/api/organizations/${organization.id}`, { scope: organization, security }, token));
  const roleId = await builtInRole({ ...owner, token }, organization, 'Dev');
  const withFactor = await createPerson(stack);
  for (const { email, client, token: own, factors } of [
    { ...withFactor, token: await enrol(withFactor), factors: 1 },
    { ...(await createPerson(stack)), factors: 0 },
  ]) {
    dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, token));
    const { data } = await waitForMail(stack.dataDir, email, 'invitation');
    const accepted = await client.post('/api/organization-invitations/accept', { token: data.token }, own);
    expect(Object.keys(dataOf(accepted)).toSorted()).toStrictEqual(['accounts', 'invitation', 'isNewUser', 'requiresRegistration', 'user']);
    expect(accepted.headers['set-cookie']).toBeUndefined();
    const credentials = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
    const signedIn = dataOf(await client.post('/api/auth/login', credentials));
    expect(Object.hasOwn(signedIn, 'secondFactor')).toStrictEqualFor(signedIn, factors === 1);
    expect(typeof signedIn.accessToken).toBe(factors === 1 ? 'undefined' : 'string');
    if (factors === 1) continue;
    expect(refusalOf(await client.get(`/api/roles?${inScope(organization)}`, signedIn.accessToken))).toStrictEqual([
      403,
      'SECOND_FACTOR_REQUIRED',
    ]);
  }
});
