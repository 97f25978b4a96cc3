/** The surface of the specification against the running system. */

import { describe, expect, test } from '@jest/globals';
import { type Answer, inScope } from '../../support/client.ts';
import { allOperations } from '../../support/operations.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson, createProject, createWorld, dataOf } from '../../support/world.ts';

const stack = await openStack();
const world = await createWorld(stack);
const owner = world.owner;
const paths: Record<string, Record<string, { readonly security?: readonly object[] }>> = (await owner.client.get('/api-docs.json')).body
  .paths;

function endpoints(prefix: string): number {
  return Object.entries(paths)
    .filter(([path]) => path === prefix || path.startsWith(`${prefix}/`))
    .reduce((sum, [, methods]) => sum + Object.keys(methods).length, 0);
}

/** The operations whose path is the prefix or below it. */
function declaredBelow(prefix: string): number {
  return allOperations.filter(({ rest }) => 'path' in rest && (rest.path === prefix || rest.path.startsWith(`${prefix}/`))).length;
}

describe('the endpoints of each resource [spec:resources.1 spec:service.9]', () => {
  // The specification's count is the least; what was added since is declared.
  const counts: readonly [string, string, number][] = [
    ['me', '/api/me', 28],
    ['organizations [spec:rest.2]', '/api/organizations', 5],
    ['organization invitations [spec:rest.3]', '/api/organization-invitations', 8],
    ['organization members [spec:rest.4]', '/api/organization-members', 4],
    ['projects [spec:rest.5]', '/api/projects', 4],
    ['users [spec:rest.6]', '/api/users', 6],
    ['roles [spec:rest.7]', '/api/roles', 4],
    ['groups [spec:rest.8]', '/api/groups', 4],
    ['permissions [spec:rest.9]', '/api/permissions', 4],
    ['resources [spec:rest.10]', '/api/resources', 4],
    ['tags [spec:rest.12]', '/api/tags', 4],
  ];
  for (const [name, prefix, count] of counts)
    test(name, () => {
      expect(endpoints(prefix)).toBe(declaredBelow(prefix));
      expect(endpoints(prefix)).toBeGreaterThanOrEqual(count);
    });
  test('API keys, with the exchange [spec:rest.11]', () => {
    expect(endpoints('/api/api-keys')).toBe(declaredBelow('/api/api-keys'));
    expect(endpoints('/api/api-keys') + endpoints('/api/auth/token')).toBeGreaterThanOrEqual(5);
  });
  test('collections and items by the same paths [spec:rest.13]', () => {
    for (const [path, methods] of [
      ['/api/organizations', ['get', 'post']],
      ['/api/roles', ['get', 'post']],
      ['/api/users/{id}', ['get', 'patch', 'delete']],
      ['/api/organizations/{id}', ['get', 'patch', 'delete']],
      ['/api/accounts/{id}', ['get']],
    ] as const)
      expect(Object.keys(paths[path] ?? {}).sort()).toStrictEqualFor(path, [...methods].sort());
  });
  test('bodies are JSON; guarded endpoints declare the bearer token [spec:endpoints.1]', async () => {
    expect(paths['/api/roles']?.post?.security).toStrictEqual([{ bearer: [] }]);
    expect(paths['/api/auth/login']?.post?.security).toStrictEqual([]);
    const form = await owner.client.call('POST', '/api/roles', {
      token: owner.token,
      body: 'name=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form.status).toBe(415);
  });
  test('the documents of the API [spec:rest.19 spec:rest.20]', async () => {
    expect(String((await owner.client.get('/api-docs')).headers['content-type'])).toMatch(/html/);
    expect((await owner.client.get('/api-docs.json')).body.openapi).toMatch(/^3\.1/);
  });
});

describe('the hierarchy [spec:service.1 spec:service.11 spec:scope.1 spec:scope.2]', () => {
  test('account, organization, accountProject and organizationProject are scopes; each id has its form', async () => {
    const personal = await createProject(owner, owner.account, 'Personal');
    for (const scope of [owner.account, world.organization, world.project, personal]) {
      const { status } = await owner.client.get(`/api/tags?${inScope(scope)}`, owner.token);
      expect(status).toStrictEqualFor(scope.tenant, 200);
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
      expect([status, body.code]).toStrictEqualFor(scope, [400, 'VALIDATION_ERROR']);
    }
  });
  test('a project of another organization is no scope of this one', async () => {
    const other = await createPerson(stack);
    const foreign = {
      tenant: 'organizationProject',
      id: `${world.organization.id}:${(await createProject(other, other.account)).id.split(':')[1]}`,
    };
    expect((await owner.client.get(`/api/roles?${inScope(foreign)}`, owner.token)).status).toBe(403);
  });
});

function role(scope: object, name: string) {
  return { scope, name };
}
const createRole = 'mutation($input: CreateRoleInput!) { createRole(input: $input) { id name } }';

describe('envelopes and errors', () => {
  test('success is { success: true, data } [spec:envelopes.1]', async () => {
    const { status, body } = await owner.client.post('/api/roles', role(world.organization, 'Enveloped'), owner.token);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toStrictEqual(['data', 'success']);
    expect(body.success).toBe(true);
  });
  test('an error has error, code, extensions, translationKey and translationParams, in the asked language [spec:envelopes.2 spec:errors.1-5 spec:codes.2]', async () => {
    const bad = (language: string): Promise<Answer> =>
      owner.client.post('/api/roles', { scope: world.organization, name: 5 }, owner.token, { 'accept-language': language });
    const [en, de] = [await bad('en'), await bad('de')];
    expect([en.status, en.body.code, en.body.extensions.field]).toStrictEqual([400, 'VALIDATION_ERROR', 'name']);
    expect(en.body.translationKey).toMatch(/^errors\./);
    expect(en.body.translationParams.field).toBe('name');
    expect(en.body.error).not.toBe(de.body.error);
    expect([de.body.code, de.body.translationKey]).toStrictEqual([en.body.code, en.body.translationKey]);
    expect(en.body.stack).toBeUndefined();
  });
  test('invalid JSON is BAD_USER_INPUT [spec:codes.1]', async () => {
    const { status, body } = await owner.client.call('POST', '/api/roles', { token: owner.token, body: '{"scope":' });
    expect([status, body.code]).toStrictEqual([400, 'BAD_USER_INPUT']);
  });
  test('GraphQL has data and errors, null data with an error, the same codes and a localized message [spec:envelopes.3 spec:graphql-errors.1]', async () => {
    const fine = await owner.client.graphql(createRole, { input: role(world.organization, 'Fine') }, owner.token);
    expect(Object.keys(fine.body)).toStrictEqual(['data']);
    const refused = await owner.client.graphql(createRole, { input: role(world.organization, '') }, owner.token, {
      'accept-language': 'de',
    });
    expect(refused.body.data).toBeNull();
    const [error] = refused.body.errors;
    expect(error.extensions.code).toBe('VALIDATION_ERROR');
    expect(error.message).toMatch(/^Das Feld name darf /);
  });
  test('a token is a bearer token in both transports [spec:tokens.1]', async () => {
    expect((await owner.client.get('/api/me', owner.token)).status).toBe(200);
    expect((await owner.client.graphql('{ me { email } }', {}, owner.token)).body.data.me.email).toBe(owner.email);
    expect((await owner.client.call('GET', '/api/me', { headers: { authorization: owner.token } })).status).toBe(401);
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
    for (const name of names) expect(name in row).toStrictEqualFor(`${path} has no ${name}`, true);
    return row;
  };
  test('accounts: projects, owner [spec:relations.2]', async () => {
    const row = await related(`/api/accounts/${owner.account.id}`, undefined, ['projects', 'owner']);
    expect(row.owner.id).toBe(owner.userId);
  });
  test('organizations: users, projects, roles, groups [spec:relations.4]', async () => {
    const row = await related(`/api/organizations/${world.organization.id}`, world.organization, ['users', 'projects', 'roles', 'groups']);
    expect(row.projects.length).toBe(1);
    expect(row.roles.filter(({ isBuiltIn }: { isBuiltIn: boolean }) => isBuiltIn).length).toBe(5);
  });
  test('projects: accounts, users, roles, groups [spec:relations.5]', () =>
    related('/api/projects', world.organization, ['accounts', 'users', 'roles', 'groups']));
  test('nothing is loaded that was not asked for, in lists and items alike; GraphQL fetches the selection [spec:relations.8]', async () => {
    const { items } = dataOf(await owner.client.get(`/api/roles?${inScope(world.organization)}`, owner.token));
    for (const name of ['users', 'groups', 'tags']) expect(!(name in items[0])).toStrictEqualFor(name, true);
    const { body } = await owner.client.graphql(
      'query($input: RolesInput!) { roles(input: $input) { roles { name } } }',
      { input: { scope: world.organization } },
      owner.token,
    );
    expect(Object.keys(body.data.roles.roles[0])).toStrictEqual(['name']);
  });
});

describe('email verification', () => {
  test('is read from the token: what was verified after it was issued counts from the next token on [spec:gating.1 spec:service.6]', async () => {
    const person = await createPerson(stack, { verified: false });
    const rename = () => person.client.patch('/api/me', { name: 'Renamed' }, person.token);
    expect((await rename()).body.code).toBe('EMAIL_VERIFICATION_REQUIRED');
    expect((await person.client.get('/api/me', person.token)).status).toBe(200);
    const claims = JSON.parse(Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.isVerified).toBe(false);
  });
});
