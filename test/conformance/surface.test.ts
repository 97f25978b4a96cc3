/** The surface that the specification draws: endpoints, fields, envelopes, errors, relations, as the running system shows them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { buildASTSchema, parse } from 'graphql';
import { authFields } from '../../services/gateway/src/limits/auth-fields.ts';
import { routeRules } from '../../services/gateway/src/proxy/routes.ts';
import { type Answer, inScope } from '../system/client.ts';
import { allOperations } from '../system/operations.ts';
import { openStack, type SystemStack } from '../system/stack.ts';
import { createPerson, createProject, createWorld, dataOf, type Person, type World } from '../system/world.ts';

let stack: SystemStack;
let world: World;
let owner: Person;
let paths: Record<string, Record<string, { readonly security?: readonly object[] }>>;

before(async () => {
  stack = await openStack();
  world = await createWorld(stack);
  owner = world.owner;
  ({ paths } = (await owner.client.get('/api-docs.json')).body);
});
after(() => stack.close());

function endpoints(prefix: string): number {
  return Object.entries(paths)
    .filter(([path]) => path === prefix || path.startsWith(`${prefix}/`))
    .reduce((sum, [, methods]) => sum + Object.keys(methods).length, 0);
}

describe('the endpoints of each resource [spec:resources.1 spec:service.9]', () => {
  // The specification's count, and what interface.md adds to it (projects: accounts' own; users: a picture; me: what moved there).
  const counts: readonly [string, string, number][] = [
    ['me', '/api/me', 15],
    ['organizations [spec:rest.2]', '/api/organizations', 5],
    ['organization invitations [spec:rest.3]', '/api/organization-invitations', 7],
    ['organization members [spec:rest.4]', '/api/organization-members', 3],
    ['projects [spec:rest.5]', '/api/projects', 4],
    ['users [spec:rest.6]', '/api/users', 6],
    ['roles [spec:rest.7]', '/api/roles', 4],
    ['groups [spec:rest.8]', '/api/groups', 4],
    ['permissions [spec:rest.9]', '/api/permissions', 4],
    ['resources [spec:rest.10]', '/api/resources', 4],
    ['tags [spec:rest.12]', '/api/tags', 4],
  ];
  for (const [name, prefix, count] of counts) it(name, () => assert.equal(endpoints(prefix), count));
  it('API keys, with the exchange [spec:rest.11]', () => assert.equal(endpoints('/api/api-keys') + endpoints('/api/auth/token'), 5));
  it('collections and items by the same paths [spec:rest.13]', () => {
    for (const [path, methods] of [
      ['/api/organizations', ['get', 'post']],
      ['/api/roles', ['get', 'post']],
      ['/api/users/{id}', ['get', 'patch', 'delete']],
      ['/api/organizations/{id}', ['get', 'patch', 'delete']],
      ['/api/accounts/{id}', ['get']],
    ] as const) {
      assert.deepEqual(Object.keys(paths[path] ?? {}).sort(), [...methods].sort(), path);
    }
  });
  it('bodies are JSON; guarded endpoints declare the bearer token [spec:endpoints.1]', async () => {
    assert.deepEqual(paths['/api/roles']?.post?.security, [{ bearer: [] }]);
    assert.deepEqual(paths['/api/auth/login']?.post?.security, []);
    const form = await owner.client.call('POST', '/api/roles', {
      token: owner.token,
      body: 'name=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(form.status, 415);
  });
  it('the documents of the API [spec:rest.19 spec:rest.20]', async () => {
    assert.match(String((await owner.client.get('/api-docs')).headers['content-type']), /html/);
    assert.match((await owner.client.get('/api-docs.json')).body.openapi, /^3\.1/);
  });
});

function supergraph() {
  return buildASTSchema(parse(readFileSync(new URL('../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8')), {
    assumeValid: true,
  });
}

describe('the fields of the graph [spec:graphql.1]', () => {
  const queries =
    'me isAuthorized organizations organizationMembers organizationInvitations invitation projects roles groups permissions resources users apiKeys signingKeys tags projectApps myUserSessions myUserAuthenticationMethods myUserDataExport';
  const crud = (names: string) => names.split(' ').flatMap((name) => [`create${name}`, `update${name}`, `delete${name}`]);
  const mutations = [
    ...'login register refreshSession verifyEmail resendVerification requestPasswordReset resetPassword logoutMyUser updateMyUser changeMyPassword uploadMyUserPicture'.split(
      ' ',
    ),
    ...'createMyUserAuthenticationMethod setMyPrimaryAuthenticationMethod deleteMyUserAuthenticationMethod revokeMyUserSession createMySecondaryAccount deleteMyAccounts'.split(
      ' ',
    ),
    ...'uploadUserPicture inviteMember acceptInvitation resendInvitationEmail renewInvitation revokeInvitation updateOrganizationMember removeOrganizationMember'.split(
      ' ',
    ),
    ...'createApiKey revokeApiKey deleteApiKey exchangeApiKey rotateSigningKey'.split(' '),
    ...crud('User ProjectApp Organization Project Role Group Permission Resource Tag'),
  ];
  it('all 19 queries [spec:graphql.3 spec:graphql.4]', () => {
    const fields = Object.keys(supergraph().getQueryType()?.getFields() ?? {});
    assert.equal(queries.split(' ').length, 19);
    for (const name of queries.split(' ')) assert.ok(fields.includes(name), name);
  });
  it('at least 56 mutations, every one that is named', () => {
    const fields = Object.keys(supergraph().getMutationType()?.getFields() ?? {});
    for (const name of mutations) assert.ok(fields.includes(name), name);
    assert.ok(fields.length >= 56, String(fields.length));
  });
});

describe('the auth limit [spec:limits.2]', () => {
  const ruleOf = (path: string) =>
    routeRules
      .filter((rule) => path === rule.path || (!rule.isExact && path.startsWith(`${rule.path}/`)))
      .sort((left, right) => right.path.length - left.path.length)[0];
  for (const { name, rest, graphql } of allOperations) {
    if (!('method' in rest) || !('field' in graphql)) continue;
    const isLimited = ruleOf(rest.path)?.limit === 'auth';
    if (isLimited || authFields.has(graphql.field))
      it(`counts ${name} over both transports`, () => assert.deepEqual([isLimited, authFields.has(graphql.field)], [true, true]));
  }
  it('counts sign-in, registration, refresh, password reset, token exchange and magic links', () => {
    const paths = [
      'login',
      'register',
      'refresh',
      'request-password-reset',
      'reset-password',
      'token',
      'cli-callback',
      'project/email/request',
    ];
    for (const path of paths) assert.equal(ruleOf(`/api/auth/${path}`)?.limit, 'auth', path);
  });
  it('counts tries of the current password, too', () => assert.equal(ruleOf('/api/me/change-password')?.limit, 'auth'));
});

describe('the hierarchy [spec:service.1 spec:service.11 spec:scope.1 spec:scope.2]', () => {
  it('account, organization, accountProject and organizationProject are scopes; each id has its form', async () => {
    const personal = await createProject(owner, owner.account, 'Personal');
    for (const scope of [owner.account, world.organization, world.project, personal]) {
      const { status } = await owner.client.get(`/api/tags?${inScope(scope)}`, owner.token);
      assert.equal(status, 200, scope.tenant);
    }
    const wrong = [
      { tenant: 'organization', id: world.project.id },
      { tenant: 'organizationProject', id: world.organization.id },
      { tenant: 'organizationProject', id: `${world.organization.id}:${world.project.id}` },
      { tenant: 'account', id: 'not-a-uuid-but-of-its-very-same-length-1' },
      { tenant: 'planet', id: world.organization.id },
    ];
    for (const scope of wrong) {
      const { status, body } = await owner.client.get(`/api/tags?${inScope(scope)}`, owner.token);
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], JSON.stringify(scope));
    }
  });
  it('a project of another organization is no scope of this one', async () => {
    const other = await createPerson(stack);
    const foreign = {
      tenant: 'organizationProject',
      id: `${world.organization.id}:${(await createProject(other, other.account)).id.split(':')[1]}`,
    };
    assert.equal((await owner.client.get(`/api/roles?${inScope(foreign)}`, owner.token)).status, 403);
  });
});

function role(scope: object, name: string) {
  return { scope, name };
}
const createRole = 'mutation($input: CreateRoleInput!) { createRole(input: $input) { id name } }';

describe('envelopes and errors', () => {
  it('success is { success: true, data } [spec:envelopes.1]', async () => {
    const { status, body } = await owner.client.post('/api/roles', role(world.organization, 'Enveloped'), owner.token);
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body).sort(), ['data', 'success']);
    assert.equal(body.success, true);
  });
  it('an error has error, code, extensions, translationKey and translationParams, in the asked language [spec:envelopes.2 spec:errors.1-5 spec:codes.2]', async () => {
    const bad = (language: string): Promise<Answer> =>
      owner.client.post('/api/roles', { scope: world.organization, name: 5 }, owner.token, { 'accept-language': language });
    const [en, de] = [await bad('en'), await bad('de')];
    assert.deepEqual([en.status, en.body.code, en.body.extensions.field], [400, 'VALIDATION_ERROR', 'name']);
    assert.match(en.body.translationKey, /^errors\./);
    assert.equal(en.body.translationParams.field, 'name');
    assert.notEqual(en.body.error, de.body.error);
    assert.deepEqual([de.body.code, de.body.translationKey], [en.body.code, en.body.translationKey]);
    assert.equal(en.body.stack, undefined);
  });
  it('invalid JSON is BAD_USER_INPUT [spec:codes.1]', async () => {
    const { status, body } = await owner.client.call('POST', '/api/roles', { token: owner.token, body: '{"scope":' });
    assert.deepEqual([status, body.code], [400, 'BAD_USER_INPUT']);
  });
  it('GraphQL has data and errors, null data with an error, the same codes and a localized message [spec:envelopes.3 spec:graphql-errors.1]', async () => {
    const fine = await owner.client.graphql(createRole, { input: role(world.organization, 'Fine') }, owner.token);
    assert.deepEqual(Object.keys(fine.body), ['data']);
    const refused = await owner.client.graphql(createRole, { input: role(world.organization, '') }, owner.token, {
      'accept-language': 'de',
    });
    assert.equal(refused.body.data, null);
    const [error] = refused.body.errors;
    assert.equal(error.extensions.code, 'VALIDATION_ERROR');
    assert.match(error.message, /ungültig/);
  });
  it('a token is a bearer token in both transports [spec:tokens.1]', async () => {
    assert.equal((await owner.client.get('/api/me', owner.token)).status, 200);
    assert.equal((await owner.client.graphql('{ me { email } }', {}, owner.token)).body.data.me.email, owner.email);
    assert.equal((await owner.client.call('GET', '/api/me', { headers: { authorization: owner.token } })).status, 401);
  });
});

describe('relations of reads', () => {
  const related = async (
    path: string,
    scope: { tenant: string; id: string } | undefined,
    names: readonly string[],
  ): Promise<Answer['body']> => {
    const query = `${scope ? `${inScope(scope)}&` : ''}relations=${names.join(',')}`;
    const data = dataOf(await owner.client.get(`${path}?${query}`, owner.token));
    const row = data.items ? data.items[0] : data;
    for (const name of names) assert.ok(name in row, `${path} has no ${name}`);
    return row;
  };
  it('accounts: projects, owner [spec:relations.2]', async () => {
    const row = await related(`/api/accounts/${owner.account.id}`, undefined, ['projects', 'owner']);
    assert.equal(row.owner.id, owner.userId);
  });
  it('organizations: users, projects, roles, groups [spec:relations.4]', async () => {
    const row = await related(`/api/organizations/${world.organization.id}`, world.organization, ['users', 'projects', 'roles', 'groups']);
    assert.equal(row.projects.length, 1);
    assert.equal(row.roles.filter(({ isBuiltIn }: { isBuiltIn: boolean }) => isBuiltIn).length, 4);
  });
  it('projects: accounts, users, roles, groups [spec:relations.5]', () =>
    related('/api/projects', world.organization, ['accounts', 'users', 'roles', 'groups']));
  it('nothing is loaded that was not asked for, in lists and items alike; GraphQL fetches the selection [spec:relations.8]', async () => {
    const { items } = dataOf(await owner.client.get(`/api/roles?${inScope(world.organization)}`, owner.token));
    for (const name of ['users', 'groups', 'tags']) assert.ok(!(name in items[0]), name);
    const { body } = await owner.client.graphql(
      'query($input: RolesInput!) { roles(input: $input) { roles { name } } }',
      { input: { scope: world.organization } },
      owner.token,
    );
    assert.deepEqual(Object.keys(body.data.roles.roles[0]), ['name']);
  });
});

describe('email verification', () => {
  it('is read from the token: what was verified after it was issued counts from the next token on [spec:gating.1 spec:service.6]', async () => {
    const person = await createPerson(stack, { verified: false });
    const rename = () => person.client.patch('/api/me', { name: 'Renamed' }, person.token);
    assert.equal((await rename()).body.code, 'EMAIL_VERIFICATION_REQUIRED');
    assert.equal((await person.client.get('/api/me', person.token)).status, 200);
    const claims = JSON.parse(Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(claims.isVerified, false);
  });
});
