/** Every mutation, refused, failed or done, leaves one record: who, where, what, before, after. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createClient, inScope, type ScopeValue } from '../../support/client.ts';
import { exampleInput, exampleOrder } from '../../support/examples.ts';
import { waitForMail } from '../../support/mail.ts';
import { allOperations, callRest, type Declared } from '../../support/operations.ts';
import { type AuditRow, openAuditReader } from '../../support/records.ts';
import { sampleInput } from '../../support/sample.ts';
import { openStack } from '../../support/shared-stack.ts';
import { until } from '../../support/until.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createWorld,
  dataOf,
  PASSWORD,
  quietWebhook,
  type World,
  writeDelivery,
} from '../../support/world.ts';
import { platformSteps } from './platform-steps.ts';
import { setUpSteps } from './set-up-steps.ts';
import { signInSteps } from './sign-in-steps.ts';
import { cookieHeader, keepCookies, type Made, type Step, type Steps, stepDevice } from './step.ts';
import { supportSteps } from './support-steps.ts';

const stack = await openStack();
const log = await openAuditReader(stack);
afterAll(() => log.close());
const [world, example, outsider, unverified, member, leaver] = await (async () => {
  const made = await createWorld(stack);
  return Promise.all([
    made,
    createWorld(stack),
    createPerson(stack),
    createPerson(stack, { verified: false }),
    addMember(stack, made.owner, made.organization, 'Viewer'),
    createPerson(stack),
  ]);
})();

const mutations = allOperations.filter(({ kind, rest }) => kind === 'mutation' && 'method' in rest);
const isGuarded = ({ access }: Declared) => !('open' in access) && !('optional' in access);

function scopeIn({ scopes }: Declared, { organization, project, owner }: World): ScopeValue | undefined {
  if (scopes === 'none') return undefined;
  if (scopes.includes('organization')) return organization;
  return scopes.includes('organizationProject') ? project : owner.account;
}

/** Calls it once and returns its answer with what all services have written of the request. */
async function recorded(
  operation: Declared,
  input: Readonly<Record<string, unknown>>,
  token?: string,
  { cookies, headers = {} }: Pick<Step, 'cookies' | 'headers'> = {},
) {
  const requestId = `audit-${randomUUID()}`;
  const plain = createClient(stack.url, stepDevice);
  const client = {
    ...plain,
    call: (method: string, path: string, options = {}) =>
      plain.call(method, path, { ...options, headers: { 'x-request-id': requestId, ...headers, ...cookieHeader(cookies) } }),
  };
  const answer = await callRest(client, operation, input, token);
  if (cookies !== undefined) keepCookies(cookies, answer);
  return { answer, rows: await log.of(requestId) };
}

function expectOne(rows: readonly AuditRow[], wanted: Partial<AuditRow>): AuditRow {
  expect(rows.map(({ operation, outcome }) => `${operation} ${outcome}`)).toHaveLength(1);
  const [row] = rows;
  expect(row).toMatchObject({ ip_address: expect.stringMatching(/\S/), user_agent: 'audit truth', ...wanted });
  if (row === undefined) throw new Error('no row');
  return row;
}

describe('a refused change leaves one record', () => {
  const gated = mutations.filter(({ access }) => 'permission' in access);
  for (const operation of gated)
    test(`${operation.name}: without the right`, async () => {
      const scope = scopeIn(operation, world);
      const { rows } = await recorded(operation, sampleInput(operation, { scope }), outsider.token);
      const where = { scope_tenant: scope?.tenant ?? null, scope_id: scope?.id ?? null };
      expectOne(rows, { outcome: 'refused', code: 'FORBIDDEN', actor_id: outsider.userId, actor_type: 'session', ...where });
      expect(rows[0]?.action).toBe(operation.audit);
    });

  for (const operation of mutations.filter(({ verification }) => verification === 'account-settings'))
    test(`${operation.name}: before the address is verified`, async () => {
      const { rows } = await recorded(operation, sampleInput(operation), unverified.token);
      expectOne(rows, { outcome: 'refused', code: 'EMAIL_VERIFICATION_REQUIRED', actor_id: unverified.userId });
    });
});

describe('a request of an unknown caller leaves no record', () => {
  for (const operation of mutations.filter(isGuarded))
    test(operation.name, async () => {
      const { rows } = await recorded(operation, sampleInput(operation, { scope: scopeIn(operation, world) }));
      expect(rows).toStrictEqual([]);
    });
});

describe('a sign-in that fails leaves one record, with the person when the address is known', () => {
  const login = mutations.filter(({ name }) => name === 'login');
  for (const operation of login) {
    const given = (providerId: string) => ({ provider: 'email', providerId, providerData: { password: 'Wrong-Horse-42' } });
    test('of a known address', async () => {
      const { rows } = await recorded(operation, given(outsider.email));
      expectOne(rows, { action: 'session.login', outcome: 'refused', code: 'UNAUTHENTICATED', target_id: outsider.userId });
    });
    test('of an unknown address', async () => {
      const { rows } = await recorded(operation, given('no.such.person@example.com'));
      expectOne(rows, { action: 'session.login', outcome: 'refused', target_id: null });
    });
  }
});

const { owner, organization, project, ids } = world;
const projectId = project.id.slice(project.id.indexOf(':') + 1);
const [dev, viewer] = await Promise.all(['Dev', 'Viewer'].map((name) => builtInRole(owner, organization, name)));
const inside = { scope: organization };
const inProject = { scope: project };
const credentials = { provider: 'email', providerData: { password: PASSWORD } };
const invited = await createPerson(stack);
const buyer = await createPerson(stack);
const customer = await createOrganization(buyer);
async function offered(): Promise<string> {
  return dataOf(await owner.client.post('/api/project-grants', { ...inProject, organizationId: customer.id }, owner.token)).id;
}
// Registrations whose address is not held.
const [mailed, squatter, otherSquatter] = await Promise.all([
  createPerson(stack, { verified: false }),
  createPerson(stack, { verified: false }),
  createPerson(stack, { verified: false }),
]);

const steps: Steps = {
  ...(await signInSteps(stack, world, log.client)),
  ...(await platformSteps(stack, log.client, world)),
  ...(await supportSteps(stack, world)),
  ...(await setUpSteps(world)),
  createOrganization: {
    input: () => ({ scope: owner.account, name: 'Second' }),
    keep: 'second',
    changes: () => [['name', null, 'Second']],
    scope: owner.account,
  },
  updateOrganization: {
    input: () => ({ ...inside, id: organization.id, name: 'Renamed', security: { maxSessionAgeMinutes: 500_000 } }),
    changes: () => [
      ['name', 'Acme', 'Renamed'],
      [
        'security',
        { requireSecondFactor: false, maxSessionAgeMinutes: null, allowEmailCode: true },
        { requireSecondFactor: false, maxSessionAgeMinutes: 500_000, allowEmailCode: true },
      ],
    ],
  },
  deleteOrganization: {
    input: ({ second }) => ({ scope: { tenant: 'organization', id: second }, id: second }),
    changes: () => [['name', 'Second', null]],
    scope: null,
  },
  createProject: { input: () => ({ ...inside, name: 'Other' }), keep: 'project', changes: () => [['name', null, 'Other']] },
  updateProject: { input: () => ({ ...inside, id: projectId, name: 'Site' }), changes: () => [['name', 'Web', 'Site']] },
  deleteProject: { input: ({ project: id }) => ({ ...inside, id }), changes: () => [['name', 'Other', null]] },
  createUser: { input: () => ({ ...inside, name: 'Uma' }), keep: 'user', changes: () => [['name', null, 'Uma']] },
  updateUser: {
    input: ({ user: id }) => ({ ...inside, id, name: 'Una', roleIds: [viewer] }),
    changes: () => [
      ['name', 'Uma', 'Una'],
      ['roleIds', [], [viewer]],
    ],
  },
  deleteUser: { input: ({ user: id }) => ({ ...inside, id }), changes: () => [['name', 'Una', null]] },
  updateOrganizationMember: { input: () => ({ ...inside, userId: member.userId, roleId: dev }), changes: () => [['roleId', viewer, dev]] },
  endMemberSessions: { input: () => ({ ...inside, userId: member.userId }) },
  requireNewMemberPassword: { input: () => ({ ...inside, userId: member.userId }) },
  blockMember: {
    input: () => ({ ...inside, userId: member.userId, reason: 'Lost a laptop' }),
    changes: () => [['isBlocked', false, true]],
  },
  unblockMember: { input: () => ({ ...inside, userId: member.userId }), changes: () => [['isBlocked', true, false]] },
  detachMember: { input: () => ({ ...inside, userId: member.userId }), changes: () => [['isDetached', false, true]] },
  attachMember: { input: () => ({ ...inside, userId: member.userId }), changes: () => [['isDetached', true, false]] },
  removeOrganizationMember: { input: () => ({ ...inside, userId: member.userId }), changes: () => [['roleId', dev, null]] },
  inviteMember: {
    input: () => ({ ...inside, email: invited.email, roleId: viewer }),
    keep: 'invitation',
    changes: () => [
      ['email', null, invited.email],
      ['roleId', null, viewer],
    ],
  },
  acceptInvitation: {
    input: async () => ({ token: (await waitForMail(stack.dataDir, invited.email, 'invitation')).data.token }),
    as: invited,
    changes: () => [['status', 'pending', 'accepted']],
    scope: organization,
  },
  revokeInvitation: { input: () => ({ ...inside, id: ids.OrganizationInvitation }), changes: () => [['roleId', viewer, null]] },
  createApiKey: {
    input: () => ({ ...inProject, name: 'CI', roleId: viewer }),
    keep: 'key',
    changes: () => [
      ['name', null, 'CI'],
      ['roleId', null, viewer],
    ],
  },
  revokeApiKey: { input: ({ key: id }) => ({ ...inProject, id }), changes: () => [['isRevoked', false, true]] },
  deleteApiKey: { input: ({ key: id }) => ({ ...inProject, id }), changes: () => [['name', 'CI', null]] },
  createProjectApp: {
    input: () => ({ ...inProject, name: 'App', type: 'web', redirectUris: ['https://app.example.com/back'] }),
    keep: 'app',
    changes: () => [
      ['name', null, 'App'],
      ['redirectUris', null, ['https://app.example.com/back']],
    ],
  },
  updateProjectApp: { input: ({ app: id }) => ({ ...inProject, id, name: 'Apple' }), changes: () => [['name', 'App', 'Apple']] },
  createProjectAppSecret: { input: ({ app: id }) => ({ ...inProject, id }), keep: 'secret' },
  deleteProjectAppSecret: { input: ({ app: id, secret: secretId }) => ({ ...inProject, id, secretId }) },
  deleteProjectApp: { input: ({ app: id }) => ({ ...inProject, id }), changes: () => [['name', 'Apple', null]] },
  createServiceAccount: {
    input: () => ({ ...inside, name: 'Deployer', roleIds: [viewer] }),
    keep: 'serviceAccount',
    changes: () => [
      ['name', null, 'Deployer'],
      ['roleIds', null, [viewer]],
    ],
  },
  updateServiceAccount: {
    input: ({ serviceAccount: id }) => ({ ...inside, id, name: 'Builder' }),
    changes: () => [['name', 'Deployer', 'Builder']],
  },
  createServiceAccountCredential: { input: ({ serviceAccount: id }) => ({ ...inside, id, type: 'secret' }), keep: 'credential' },
  deleteServiceAccountCredential: { input: ({ serviceAccount: id, credential: credentialId }) => ({ ...inside, id, credentialId }) },
  deleteServiceAccount: { input: ({ serviceAccount: id }) => ({ ...inside, id }), changes: () => [['name', 'Builder', null]] },
  createProjectGrant: {
    input: () => ({ ...inProject, organizationId: customer.id, maxMembers: 3 }),
    keep: 'grant',
    changes: () => [['maxMembers', null, 3]],
  },
  acceptProjectGrant: {
    input: ({ grant: id }) => ({ scope: customer, id }),
    as: buyer,
    changes: () => [['status', 'offered', 'active']],
  },
  updateProjectGrant: { input: ({ grant: id }) => ({ ...inProject, id, maxMembers: 4 }), changes: () => [['maxMembers', 3, 4]] },
  suspendProjectGrant: {
    input: ({ grant: id }) => ({ ...inProject, id, reason: 'unpaid' }),
    changes: () => [['status', 'active', 'suspended']],
  },
  resumeProjectGrant: { input: ({ grant: id }) => ({ ...inProject, id }), changes: () => [['status', 'suspended', 'active']] },
  leaveProjectGrant: {
    input: ({ grant: id }) => ({ scope: customer, id }),
    as: buyer,
    changes: () => [['status', 'active', 'ended']],
  },
  declineProjectGrant: {
    input: async () => ({ scope: customer, id: await offered() }),
    as: buyer,
    changes: () => [['status', 'offered', 'declined']],
  },
  endProjectGrant: { input: async () => ({ ...inProject, id: await offered() }), changes: () => [['status', 'offered', null]] },
  createDomain: {
    input: () => ({ ...inside, domain: 'truth.example.com' }),
    keep: 'domain',
    changes: () => [['domain', null, 'truth.example.com']],
  },
  verifyDomain: { input: ({ domain: id }) => ({ ...inside, id }) },
  deleteDomain: { input: ({ domain: id }) => ({ ...inside, id }), changes: () => [['domain', 'truth.example.com', null]] },
  createWebhook: {
    input: () => ({ ...inside, ...quietWebhook }),
    keep: 'webhook',
    changes: () => [
      ['url', null, quietWebhook.url],
      ['eventTypes', null, quietWebhook.eventTypes],
    ],
  },
  updateWebhook: { input: ({ webhook: id }) => ({ ...inside, id, isActive: false }), changes: () => [['isActive', true, false]] },
  replayWebhookDelivery: {
    input: async ({ webhook: id = '' }) => ({ ...inside, id, deliveryId: await writeDelivery(log.client, organization, id) }),
  },
  deleteWebhook: { input: ({ webhook: id }) => ({ ...inside, id }), changes: () => [['url', quietWebhook.url, null]] },
  updateMe: { input: () => ({ name: 'Owner' }), changes: () => [['name', 'Test Person', 'Owner']] },
  confirmIdentity: { input: () => ({ method: 'password', password: PASSWORD }) },
  enrollTotp: { input: () => ({ name: 'Phone' }), keep: 'factor', changes: () => [['name', null, 'Phone']] },
  updateSecondFactor: { input: ({ factor: id }) => ({ id, name: 'Tablet' }), changes: () => [['name', 'Phone', 'Tablet']] },
  changePassword: { input: () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD}x`, confirmPassword: `${PASSWORD}x` }) },
  login: { input: () => ({ ...credentials, providerId: outsider.email }), actorId: outsider.userId },
  refreshSession: { input: () => ({ refreshToken: outsider.refreshToken }), actorId: outsider.userId },
  requestPasswordReset: { input: () => ({ email: outsider.email }), counted: true },
  resendVerification: { input: () => ({ email: outsider.email }), counted: true },
  requestEmailCode: { input: () => ({ email: outsider.email }), counted: true },
  verifyEmailCode: {
    input: async () => ({ email: outsider.email, code: (await waitForMail(stack.dataDir, outsider.email, 'sign-in-code')).data.code }),
    as: outsider,
  },
  resetPassword: {
    input: async () => ({
      token: (await waitForMail(stack.dataDir, outsider.email, 'reset-password')).data.token,
      newPassword: `${PASSWORD}y`,
    }),
    actorId: outsider.userId,
  },
  verifyEmail: { input: async () => ({ token: (await waitForMail(stack.dataDir, unverified.email)).data.token }), as: unverified },
  requestAddressCode: { input: () => ({}), as: mailed },
  confirmAddress: {
    input: async () => ({ code: (await waitForMail(stack.dataDir, mailed.email, 'address-code')).data.code }),
    as: mailed,
  },
  rejectRegistration: { input: async () => ({ token: (await waitForMail(stack.dataDir, squatter.email, 'verify-email')).data.token }) },
  rejectInvitedAccount: {
    input: async () => {
      const body = { ...inside, email: otherSquatter.email, roleId: viewer };
      dataOf(await owner.client.post('/api/organization-invitations/invite', body, owner.token));
      return { token: (await waitForMail(stack.dataDir, otherSquatter.email, 'invitation')).data.token };
    },
    scope: organization,
  },
  setInvitationMails: {
    input: async () => {
      const { data } = await waitForMail(stack.dataDir, otherSquatter.email, 'invitation');
      return { token: new URL(String(data.stopUrl)).searchParams.get('token'), isWanted: true };
    },
    scope: null,
    counted: true,
  },
  setMyInvitationMails: { input: () => ({ isWanted: true }) },
  logout: { input: () => ({}), as: invited },
  logoutMe: { input: () => ({}), as: unverified },
  deleteMyAccounts: { input: () => ({}), as: leaver, also: ['deleteMyAccounts', 'accounts.closed'] },
};

/** Each takes a provider of its own; the test of the whole flow asserts the record. */
const elsewhere: Readonly<Record<string, string>> = {
  exchangeCode: 'test/journeys/oauth.test.ts',
  saveSetUpConnection: 'services/identity/src/sign-in/operations/set-up/set-up.test.ts',
  startSetUpTest: 'services/identity/src/sign-in/operations/set-up/set-up.test.ts',
};

describe('a change leaves one record with what it has changed', () => {
  const made: Made = {};
  for (const [name, { input, as = owner, token: fresh, cookies, headers, keep, changes, also, actorId, scope, counted }] of Object.entries(
    steps,
  ))
    test(name, async () => {
      const operation = mutations.find((one) => one.name === name);
      if (operation === undefined) throw new Error(`there is no ${name}`);
      const given = await input(made);
      const token = 'open' in operation.access ? undefined : ((await fresh?.(made)) ?? as.token);
      const sentAt = new Date();
      const { answer, rows } = await recorded(operation, given, token, { ...(cookies && { cookies }), ...(headers && { headers }) });
      const data = dataOf(answer);
      if (keep !== undefined) made[keep] = data.id ?? data.factor.id;
      if (counted) {
        expect(rows.length).toBeLessThanOrEqual(1);
        // It may be another suite's that has not committed yet, or come when the minute is over.
        await until(() => log.isCounted(name, sentAt));
        return;
      }
      if (also !== undefined) {
        expect(rows.map(({ operation: each }) => each)).toStrictEqual(also);
        expect(new Set(rows.map(({ actor_id: id }) => id))).toStrictEqual(new Set([as.userId]));
        return;
      }
      const asked = 'scope' in given ? (given.scope as ScopeValue) : undefined;
      const place = scope === undefined ? asked : scope;
      const where = place === null ? {} : { scope_tenant: place?.tenant ?? null, scope_id: place?.id ?? null };
      const known = typeof actorId === 'function' ? actorId(data) : actorId;
      const who = 'open' in operation.access ? (known === undefined ? {} : { actor_id: known }) : { actor_id: as.userId };
      const row = expectOne(
        rows.filter(({ operation: each }) => each === name),
        { action: String(operation.audit), outcome: 'ok', code: null, ...where, ...who },
      );
      for (const [field, before, after] of changes?.(made) ?? []) expect(row.changes).toContainEqual({ field, before, after });
      expect(JSON.stringify(row)).not.toContain(PASSWORD);
    });

  test('and no step is of a mutation that is not there', () => {
    const names = mutations.map(({ name }) => name);
    expect([...Object.keys(steps), ...Object.keys(elsewhere)].filter((name) => !names.includes(name))).toStrictEqual([]);
    for (const [name, path] of Object.entries(elsewhere))
      expect(readFileSync(path, 'utf8').includes(`operation: '${name}'`)).toStrictEqualFor(`${path}: ${name}`, true);
  });

  test('an update names what it was before', async () => {
    const { rows } = await log.client.query(
      `SELECT DISTINCT operation FROM (SELECT * FROM identity.audit_log UNION ALL SELECT * FROM tenancy.audit_log UNION ALL SELECT * FROM rbac.audit_log
         UNION ALL SELECT * FROM keys.audit_log) AS every_service, jsonb_array_elements(changes) AS change
       WHERE user_agent = 'audit truth' AND action LIKE '%.updated' AND outcome = 'ok' AND change->'before' = 'null'`,
    );
    expect(rows).toStrictEqual([]);
  });

  test('a changed thing has its name in the record; people are called by the name that they have now', async () => {
    const { rows } = await log.client.query(
      `SELECT DISTINCT operation FROM (SELECT * FROM identity.audit_log UNION ALL SELECT * FROM tenancy.audit_log UNION ALL SELECT * FROM rbac.audit_log
         UNION ALL SELECT * FROM keys.audit_log) AS every_service
       WHERE user_agent = 'audit truth' AND action LIKE '%.updated' AND outcome = 'ok' AND target_type NOT IN ('User', 'OrganizationMember')
         AND detail->>'name' IS NULL AND NOT jsonb_path_exists(changes, '$[*] ? (@.field == "name")')`,
    );
    expect(rows).toStrictEqual([]);
  });
});

/** The relation whose ids a field names: `groups` of `groupIds`. */
function relationOf(field: string): string | undefined {
  return field.endsWith('Ids') ? field.replace(/Ids$/, 's') : undefined;
}

/** What a list of the resource shows of these fields of one thing. */
async function shownIn({ owner }: World, { rest }: Declared, { scope, id }: Readonly<Record<string, unknown>>, fields: readonly string[]) {
  const path = 'path' in rest ? rest.path.replace(/\/:\w+$/, '') : '';
  const relations = fields.flatMap((field) => relationOf(field) ?? []);
  const more = relations.length === 0 ? '' : `&relations=${relations.join(',')}`;
  const { items } = dataOf(await owner.client.get(`${path}?${inScope(scope as ScopeValue, `ids=${id}${more}`)}`, owner.token));
  const shown = (field: string): unknown => {
    const relation = relationOf(field);
    return relation === undefined ? items[0][field] : items[0][relation].map((row: { id: string }) => row.id);
  };
  return Object.fromEntries(fields.map((field) => [field, shown(field)]));
}

/** The fields that the record must show: those of the example, or the name. */
function recordedFields({ example, access, input }: Declared): readonly string[] {
  const isOfThing = /:(Create|Update)$/.test(access.permission ?? '');
  return example?.records ?? (isOfThing && JSON.stringify(input).includes('"name":') ? ['name'] : []);
}

describe('a change that the declaration describes leaves one record with what it has changed', () => {
  const described = mutations.filter(({ name }) => !(name in steps) && !(name in elsewhere));
  for (const operation of [...described].sort((left, right) => exampleOrder(left) - exampleOrder(right)))
    test(operation.name, async () => {
      const { access, scopes, rest } = operation;
      const as = scopes === 'none' ? await createPerson(stack) : example.owner;
      const input = exampleInput(operation, example);
      const fields = recordedFields(operation);
      const isOfThing = 'path' in rest && /\/:\w+$/.test(rest.path);
      const before: Readonly<Record<string, unknown>> =
        isOfThing && fields.length > 0 ? await shownIn(example, operation, input, fields) : {};
      const { answer, rows } = await recorded(operation, input, 'open' in access ? undefined : as.token);
      // One that needs more than its example gets a step, or a better example.
      dataOf(answer);
      const scope = input['scope'] as ScopeValue | undefined;
      const row = expectOne(
        rows.filter(({ operation: each }) => each === operation.name),
        {
          action: String(operation.audit),
          outcome: 'ok',
          code: null,
          scope_tenant: scope?.tenant ?? null,
          scope_id: scope?.id ?? null,
          ...('open' in access ? {} : { actor_id: as.userId }),
        },
      );
      const isDeletion = 'method' in rest && rest.method === 'DELETE';
      for (const field of fields) {
        const change = { field, before: isOfThing ? before[field] : null, after: isDeletion ? null : input[field] };
        expect(row.changes).toContainEqual(change);
        expect(change.before).not.toStrictEqual(change.after);
      }
    });
  test('most of them', () => expect(described.length).toBeGreaterThan(20));
});

test('a change that fails after its caller was let in leaves one record that says so', async () => {
  const invite = mutations.find(({ name }) => name === 'inviteMember');
  if (invite === undefined) throw new Error('there is no inviteMember');
  const { answer, rows } = await recorded(invite, { ...inside, email: owner.email, roleId: viewer }, owner.token);
  expect(answer.status).toBe(409);
  expectOne(rows, { outcome: 'failed', code: 'CONFLICT', actor_id: owner.userId, scope_id: organization.id });
});

test('an invitation that was only opened does not count as accepted', async () => {
  const email = `${randomUUID()}@example.com`;
  dataOf(await owner.client.post('/api/organization-invitations/invite', { ...inside, email, roleId: viewer }, owner.token));
  const { data } = await waitForMail(stack.dataDir, email, 'invitation');
  const accept = mutations.find(({ name }) => name === 'acceptInvitation');
  if (accept === undefined) throw new Error('there is no acceptInvitation');
  const opened = await recorded(accept, { token: data.token });
  expect(dataOf(opened.answer).requiresRegistration).toBe(true);
  expectOne(opened.rows, { action: 'organizationInvitation.opened', scope_id: organization.id, changes: [] });
  const userData = { name: 'Newcomer', password: PASSWORD };
  const accepted = await recorded(accept, { token: data.token, userData });
  const { user } = dataOf(accepted.answer);
  const row = accepted.rows.find(({ operation }) => operation === 'acceptInvitation');
  expect(row).toMatchObject({
    action: 'organizationInvitation.accepted',
    actor_id: user.id,
    scope_id: organization.id,
    detail: { roleId: viewer },
  });
  // The person is made in identity, with a record of its own.
  expect(accepted.rows.filter(({ operation }) => operation !== 'acceptInvitation')).toMatchObject([
    { service: 'identity', operation: 'registerInvited', action: 'user.registered', actor_id: user.id },
  ]);
});
