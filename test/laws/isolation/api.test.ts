/**
 * Two tenants with equal content, and a person who is a member of both. The owner of one names ids
 * of the other everywhere (scopes, filters, bodies, nested fields); nothing is shown, linked or
 * changed. Generated from the declarations, so that new operations are included.
 */

import assert from 'node:assert/strict';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { type Answer, inScope, type ScopeValue } from '../../support/client.ts';
import { waitForMail } from '../../support/mail.ts';
import { allOperations, callGraphql, callRest, type Declared, documentOf } from '../../support/operations.ts';
import { sampleInput } from '../../support/sample.ts';
import { openStack } from '../../support/shared-stack.ts';
import { builtInRole, createPerson, createProject, createWorld, dataOf, type Person, type World } from '../../support/world.ts';

const ownProjects: ScopeValue[] = [];

/** Ids that must never be in an answer to me. */

/** `mails`: how many invitations they have had before. */
async function admit(person: Person, { owner, organization }: World, mails = 0): Promise<void> {
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const invite = { scope: organization, email: person.email, roleId };
  dataOf(await owner.client.post('/api/organization-invitations/invite', invite, owner.token));
  const { data } = await waitForMail(stack.dataDir, person.email, 'invitation', mails);
  dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
}

const stack = await openStack();
const mine = await createWorld(stack);
const theirs = await createWorld(stack);
const both = await createPerson(stack);
await admit(both, theirs);
const held = { scope: theirs.organization, roleIds: [await builtInRole(theirs.owner, theirs.organization, 'Viewer'), theirs.ids.Role] };
dataOf(await theirs.owner.client.patch(`/api/users/${both.userId}`, held, theirs.owner.token));
await admit(both, mine, 1);
for (const { owner } of [mine, theirs]) ownProjects.push(await createProject(owner, owner.account));
const theirRoles = dataOf(await theirs.owner.client.get(`/api/roles?${inScope(theirs.organization)}`, theirs.owner.token)).items;
const secrets = [
  ...Object.values(theirs.ids),
  theirs.owner.account.id,
  theirs.owner.email,
  ...theirRoles.map(({ id }: { id: string }) => id),
  String(ownProjects[1]?.id.split(':')[1]),
];

function propertiesOf({ input }: Declared): Readonly<Record<string, unknown>> {
  const plain: unknown = JSON.parse(JSON.stringify(input));
  return typeof plain === 'object' && plain !== null && 'properties' in plain ? (plain.properties as Record<string, unknown>) : {};
}
function has(operation: Declared, name: string): boolean {
  return Object.hasOwn(propertiesOf(operation), name);
}
function isArray(operation: Declared, name: string): boolean {
  return JSON.stringify(propertiesOf(operation)[name] ?? {}).includes('"type":"array"');
}

/** A scope of a world that the operation takes. */
function scopeIn({ scopes }: Declared, { organization, project, owner }: World): ScopeValue | undefined {
  return scopes === 'none'
    ? undefined
    : [organization, project, owner.account].find(({ tenant }) => (scopes as readonly string[]).includes(tenant));
}

/** Over each transport that the operation has. */
async function call(operation: Declared, special: Readonly<Record<string, unknown>>, token: string): Promise<readonly Answer[]> {
  const input = sampleInput(operation, special);
  const { client } = mine.owner;
  return [
    ...('method' in operation.rest ? [await callRest(client, operation, input, token)] : []),
    ...('field' in operation.graphql ? [await callGraphql(client, operation, input, token)] : []),
  ];
}

function codeOf({ body }: Answer): string | undefined {
  return body?.code ?? body?.errors?.[0]?.extensions?.code;
}
function assertSilent(answer: Answer, what: string): void {
  const text = JSON.stringify(answer.body);
  for (const secret of secrets)
    expect(!text.includes(secret)).toStrictEqualFor(`${what} shows ${secret} of another tenant: ${text.slice(0, 600)}`, true);
}

/** Each list with the relations that show its links. */
const ofOrganizations = {
  roles: 'groups,tags,users',
  groups: 'permissions,tags',
  permissions: 'resource,tags',
  tags: '',
  users: 'roles,tags',
  projects: '',
  'organization-members': '',
  'organization-invitations': '',
};
const ofProjects = { resources: 'permissions,tags', 'api-keys': 'role', 'project-apps': 'tags', roles: 'groups', users: 'roles' };

/** What an owner sees of his tenant, links and all. */
async function portrait({ owner, organization, project }: World): Promise<readonly unknown[]> {
  const see = async (path: string, scope: ScopeValue, relations: string) => {
    const more = relations === '' ? 'limit=100' : `limit=100&relations=${relations}`;
    return dataOf(await owner.client.get(`/api/${path}?${inScope(scope, more)}`, owner.token)).items;
  };
  const pages = await Promise.all([
    ...Object.entries(ofOrganizations).map(([path, relations]) => see(path, organization, relations)),
    ...Object.entries(ofProjects).map(([path, relations]) => see(path, project, relations)),
  ]);
  return pages;
}

const scoped = allOperations.filter(({ scopes, access }) => scopes !== 'none' && access.permission !== undefined);

describe('in a scope of another tenant, or one put together of two, every operation is 403 and shows nothing [spec:isolation.1]', () => {
  for (const operation of scoped)
    test(operation.name, async () => {
      const [ownProjectOfMine, ownProjectOfTheirs] = ownProjects;
      assert.ok(ownProjectOfMine && ownProjectOfTheirs);
      const [myParent = '', myProject = ''] = mine.project.id.split(':');
      const [theirParent = '', theirProject = ''] = theirs.project.id.split(':');
      const foreign: readonly ScopeValue[] = [
        theirs.organization,
        theirs.owner.account,
        theirs.project,
        ownProjectOfTheirs,
        { tenant: 'organizationProject', id: `${myParent}:${theirProject}` },
        { tenant: 'organizationProject', id: `${theirParent}:${myProject}` },
        { tenant: 'accountProject', id: `${mine.owner.account.id}:${ownProjectOfTheirs.id.split(':')[1]}` },
        { tenant: 'accountProject', id: mine.project.id },
        { tenant: 'organizationProject', id: ownProjectOfMine.id },
        { tenant: 'organization', id: mine.owner.account.id },
        { tenant: 'account', id: mine.organization.id },
      ];
      const [resource = ''] = (operation.access.permission ?? '').split(':');
      const id = theirs.ids[resource];
      for (const scope of foreign.filter(({ tenant }) => (operation.scopes as readonly string[]).includes(tenant)))
        for (const answer of await call(operation, { scope, ...(id ? { id, userId: id } : {}) }, mine.owner.token)) {
          expect(codeOf(answer)).toStrictEqualFor(`${JSON.stringify(scope)}: ${JSON.stringify(answer.body)}`, 'FORBIDDEN');
          assertSilent(answer, operation.name);
        }
    });
});

describe('filters of lists reach nothing of another tenant [spec:isolation.1]', () => {
  for (const operation of scoped.filter((declared) => declared.kind === 'query' && has(declared, 'ids')))
    test(operation.name, async () => {
      const scope = scopeIn(operation, mine);
      const wishes = [
        { ids: Object.values(theirs.ids) },
        ...(has(operation, 'tagIds') ? [{ tagIds: [theirs.ids.Tag] }, { tagIds: [mine.ids.Tag, theirs.ids.Tag] }] : []),
        { search: theirs.owner.email },
      ].filter((wish) => Object.keys(wish).every((name) => has(operation, name)));
      for (const wish of wishes) {
        const { client, token } = mine.owner;
        const input = sampleInput(operation, { scope, ...wish });
        const listed = await callRest(client, operation, input, token);
        const counted = await client.graphql(documentOf(operation, 'totalCount'), { input }, token);
        for (const answer of [listed, counted]) assertSilent(answer, `${operation.name} ${Object.keys(wish)}`);
        const [page] = Object.values(counted.body.data ?? { none: null }) as ({ totalCount: number } | null)[];
        expect([listed.body.data?.items ?? [], page?.totalCount ?? 0]).toStrictEqualFor(wish, [[], 0]);
      }
    });
});

/** References in a body, each with an id of the other tenant. */
const references = {
  tagIds: 'Tag',
  primaryTagId: 'Tag',
  roleIds: 'Role',
  groupIds: 'Group',
  permissionIds: 'Permission',
  resourceId: 'Resource',
  roleId: 'Role',
  signUpRoleId: 'Role',
} as const;

describe('bodies link nothing of another tenant [spec:isolation.1]', () => {
  let untouched: readonly unknown[];
  beforeAll(async () => {
    untouched = await Promise.all([mine, theirs].map(portrait));
  });
  for (const operation of scoped.filter(({ kind }) => kind === 'mutation'))
    for (const [name, resource] of Object.entries(references)) {
      if (!has(operation, name)) continue;
      test(`${operation.name}: ${name}`, async () => {
        const [own = ''] = (operation.access.permission ?? '').split(':');
        const foreign = theirs.ids[resource];
        const inProject = ['ApiKey', 'ProjectApp', 'Resource'].includes(own) || operation.name === 'createPermission';
        const target = own === 'OrganizationMember' ? both.userId : mine.ids[own];
        const special = {
          scope: inProject ? mine.project : scopeIn(operation, mine),
          id: target,
          userId: target,
          name: 'Linked',
          color: 'red',
          actions: ['read'],
          slug: 'linked',
          redirectUris: ['https://app.example.com/callback'],
          email: 'linked@example.com',
          ...(operation.name === 'createPermission' ? { action: 'read', resourceId: mine.ids.Resource } : {}),
          ...(name === 'signUpRoleId' ? { allowSignUp: true } : {}),
          ...(operation.name === 'updateProjectGrant' ? { id: mine.ids.ProjectGrant } : {}),
          [name]: isArray(operation, name) ? [foreign] : foreign,
        };
        for (const answer of await call(operation, special, mine.owner.token)) {
          const code = codeOf(answer);
          expect(['NOT_FOUND', 'VALIDATION_ERROR', 'BAD_USER_INPUT'].includes(String(code))).toStrictEqualFor(
            `${answer.status} ${JSON.stringify(answer.body)}`,
            true,
          );
          // Refused for another reason.
          if (code !== 'NOT_FOUND') expect(JSON.stringify(answer.body)).toMatch(/tag|role/i);
          assertSilent(answer, operation.name);
        }
      });
    }
  test('and both tenants are as they were', async () => expect(await Promise.all([mine, theirs].map(portrait))).toStrictEqual(untouched));
});

describe('nested fields and relations stay in the tenant, though people are in both', () => {
  test('over GraphQL, down to where the graph ends', async () => {
    const person =
      'id name roles { id name users { id roles { id groups { id } } } } tags { id } accounts { id } authenticationMethods { id providerId }';
    const people = `users { ${person} }`;
    const { organization, project, owner } = mine;
    const questions: readonly (readonly [string, ScopeValue, string])[] = [
      [
        'organizations',
        owner.account,
        `id ${people} roles { id users { id roles { id } } } groups { id users { id roles { id } } } projects { id }`,
      ],
      ['organizationMembers', organization, 'id user { id } role { id }'],
      ['projects', organization, `id roles { id users { id } } groups { id } tags { id } ${people}`],
      ['users', organization, person],
      ['roles', organization, `id ${people} groups { id ${people} } tags { id }`],
      ['groups', organization, `id ${people} permissions { id resource { permissions { id } } }`],
      ['apiKeys', project, 'id role { id users { id roles { id } } }'],
    ];
    let seen = '';
    for (const [field, scope, wanted] of questions) {
      const query = `query ($scope: ScopeInput!) { ${field}(input: { scope: $scope, limit: 50 }) { totalCount ${field} { ${wanted} } } }`;
      const answer = await owner.client.graphql(query, { scope }, owner.token);
      const { body } = answer;
      expect([body.errors, body.data?.[field]?.totalCount > 0]).toStrictEqualFor(`${field}: ${JSON.stringify(body)}`, [undefined, true]);
      assertSilent(answer, field);
      seen += JSON.stringify(body);
    }
    // The person who is in both is seen here.
    expect(seen).toContain(both.userId);
    // A member’s own accounts are their own.
    expect(seen).not.toContain(both.account.id);
  });

  test('over REST, with every relation', async () => {
    const relations: readonly (readonly [string, string])[] = [
      ['users', 'roles,tags,accounts,authenticationMethods'],
      ['roles', 'users,groups,tags'],
      ['groups', 'users,permissions,tags'],
      ['permissions', 'resource,tags'],
      ['projects', 'accounts,users,roles,groups'],
    ];
    for (const [path, names] of relations) {
      const answer = await mine.owner.client.get(`/api/${path}?${inScope(mine.organization, `relations=${names}`)}`, mine.owner.token);
      dataOf(answer);
      assertSilent(answer, path);
    }
    const organizations = await mine.owner.client.get(
      `/api/organizations?${inScope(mine.owner.account, 'relations=users,projects,roles,groups')}`,
      mine.owner.token,
    );
    dataOf(organizations);
    assertSilent(organizations, 'organizations');
  });
});

describe('rbac.v1.Authorization, asked in the name of one tenant about another', () => {
  test('authorizes no subject in another tenant, whatever the token claims', async () => {
    const rbac = connect({ service: 'rbac.v1.Authorization', url: stack.grpcUrls.rbac, secret: stack.internalAuthSecret, self: 'tenancy' });
    try {
      const { userId } = mine.owner;
      const user = (scope: ScopeValue, id = userId) => ({ tenant: `${scope.tenant}User`, id: `${scope.id}:${id}` });
      const session = { type: 'session', userId, tokenId: newId(), scopes: [], roleId: '' };
      const key = { ...session, type: 'apiKey' };
      const [myAccountProject] = ownProjects;
      expect(myAccountProject).toBeTruthy();
      const subjects: readonly (readonly [string, object, ScopeValue])[] = [
        ['a session abroad', session, theirs.organization],
        ['a session in their project', session, theirs.project],
        ['a session with a scope of theirs', { ...session, tokenScope: user(theirs.project) }, theirs.project],
        ['a key of mine abroad', { ...key, tokenScope: user(mine.project), roleId: mine.ids.Role }, theirs.project],
        ['a key that claims their project', { ...key, tokenScope: user(theirs.project), roleId: mine.ids.Role }, theirs.project],
        ['a key with their role in my project', { ...key, tokenScope: user(mine.project), roleId: theirs.ids.Role }, mine.project],
        ['a key with the scope of another user', { ...key, tokenScope: user(theirs.project, theirs.owner.userId) }, theirs.project],
        [
          'a key with a scope of the wrong kind',
          { ...key, tokenScope: { tenant: 'accountProjectUser', id: `${mine.project.id}:${userId}` } },
          mine.project,
        ],
        [
          'an app of mine abroad',
          { ...session, type: 'projectApp', scopes: ['Role:Query'], tokenScope: user(mine.project) },
          theirs.project,
        ],
        ['nobody', { ...session, userId: '' }, theirs.organization],
        ['a key whose role is no id', { ...key, tokenScope: user(mine.project), roleId: 'Owner' }, mine.project],
        ['an unknown type', { ...session, type: 'root' }, mine.organization],
        [
          'a project under the wrong parent',
          session,
          { tenant: 'organizationProject', id: `${mine.organization.id}:${theirs.project.id.split(':')[1]}` },
        ],
      ];
      const check = (subject: object, scope: ScopeValue) => ({
        subject: subject as typeof session,
        scope,
        resource: 'Role',
        action: 'Query',
        targetJson: '',
        consistencyToken: '',
        noCache: true,
      });
      for (const [what, subject, scope] of subjects) {
        const { authorized } = await rbac.isAuthorized(check(subject, scope));
        expect(authorized).toStrictEqualFor(what, false);
        const { permissions } = await rbac.listPermissions({ subject: subject as typeof session, scope, consistencyToken: '' });
        expect(permissions.length === 0 || JSON.stringify(permissions).includes('"Role"') === false).toStrictEqualFor(what, true);
      }
      // Or this would prove nothing.
      expect((await rbac.isAuthorized(check(session, mine.organization))).authorized).toBe(true);
    } finally {
      rbac.close();
    }
  });
});
