/** Every operation × every caller that must be refused, over both transports. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { elevatable } from '../../../services/identity/src/apps/domain/elevated.ts';
import { grant } from '../../../tools/platform/administrators.ts';
import { createClient, inScope, type ScopeValue } from '../../support/client.ts';
import {
  allOperations,
  callGraphql,
  callRest,
  type Declared,
  graphqlRefusal,
  type Refusal,
  restRefusal,
} from '../../support/operations.ts';
import { requiredNames, sampleInput } from '../../support/sample.ts';
import { openStack } from '../../support/shared-stack.ts';
import { createPerson, createProvisioner, createServiceAccount, createWorld, dataOf, signToken, type World } from '../../support/world.ts';

const tokens: Record<string, string> = {};

const stack = await openStack();
const client = createClient(stack.url, 'refusals');
const [mine, theirs, unverified, outsider] = await Promise.all([
  createWorld(stack),
  createWorld(stack),
  createPerson(stack, { verified: false }),
  createPerson(stack),
]);
// One who may, for refusals that come after the role.
const database = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
await database.connect();
await grant(database, mine.owner.email);
// In the other tenant alone: an access of a supporter, and a standing consent of the same id.
const supportId = randomUUID();
const theirProject = [theirs.organization.id, theirs.project.id];
await database.query(
  `INSERT INTO support_accesses
     (id, supporter_id, user_id, organization_id, project_scope_id, reason, minutes, status, requested_at, may_write, may_export, ends_at)
   VALUES ($1, $2, $3, $4, $5, 'Theirs', 60, 'requested', now(), false, false, now() + interval '1 day')`,
  [supportId, outsider.userId, theirs.owner.userId, ...theirProject],
);
await database.query(
  `INSERT INTO support_consents (id, organization_id, project_scope_id, may_write, may_export, given_by, given_at, ends_at)
   VALUES ($1, $2, $3, false, false, $4, now(), now() + interval '1 day')`,
  [supportId, ...theirProject, theirs.owner.userId],
);
await database.end();
const foreignIds: World['ids'] = { ...theirs.ids, SupportAccess: supportId };
const gone = await createPerson(stack);
dataOf(await gone.client.post('/api/me/logout', {}, gone.token));
const { userId } = mine.owner;
tokens.expired = await signToken(stack, { type: 'session', subject: userId, lifetimeSeconds: 1 });
tokens.revoked = gone.token;
tokens.stale = await signToken(stack, { type: 'session', subject: userId });
tokens.oneFactor = mine.owner.token;
tokens.forged = `${mine.owner.token.slice(0, -6)}AAAAAA`;
tokens.apiKey = await signToken(stack, { type: 'apiKey', subject: userId, project: mine.project });
tokens.scopeless = await signToken(stack, { type: 'projectApp', subject: userId, project: mine.project, scopes: [] });
tokens.admin = (await createServiceAccount(stack.url, mine, 'Admin')).token;
tokens.viewer = (await createServiceAccount(stack.url, mine, 'Viewer')).token;
tokens.provisioner = (await createProvisioner(stack.url, mine.owner)).token;
tokens.foreign = (await createServiceAccount(stack.url, theirs, 'Admin')).token;
await sleep(1_200);

function isGuarded({ access }: Declared): boolean {
  return !('open' in access) && !('optional' in access);
}
/** What the operation is about, where the right depends on it. */
function targetIn({ access }: Declared, { ids }: World): { readonly id?: string } {
  const id = 'target' in access && access.target !== undefined ? ids[access.permission?.split(':')[0] ?? ''] : undefined;
  return id === undefined ? {} : { id };
}
function isBodyless({ rest }: Declared): boolean {
  return !('method' in rest);
}

/** A scope of the world that the operation takes, the organization's where it can be. */
function scopeIn({ scopes }: Declared, world: World): ScopeValue | undefined {
  if (scopes === 'none') return undefined;
  if (scopes.includes('organization')) return world.organization;
  return scopes.includes('organizationProject') ? world.project : world.owner.account;
}

async function both(
  operation: Declared,
  special: Readonly<Record<string, unknown>>,
  token: string | undefined,
): Promise<readonly Refusal[]> {
  const input = sampleInput(operation, special);
  const rest = isBodyless(operation) ? [] : [restRefusal(await callRest(client, operation, input, token))];
  const graphql = 'field' in operation.graphql ? [graphqlRefusal(await callGraphql(client, operation, input, token))] : [];
  return [...rest, ...graphql];
}

function assertRefused(refusals: readonly Refusal[], status: number, code: string): void {
  expect(refusals.length).toBeGreaterThan(0);
  for (const refusal of refusals) {
    expect(refusal.code).toStrictEqualFor(refusal, code);
    expect(refusal.status === status || refusal.status === 200).toStrictEqualFor(refusal, true);
    expect(String(refusal.key)).toMatch(/^errors\./);
  }
}

function withScope(operation: Declared, world: World) {
  const scope = scopeIn(operation, world);
  return scope === undefined ? {} : { scope };
}

describe('without a valid token every guarded operation is 401 [spec:codes.3 spec:codes.12]', () => {
  for (const operation of allOperations.filter(isGuarded))
    for (const kind of ['anonymous', 'expired', 'revoked', 'forged'])
      test(`${operation.name}: ${kind}`, async () => {
        assertRefused(await both(operation, withScope(operation, mine), tokens[kind]), 401, 'UNAUTHENTICATED');
      });
});

function isGated({ kind, verification, scopes }: Declared): boolean {
  return (
    kind === 'mutation' &&
    (verification === 'account-settings' ||
      verification === 'organization' ||
      (verification === 'by-scope' && scopes !== 'none' && scopes.some((tenant) => tenant.startsWith('organization'))))
  );
}

describe('an unverified user is stopped in organizations and account settings [spec:gating.3-7 spec:gating.9 spec:codes.5]', () => {
  for (const operation of allOperations.filter(isGated))
    test(operation.name, async () => {
      assertRefused(await both(operation, withScope(operation, mine), unverified.token), 403, 'EMAIL_VERIFICATION_REQUIRED');
    });
});

describe('a sign-in that is too old, or of one factor, is not enough where more is declared', () => {
  for (const operation of allOperations.filter(({ freshness, assurance }) => freshness !== undefined && assurance === undefined))
    test(`${operation.name}: stale`, async () => {
      assertRefused(
        await both(operation, { ...withScope(operation, mine), ...targetIn(operation, mine) }, tokens.stale),
        403,
        'FRESH_SIGN_IN_REQUIRED',
      );
    });
  for (const operation of allOperations.filter(({ assurance }) => assurance !== undefined))
    test(`${operation.name}: one factor`, async () => {
      for (const kind of ['oneFactor', 'stale']) assertRefused(await both(operation, {}, tokens[kind]), 403, 'SECOND_FACTOR_REQUIRED');
    });
  test('and some operations declare it', () => {
    const names = allOperations.filter(({ freshness }) => freshness !== undefined).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['enrollTotp', 'createPasskey', 'changePassword', 'deleteMyAccounts', 'createApiKey']));
  });
});

function needsPermission({ access }: Declared): boolean {
  return access.permission !== undefined;
}

describe('without the right in the scope it is 403 [spec:codes.4]', () => {
  for (const operation of allOperations.filter(needsPermission))
    test(operation.name, async () => {
      assertRefused(await both(operation, withScope(operation, mine), outsider.token), 403, 'FORBIDDEN');
    });
});

/** What the owner sees of his tenant: it must be the same before and after. */
async function portrait({ owner, organization, project }: World): Promise<string> {
  const lists = [
    'roles',
    'groups',
    'permissions',
    'resources',
    'tags',
    'users',
    'projects',
    'organization-members',
    'organization-invitations',
  ];
  const pages = await Promise.all(
    lists.map((list) =>
      owner.client.get(`/api/${list}?${inScope(list === 'resources' ? project : organization, 'limit=100')}`, owner.token),
    ),
  );
  const keys = await owner.client.get(`/api/api-keys?${inScope(project)}`, owner.token);
  return JSON.stringify([...pages, keys].map(dataOf));
}

function addresses(operation: Declared): 'id' | 'userId' | undefined {
  const names = requiredNames(operation);
  return names.includes('id') ? 'id' : names.includes('userId') ? 'userId' : undefined;
}

describe("another tenant's thing is 404 in one's own scope, and stays as it was [spec:codes.6]", () => {
  let portraitBefore: string;
  beforeAll(async () => {
    portraitBefore = await portrait(theirs);
  });
  // A list by a person, which is empty for a stranger.
  const lists = ['listDirectoryRoles'];
  const addressed = allOperations.filter(
    (operation) => needsPermission(operation) && addresses(operation) !== undefined && !lists.includes(operation.name),
  );

  for (const operation of addressed) {
    const [resource = ''] = (operation.access.permission ?? '').split(':');
    test(operation.name, async () => {
      const foreign = foreignIds[resource];
      expect(Boolean(foreign)).toStrictEqualFor(`the world has no ${resource}`, true);
      const name = addresses(operation) ?? 'id';
      assertRefused(
        await both(
          operation,
          { ...withScope(operation, mine), [name]: foreign, name: 'Taken over', roleId: theirs.ids.Role },
          mine.owner.token,
        ),
        404,
        'NOT_FOUND',
      );
    });
  }
  test('and nothing of it has changed', async () => expect(await portrait(theirs)).toBe(portraitBefore));
});

function isOnesOwn({ access }: Declared): boolean {
  return 'signedIn' in access && access.tokens === undefined;
}

describe('what stands above the tenants is for platform administrators, whatever rights another person has', () => {
  const above = allOperations.filter(({ access }) => 'admit' in access && access.tokens?.includes('serviceAccount') !== true);
  for (const operation of above)
    test(operation.name, async () => assertRefused(await both(operation, {}, theirs.owner.token), 403, 'FORBIDDEN'));
  test('and nothing else is below /api/platform', () => {
    const paths = allOperations.filter(({ rest }) => 'path' in rest && rest.path.startsWith('/api/platform/'));
    expect(paths.map(({ name }) => name)).toStrictEqual(above.map(({ name }) => name));
    expect(above.length).toBeGreaterThan(5);
  });
});

describe("API keys and project apps never reach a user's own account", () => {
  for (const operation of allOperations.filter(isOnesOwn))
    test(operation.name, async () => {
      for (const kind of ['apiKey', 'scopeless']) assertRefused(await both(operation, {}, tokens[kind]), 403, 'FORBIDDEN');
    });
});

describe('a project app without the scope may do nothing [spec:claims.11]', () => {
  const inProjects = allOperations.filter(
    (operation) => needsPermission(operation) && operation.scopes !== 'none' && operation.scopes.includes('organizationProject'),
  );
  for (const operation of inProjects)
    test(operation.name, async () => {
      assertRefused(await both(operation, { scope: mine.project }, tokens.scopeless), 403, 'FORBIDDEN');
    });
});

describe('a service account proves no person’s presence', () => {
  const forPeople = allOperations.filter(
    ({ access }) => !('open' in access) && access.permission === undefined && access.tokens?.includes('serviceAccount') !== true,
  );
  for (const operation of forPeople)
    test(operation.name, async () => {
      assertRefused(await both(operation, withScope(operation, mine), tokens.admin), 403, 'FORBIDDEN');
    });
  test('and nothing under /api/me is for it', () => {
    const own = allOperations.filter(({ rest }) => 'path' in rest && rest.path.startsWith('/api/me'));
    const names = new Set(forPeople.map(({ name }) => name));
    expect(own.filter(({ name }) => !names.has(name))).toStrictEqual([]);
    expect(own.length).toBeGreaterThan(20);
  });

  const fresh = allOperations.filter(
    (operation) => needsPermission(operation) && (operation.freshness ?? operation.assurance) !== undefined,
  );
  for (const operation of fresh)
    test(`${operation.name}: not elevated`, async () => {
      const scope = operation.scopes !== 'none' && operation.scopes.includes('organization') ? mine.organization : mine.project;
      const refusals = await both(operation, { scope, ...targetIn(operation, mine) }, tokens.admin);
      assertRefused(refusals, 403, 'FORBIDDEN');
      expect(new Set(refusals.map(({ key }) => key))).toStrictEqual(new Set(['errors.notElevated']));
    });
  test('and those that need a fresh sign-in are the ones that can be named', () => {
    const named = new Set(fresh.map(({ access }) => access.permission));
    // A person consents to support, never a machine.
    named.delete('SupportAccess:Grant');
    expect([...named, 'ServiceAccount:Create', 'ServiceAccount:Update'].toSorted()).toStrictEqual(elevatable);
  });
});

describe('a service account is bound to its organization, and to its roles', () => {
  const changes = allOperations.filter((operation) => needsPermission(operation) && operation.kind === 'mutation');
  for (const operation of changes)
    test(operation.name, async () => {
      assertRefused(await both(operation, withScope(operation, mine), tokens.foreign), 403, 'FORBIDDEN');
      assertRefused(await both(operation, withScope(operation, mine), tokens.viewer), 403, 'FORBIDDEN');
      assertRefused(await both(operation, { scope: mine.owner.account, ...scopeOnly(operation) }, tokens.admin), 403, 'FORBIDDEN');
    });
  /** In the account of its Owner where the operation takes one, else in another organization. */
  function scopeOnly({ scopes }: Declared): { scope?: ScopeValue } {
    if (scopes !== 'none' && scopes.includes('account')) return {};
    return { scope: scopes !== 'none' && scopes.includes('organization') ? theirs.organization : theirs.project };
  }
});

describe('a service account of the platform makes organizations, restricts and lists them, and reaches nothing else', () => {
  const named = ['createPlatformOrganization', 'listTenants', 'resumeTenant', 'suspendTenant', 'updateTenantQuotas'];
  const isNamed = ({ name }: Declared) => named.includes(name);
  const asked = allOperations.filter(({ access }) => !('open' in access));
  for (const operation of asked.filter((one) => !isNamed(one)))
    test(`${operation.name}: refused`, async () => {
      assertRefused(await both(operation, withScope(operation, mine), tokens.provisioner), 403, 'FORBIDDEN');
    });
  for (const operation of asked.filter(isNamed))
    test(`${operation.name}: let in`, async () => {
      const answers = await both(operation, {}, tokens.provisioner);
      // A tenant of the sample's id does not exist.
      expect(answers.map(({ code }) => code)).toStrictEqual(
        answers.map(() => (operation.name.endsWith('Tenant') || operation.name.endsWith('Quotas') ? 'NOT_FOUND' : undefined)),
      );
    });
  test('and those are all that it may', () => {
    expect(
      asked
        .filter(({ access }) => access.tokens?.includes('platformAccount') === true)
        .map(({ name }) => name)
        .toSorted(),
    ).toStrictEqual(named);
  });
  test('the service accounts of an organization, and API keys, may none of it', async () => {
    for (const operation of asked.filter(isNamed))
      for (const kind of ['admin', 'apiKey', 'scopeless']) assertRefused(await both(operation, {}, tokens[kind]), 403, 'FORBIDDEN');
  });
});
