/** A deletion, soft or hard, removes what depends on the entity in every service. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Answer, inScope, type ScopeValue } from '../support/client.ts';
import { waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { patienceMs } from '../support/until.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  dataOf,
  PASSWORD,
  type Person,
  signToken,
} from '../support/world.ts';

const stack = await openStack();

/** A project with everything that can live on one; the key and the app were both used. */
async function furnish(owner: Person, parent: ScopeValue, maker = owner) {
  const scope = await createProject(owner, parent);
  const make = async (path: string, body: object, by = owner) => dataOf(await by.client.post(path, { scope, ...body }, by.token));
  const role = await make('/api/roles', { name: 'Robot' });
  const roleId = parent.tenant === 'organization' ? await builtInRole(owner, parent, 'Viewer') : role.id;
  const key = await make('/api/api-keys', { name: 'Robot', roleId }, maker);
  await make('/api/tags', { name: 'Red', color: 'red' });
  const app = await make('/api/project-apps', { name: 'App', redirectUris: ['https://app.example.com/callback'] });
  const { accessToken } = await make('/api/auth/token', { clientId: key.clientId, clientSecret: key.clientSecret });
  const appToken = await signToken(stack, { type: 'projectApp', subject: owner.userId, project: scope, scopes: ['Role:Query'] });
  const [parentId, projectId = ''] = scope.id.split(':');
  const jwks = `/${parent.tenant === 'organization' ? 'org' : 'acc'}/${parentId}/prj/${projectId}/.well-known/jwks.json`;
  return { scope, projectId, key, app, keyToken: String(accessToken), appToken, jwks };
}
type Furnished = Awaited<ReturnType<typeof furnish>>;

/** What the record of a deletion says went along. */
async function countsOf({ client, token }: Person, scope: ScopeValue, targetId: string) {
  const { items } = dataOf(await client.get(`/api/audit-events?${inScope(scope)}&targetId=${targetId}`, token));
  return items.find(({ action }: { action: string }) => action.endsWith('.deleted'))?.detail.counts;
}

type Ask = () => Promise<Answer>;
type Expected = Readonly<Record<string, readonly [ask: Ask, alive: number, gone: number]>>;

/** Requests about a project, with the responses before and after its deletion. */
function ofProject({ client, token }: Person, { scope, key, app, keyToken, appToken, jwks }: Furnished): Expected {
  const credentials = { clientId: key.clientId, clientSecret: key.clientSecret, scope };
  return {
    'an API key is exchanged': [() => client.post('/api/auth/token', credentials), 200, 401],
    'an API key’s token is believed': [() => client.post('/api/auth/is-authorized', question, keyToken), 200, 401],
    'an app’s token is believed': [() => client.post('/api/auth/is-authorized', question, appToken), 200, 401],
    'signing keys are published': [() => client.get(jwks), 200, 404],
    'signing keys are rotated': [() => client.post('/api/signing-keys/rotate', { scope }, token), 201, 403],
    'an app is shown': [() => client.get(`/api/auth/project/app-info?client_id=${app.clientId}`), 200, 404],
    'apps are listed': [() => client.get(`/api/project-apps?${inScope(scope)}`, token), 200, 403],
    'API keys are listed': [() => client.get(`/api/api-keys?${inScope(scope)}`, token), 200, 403],
    'roles are listed': [() => client.get(`/api/roles?${inScope(scope)}`, token), 200, 403],
    'users are listed': [() => client.get(`/api/users?${inScope(scope)}`, token), 200, 403],
  };
}
const question = { permission: { resource: 'Role', action: 'Query' } };

async function assertAll(expected: Expected, which: 'alive' | 'gone'): Promise<void> {
  for (const [name, [ask, alive, gone]] of Object.entries(expected)) {
    const wanted = which === 'alive' ? alive : gone;
    let { status, body } = await ask();
    // Soon, on every instance: how soon is measured in test/journeys/faults.
    for (const deadline = Date.now() + patienceMs; status !== wanted && Date.now() < deadline; await sleep(50))
      ({ status, body } = await ask());
    expect(status).toStrictEqualFor(`${which}: ${name}: ${JSON.stringify(body)}`, wanted);
  }
}

/** An organization with a member who created its project's keys, and a pending invitation. */
async function organizationWithPeople() {
  const owner = await createPerson(stack);
  const organization = await createOrganization(owner, `Doomed ${randomUUID()}`);
  const member = await addMember(stack, owner, organization, 'Dev');
  const email = `${randomUUID()}@example.com`;
  const roleId = await builtInRole(owner, organization, 'Dev');
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
  const { data } = await waitForMail(stack.dataDir, email, 'invitation');
  const project = await furnish(owner, organization, member);
  return { owner, organization, member, project, invitationToken: String(data.token) };
}

for (const hardDelete of [false, true]) {
  const how = hardDelete ? 'for good' : 'softly';
  const hard = hardDelete ? 'hardDelete=true' : '';

  describe(`deleted ${how}`, () => {
    for (const kind of ['organization', 'account'] as const)
      test.concurrent(`a project of an ${kind} takes its keys, apps, roles and tokens along, and nothing beside it`, async () => {
        const owner = await createPerson(stack);
        const parent = kind === 'organization' ? await createOrganization(owner) : owner.account;
        const [project, beside] = [await furnish(owner, parent), await furnish(owner, parent)];
        await assertAll(ofProject(owner, project), 'alive');
        dataOf(await owner.client.delete(`/api/projects/${project.projectId}?${inScope(parent, hard)}`, owner.token));
        await assertAll(ofProject(owner, project), 'gone');
        await assertAll(ofProject(owner, beside), 'alive');
        // The robot key's role is built in where the parent has built-in roles.
        expect(await countsOf(owner, parent, project.projectId)).toStrictEqual({ users: 0, roles: 1, tags: 1, apiKeys: 1, projectApps: 1 });
      });

    test.concurrent('an organization takes its members, invitations, roles and projects along', async () => {
      const { owner, organization, member, project, invitationToken } = await organizationWithPeople();
      const { client } = member;
      const expected: Expected = {
        ...ofProject(owner, project),
        'members are listed': [() => client.get(`/api/organization-members?${inScope(organization)}`, member.token), 200, 403],
        'roles of it are listed': [() => client.get(`/api/roles?${inScope(organization)}`, member.token), 200, 403],
        'an invitation is shown': [() => client.get(`/api/organization-invitations/${invitationToken}`), 200, 404],
        'it is read': [() => client.get(`/api/organizations/${organization.id}?${inScope(owner.account)}`, owner.token), 200, 404],
      };
      await assertAll(expected, 'alive');
      dataOf(await owner.client.delete(`/api/organizations/${organization.id}?${inScope(organization, hard)}`, owner.token));
      await assertAll(expected, 'gone');
      const kept = { roles: 1, tags: 1, apiKeys: 1, projectApps: 1 };
      expect(await countsOf(owner, owner.account, organization.id)).toStrictEqual({
        members: 2,
        projects: 1,
        invitations: 1,
        domains: 0,
        ...kept,
      });
      const userData = { name: 'Late', password: PASSWORD };
      const late = await client.post('/api/organization-invitations/accept', { token: invitationToken, userData });
      // Accepted into nothing.
      expect(late.status).toBe(400);
      const { items } = dataOf(await client.get(`/api/organizations?${inScope(member.account)}`, member.token));
      expect(items).toStrictEqual([]);
    });

    test.concurrent('a user takes accounts, the organizations of their own, memberships, sessions and keys along, and leaves those of others', async () => {
      const { owner, organization, member, project } = await organizationWithPeople();
      const own = await furnish(member, member.account);
      const alone = await createOrganization(member, `Alone ${randomUUID()}`);
      const ownToo = await furnish(member, alone);
      const { client, token, refreshToken } = member;
      const key = { clientId: project.key.clientId, clientSecret: project.key.clientSecret, scope: project.scope };
      const credentials = { provider: 'email', providerId: member.email, providerData: { password: PASSWORD } };
      const exchange = ({ key: { clientId, clientSecret }, scope }: Furnished): Ask => {
        return () => client.post('/api/auth/token', { clientId, clientSecret, scope });
      };
      const expected: Expected = {
        'they are in': [() => client.get('/api/me', token), 200, 401],
        'a key that they made for others is exchanged': [() => client.post('/api/auth/token', key), 200, 401],
        'the token of that key is believed': [() => client.post('/api/auth/is-authorized', question, project.keyToken), 200, 401],
        'a key of their account is exchanged': [exchange(own), 200, 401],
        'a key of their organization is exchanged': [exchange(ownToo), 200, 401],
        'keys of their project are published': [() => client.get(own.jwks), 200, 404],
        'an app of theirs is shown': [() => client.get(`/api/auth/project/app-info?client_id=${own.app.clientId}`), 200, 404],
        'they are a member of others’ organization': [
          async () => {
            const answer = await owner.client.get(`/api/organization-members?${inScope(organization)}`, owner.token);
            const isThere = dataOf(answer).items.some(({ id }: { id: string }) => id === member.userId);
            return { ...answer, status: isThere ? 200 : 404 };
          },
          200,
          404,
        ],
      };
      await assertAll(expected, 'alive');
      dataOf(await client.delete(`/api/me/accounts?${hard}`, token));
      await assertAll(expected, 'gone');
      assert.equal((await client.post('/api/auth/refresh', { refreshToken })).status, 401);
      assert.equal((await client.post('/api/auth/login', credentials)).status, 401);
      // Other people's entities stay, except those that the leaver created.
      const { client: others, token: othersToken } = owner;
      expect((await others.get(`/api/project-apps?${inScope(project.scope)}`, othersToken)).status).toBe(200);
      expect((await others.get(project.jwks)).status).toBe(200);
    });
  });
}
