/**
 * One case table over REST and GraphQL: every operation with both transports returns the same data
 * or the same code. Each transport has a world of its own, equal but for the ids. docs/parity.md
 * lists them.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { type GraphQLOutputType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { generateSync } from 'otplib';
import pg from 'pg';
import { createAuthenticator } from '../../../services/identity/src/testing/authenticator.ts';
import { type Answer, createClient } from '../../support/client.ts';
import { exampleInput, exampleOrder } from '../../support/examples.ts';
import { waitForMail } from '../../support/mail.ts';
import { allOperations, callGraphqlSelecting, callRest, type Declared, outputTypeOf } from '../../support/operations.ts';
import { openStack } from '../../support/shared-stack.ts';
import {
  addMember,
  builtInRole,
  createOrganization,
  createPerson,
  createProject,
  createServiceAccount,
  createWorld,
  dataOf,
  PASSWORD,
  type Person,
  type World,
  writeDelivery,
} from '../../support/world.ts';

type Json = Readonly<Record<string, unknown>>;
function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One side of the comparison: a world, and a user whom the case may change. */
type Side = { readonly world: World; readonly person: Person };

const bound = allOperations.filter(({ rest, graphql }) => 'method' in rest && 'field' in graphql);

async function tokenMailed(address: string, template: string): Promise<string> {
  const { data } = await waitForMail(stack.dataDir, address, template);
  assert.ok(data.token);
  return data.token;
}

/** The token of an invitation. */
async function invite({ world: { owner, organization }, person: { email } }: Side): Promise<string> {
  const roleId = await builtInRole(owner, organization, 'Viewer');
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
  return tokenMailed(email, 'invitation');
}

/** From the link in an invitation that stops such mails. */
function stopTokenOf(data: Json): string {
  return new URL(String(data['stopUrl'])).searchParams.get('token') ?? '';
}

/** A way to sign in as a provider would have left it: no operation makes one without a browser. */
async function addProviderMethod(userId: string): Promise<string> {
  const id = newId();
  await admin.query(
    `INSERT INTO identity.authentication_methods (id, user_id, provider, provider_id, is_verified, is_primary, created_at, updated_at)
     VALUES ($1::uuid, $2, 'codehost', $1::text, true, false, now(), now())`,
    [id, userId],
  );
  return id;
}

/** Another organization's project, offered to the world's. */
async function offerTo({ world: { organization } }: Side): Promise<string> {
  const vendor = await createPerson(stack);
  const product = await createProject(vendor, await createOrganization(vendor));
  return dataOf(await vendor.client.post('/api/project-grants', { scope: product, organizationId: organization.id }, vendor.token)).id;
}

/** The world's project, offered by mail. */
async function mailedOffer({ world: { owner, project } }: Side): Promise<string> {
  const { email } = await createPerson(stack);
  dataOf(await owner.client.post('/api/project-grants', { scope: project, email }, owner.token));
  return tokenMailed(email, 'grant-offer');
}

/** The world's project in use by another organization. */
async function activeGrant({ world: { owner, project } }: Side): Promise<string> {
  const buyer = await createPerson(stack);
  const customer = await createOrganization(buyer);
  const { id } = dataOf(await owner.client.post('/api/project-grants', { scope: project, organizationId: customer.id }, owner.token));
  dataOf(await buyer.client.post(`/api/project-grants/${id}/accept`, { scope: customer }, buyer.token));
  return id;
}

async function webApp({ world: { owner, project } }: Side): Promise<{ id: string; clientId: string }> {
  const app = { scope: project, name: 'Web', type: 'web', redirectUris: ['https://web.example.com/'] };
  return dataOf(await owner.client.post('/api/project-apps', app, owner.token));
}

/** A service account of the platform, made by an administrator of its own. */
async function platformAccount(wanted = 'Same name') {
  const { client, token, userId } = await createPerson(stack);
  await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [userId]);
  const { id, name } = dataOf(await client.post('/api/platform/service-accounts', { name: wanted }, token));
  return { id, name, client, token };
}

/** The service account of an organization that may make others. */
async function provisioning({ world }: Side): Promise<Person> {
  await admin.query(
    `INSERT INTO tenancy.tenant_restrictions (tenant_id, tenant, can_provision) VALUES ($1, 'organization', true)
     ON CONFLICT (tenant_id) DO UPDATE SET can_provision = true`,
    [world.organization.id],
  );
  return { ...world.owner, token: (await createServiceAccount(stack.url, world, 'Admin')).token };
}

/** A consent as the consent page leaves it: giving one takes a browser. */
async function consentOf(userId: string, side: Side): Promise<{ id: string; clientId: string; userId: string }> {
  const { id, clientId } = await webApp(side);
  await admin.query(
    `INSERT INTO identity.project_app_consents (user_id, project_app_id, scopes, granted_at, last_used_at) VALUES ($1, $2, '{openid}', now(), now())`,
    [userId, id],
  );
  return { id, clientId, userId };
}

/** Another organization's product in use by the world's, and its supporter. */
async function usedProduct({ world: { owner, organization } }: Side) {
  const vendor = await createPerson(stack, { name: 'A supporter' });
  const product = await createProject(vendor, await createOrganization(vendor));
  const offer = { scope: product, organizationId: organization.id };
  const { id } = dataOf(await vendor.client.post('/api/project-grants', offer, vendor.token));
  dataOf(await owner.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, owner.token));
  return { vendor, product };
}

/** Asked for by a supporter of another product; `user`: the world's owner unless said. */
async function supportOf(side: Side, user?: string): Promise<{ id: string }> {
  const { vendor, product } = await usedProduct(side);
  const { organization } = side.world;
  const userId = user ?? (await addMember(stack, side.world.owner, organization, 'Viewer')).userId;
  const id = newId();
  await admin.query(
    `INSERT INTO identity.support_accesses
       (id, supporter_id, user_id, organization_id, project_scope_id, reason, minutes, status, requested_at, may_write, may_export, ends_at)
     VALUES ($1, $2, $3, $4, $5, 'The list stays empty', 60, 'requested', now(), false, false, now() + interval '1 day')`,
    [id, vendor.userId, userId, organization.id, product.id],
  );
  return { id };
}

/** The world's product in use by a customer, whose Owner is asked for. */
async function askableCustomer(side: Side) {
  const buyer = await createPerson(stack);
  const customer = await createOrganization(buyer);
  const { owner, project } = side.world;
  const { id } = dataOf(await owner.client.post('/api/project-grants', { scope: project, organizationId: customer.id }, owner.token));
  dataOf(await buyer.client.post(`/api/project-grants/${id}/accept`, { scope: customer }, buyer.token));
  const given = { organizationId: customer.id, userId: buyer.userId, reason: 'The list stays empty' };
  return { buyer, customer, given };
}

/** An app that acts as an exchange leaves it. */
async function agentOf(userId: string, side: Side): Promise<{ clientId: string; userId: string }> {
  const { id, clientId } = await webApp(side);
  const { project, organization } = side.world;
  await admin.query(
    `INSERT INTO identity.acting_apps (user_id, project_app_id, place_id, root_id, first_used_at, last_used_at, is_by_exchange)
     VALUES ($1, $2, $3, $4, now(), now(), true)`,
    [userId, id, project.id, organization.id],
  );
  return { clientId, userId };
}

/** Enrols an app of the person; the code of this step is left for the case. */
async function enrolTotp({ person }: Side): Promise<{ id: string; secret: string }> {
  const { factor, secret } = dataOf(await person.client.post('/api/me/second-factors/totp', {}, person.token));
  return { id: factor.id, secret };
}
function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}
async function withTotp(side: Side): Promise<{ id: string; secret: string }> {
  const { person } = side;
  const { id, secret } = await enrolTotp(side);
  dataOf(await person.client.post(`/api/me/second-factors/${id}/confirm`, { code: codeOf(secret, -1) }, person.token));
  const { accessToken } = dataOf(await person.client.post('/api/auth/refresh', { refreshToken: person.refreshToken }));
  Object.assign(person, { token: accessToken });
  return { id, secret };
}
async function waiting(side: Side): Promise<{ token: string; secret: string }> {
  const { secret } = await withTotp(side);
  const credentials = { provider: 'email', providerId: side.person.email, providerData: { password: PASSWORD } };
  const { secondFactor } = dataOf(await createClient(stack.url, 'another device').post('/api/auth/login', credentials));
  return { token: secondFactor.token, secret };
}
async function newPasskey({ person }: Side) {
  const authenticator = createAuthenticator(stack.url);
  return {
    authenticator,
    credential: authenticator.create(dataOf(await person.client.post('/api/me/passkeys/options', {}, person.token))),
  };
}

/** What makes a case succeed where the smallest valid input can't. */
const specials: Readonly<Record<string, (side: Side) => Json | Promise<Json>>> = {
  register: () => ({ provider: 'email', providerId: `${randomUUID()}@example.com`, providerData: { password: PASSWORD } }),
  login: ({ person }) => ({ provider: 'email', providerId: person.email, providerData: { password: PASSWORD } }),
  refreshSession: ({ person }) => ({ refreshToken: person.refreshToken }),
  verifyEmail: async () => ({ token: await tokenMailed((await createPerson(stack, { verified: false })).email, 'verify-email') }),
  rejectRegistration: async () => ({ token: await tokenMailed((await createPerson(stack, { verified: false })).email, 'verify-email') }),
  requestAddressCode: async ({ person }) => {
    await admin.query('UPDATE identity.authentication_methods SET held_at = NULL WHERE user_id = $1', [person.userId]);
    return {};
  },
  confirmAddress: async ({ person }) => {
    await admin.query('UPDATE identity.authentication_methods SET held_at = NULL WHERE user_id = $1', [person.userId]);
    dataOf(await person.client.post('/api/me/address-code', {}, person.token));
    const { data } = await waitForMail(stack.dataDir, person.email, 'address-code');
    return { code: data.code };
  },
  verifyEmailCode: async ({ person: { client, email } }) => {
    dataOf(await client.post('/api/auth/email-code', { email }));
    return { email, code: (await waitForMail(stack.dataDir, email, 'sign-in-code')).data.code };
  },
  rejectInvitedAccount: async (side) => ({ token: await invite({ ...side, person: await createPerson(stack, { verified: false }) }) }),
  setInvitationMails: async (side) => {
    await invite(side);
    const { data } = await waitForMail(stack.dataDir, side.person.email, 'invitation');
    return { token: stopTokenOf(data), isWanted: true };
  },
  resetPassword: async ({ person }) => {
    dataOf(await person.client.post('/api/auth/request-password-reset', { email: person.email }));
    return { token: await tokenMailed(person.email, 'reset-password'), newPassword: 'Different-Horse-42' };
  },
  confirmSecondFactor: async (side) => {
    const { id, secret } = await enrolTotp(side);
    return { id, code: codeOf(secret) };
  },
  updateSecondFactor: async (side) => ({ id: (await withTotp(side)).id, name: 'Phone' }),
  deleteSecondFactor: async (side) => ({ id: (await withTotp(side)).id }),
  renewRecoveryCodes: async (side) => {
    await withTotp(side);
    return {};
  },
  createPasskey: async (side) => ({ credential: (await newPasskey(side)).credential }),
  loginWithPasskey: async (side) => {
    const { person } = side;
    const { authenticator, credential } = await newPasskey(side);
    dataOf(await person.client.post('/api/me/passkeys', { credential }, person.token));
    return { credential: authenticator.get(dataOf(await person.client.post('/api/auth/passkey/options', {}))) };
  },
  getSecondFactorOptions: async (side) => ({ token: (await waiting(side)).token }),
  completeSecondFactor: async (side) => {
    const { token, secret } = await waiting(side);
    return { token, method: 'totp', code: codeOf(secret) };
  },
  startRecovery: async (side) => ({ token: (await waiting(side)).token }),
  finishRecovery: async (side) => {
    dataOf(await createClient(stack.url).post('/api/auth/recovery', { token: (await waiting(side)).token }));
    // As three days later: the wait is over, and the link was mailed.
    const { userId, email } = side.person;
    await admin.query('UPDATE identity.account_recoveries SET due_at = now(), next_mail_at = NULL WHERE user_id = $1', [userId]);
    const link = 'INSERT INTO identity.account_recovery_links (hash, user_id, address) VALUES (sha256($1::bytea), $2, $3)';
    const token = randomUUID();
    await admin.query(link, [token, userId, email]);
    return { token };
  },
  confirmIdentity: () => ({ method: 'password', password: PASSWORD }),
  setMyPrimaryAuthenticationMethod: async ({ person }) => ({ id: await addProviderMethod(person.userId) }),
  deleteMyAuthenticationMethod: async ({ person }) => ({ id: await addProviderMethod(person.userId) }),
  revokeMySession: async ({ person }) => {
    const credentials = { provider: 'email', providerId: person.email, providerData: { password: PASSWORD } };
    dataOf(await createClient(stack.url, 'another device').post('/api/auth/login', credentials));
    const { items } = dataOf(await person.client.get('/api/me/sessions', person.token));
    return { id: items.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent).id };
  },
  getInvitation: async (side) => ({ token: await invite({ ...side, person: await createPerson(stack) }) }),
  acceptInvitation: async (side) => ({ token: await invite(side) }),
  updateOrganizationMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
    roleId: await builtInRole(owner, organization, 'Viewer'),
  }),
  endMemberSessions: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  blockMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  unblockMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  requireNewMemberPassword: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  detachMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  attachMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  removeOrganizationMember: async ({ world: { owner, organization } }) => ({
    userId: (await addMember(stack, owner, organization, 'Dev')).userId,
  }),
  exchangeApiKey: async ({ world: { owner, organization, project } }) => {
    const key = { scope: project, name: 'Exchanged', roleId: await builtInRole(owner, organization, 'Viewer') };
    const { clientId, clientSecret } = dataOf(await owner.client.post('/api/api-keys', key, owner.token));
    return { clientId, clientSecret, scope: project };
  },
  getConnectionTest: async ({ world: { owner, organization, ids } }) => {
    const tests = `/api/connections/${ids['Connection']}/tests`;
    return { id: ids['Connection'], testId: dataOf(await owner.client.post(tests, { scope: organization }, owner.token)).id };
  },
  deleteSetUpLink: async ({ world: { owner, organization } }) => ({
    id: dataOf(await owner.client.post('/api/connections/set-up-links', { scope: organization }, owner.token)).id,
  }),
  requestEmailCode: ({ person }) => ({ email: person.email }),
  requestPasswordReset: ({ person }) => ({ email: person.email }),
  resendVerification: ({ person }) => ({ email: person.email }),
  changePassword: () => ({ currentPassword: PASSWORD, newPassword: 'Different-Horse-42', confirmPassword: 'Different-Horse-42' }),
  createProjectGrant: async () => ({ organizationId: (await createOrganization(await createPerson(stack))).id }),
  getProjectGrantOffer: async (side) => ({ token: await mailedOffer(side) }),
  acceptProjectGrant: async (side) => ({ id: await offerTo(side) }),
  declineProjectGrant: async (side) => ({ id: await offerTo(side) }),
  leaveProjectGrant: async (side) => {
    const { owner, organization } = side.world;
    const id = await offerTo(side);
    dataOf(await owner.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, owner.token));
    return { id };
  },
  suspendProjectGrant: async (side) => ({ id: await activeGrant(side) }),
  resumeProjectGrant: async (side) => {
    const { owner, project } = side.world;
    const id = await activeGrant(side);
    dataOf(await owner.client.post(`/api/project-grants/${id}/suspend`, { scope: project }, owner.token));
    return { id };
  },
  replayWebhookDelivery: async ({ world: { organization, ids } }) => ({
    deliveryId: await writeDelivery(admin, organization, String(ids['Webhook'])),
  }),
  // A role that a service account alone holds could not be deleted by another case.
  createServiceAccount: async ({ world: { owner, organization } }) => ({ roleIds: [await builtInRole(owner, organization, 'Viewer')] }),
  deleteServiceAccountCredential: async ({ world: { owner, organization, ids } }) => {
    const path = `/api/service-accounts/${ids['ServiceAccount']}/credentials`;
    const made = dataOf(await owner.client.post(path, { scope: organization, type: 'secret' }, owner.token));
    return { credentialId: made.id };
  },
  listProjectAppSecrets: async (side) => ({ id: (await webApp(side)).id }),
  createProjectAppSecret: async (side) => ({ id: (await webApp(side)).id }),
  deleteProjectAppSecret: async (side) => {
    const { owner, project } = side.world;
    const { id } = await webApp(side);
    const secret = dataOf(await owner.client.post(`/api/project-apps/${id}/secrets`, { scope: project }, owner.token));
    return { id, secretId: secret.id };
  },
  listProjectAppConsents: async (side) => ({ id: (await consentOf(side.world.owner.userId, side)).id }),
  deleteProjectAppConsent: async (side) => {
    const { id, userId } = await consentOf(side.world.owner.userId, side);
    return { id, userId };
  },
  listMyConsents: async (side) => {
    await consentOf(side.person.userId, side);
    return {};
  },
  listMyAgents: async (side) => {
    await agentOf(side.person.userId, side);
    return {};
  },
  deleteMyAgent: async (side) => ({ clientId: (await agentOf(side.person.userId, side)).clientId }),
  allowMyAgent: async (side) => ({ clientId: (await agentOf(side.person.userId, side)).clientId }),
  listAgents: async (side) => ({ userId: (await agentOf(side.world.owner.userId, side)).userId }),
  deleteAgent: (side) => agentOf(side.world.owner.userId, side),
  allowAgent: (side) => agentOf(side.world.owner.userId, side),
  createSupportAccess: async (side) => (await askableCustomer(side)).given,
  grantSupportAccess: (side) => supportOf(side),
  revokeSupportAccess: (side) => supportOf(side),
  endMySupportAccess: (side) => supportOf(side, side.person.userId),
  exchangeSupportAccess: async (side) => {
    const { buyer, customer, given } = await askableCustomer(side);
    const { owner, project } = side.world;
    const { id } = dataOf(await owner.client.post('/api/support-access', { scope: project, ...given }, owner.token));
    dataOf(await buyer.client.post(`/api/support-access/${id}/grant`, { scope: customer }, buyer.token));
    return { id };
  },
  createSupportConsent: async (side) => {
    const [ownerOrganizationId, projectId] = (await usedProduct(side)).product.id.split(':');
    return { ownerOrganizationId, projectId, days: 1 };
  },
  deleteSupportConsent: async (side) => {
    const [ownerOrganizationId, projectId] = (await usedProduct(side)).product.id.split(':');
    const { owner, organization } = side.world;
    const body = { scope: organization, ownerOrganizationId, projectId, days: 1 };
    return { id: dataOf(await owner.client.post('/api/support-consents', body, owner.token)).id };
  },
  listSupportAccesses: async (side) => {
    await supportOf(side);
    return {};
  },
  listMySupportAccesses: async (side) => {
    await supportOf(side, side.person.userId);
    return {};
  },
  deleteMyConsent: async (side) => ({ clientId: (await consentOf(side.person.userId, side)).clientId }),
  createPlatformServiceAccount: () => ({ name: 'A maker' }),
  listPlatformServiceAccounts: async () => ({ search: (await platformAccount(`Found by its own name ${randomUUID()}`)).name }),
  getPlatformServiceAccount: async () => ({ id: (await platformAccount()).id }),
  updatePlatformServiceAccount: async () => ({ id: (await platformAccount()).id }),
  deletePlatformServiceAccount: async () => ({ id: (await platformAccount()).id }),
  createPlatformServiceAccountCredential: async () => ({ id: (await platformAccount()).id }),
  deletePlatformServiceAccountCredential: async () => {
    const { id, client, token } = await platformAccount();
    const { id: credentialId } = dataOf(await client.post(`/api/platform/service-accounts/${id}/credentials`, { type: 'secret' }, token));
    return { id, credentialId };
  },
  createPlatformOrganization: ({ world: { ids } }) => ({
    owner: { email: `${randomUUID()}@example.com` },
    grants: [{ projectId: ids['Project'] }],
    externalId: randomUUID(),
  }),
  createCustomer: ({ world: { ids, organization } }) => ({
    id: organization.id,
    owner: { email: `${randomUUID()}@example.com` },
    projectId: ids['Project'],
    externalId: randomUUID(),
  }),
  findPlatformUsers: ({ person }) => ({ search: person.email }),
  blockUser: async () => ({ id: (await createPerson(stack)).userId, reason: 'abuse' }),
  unblockUser: async () => ({ id: (await createPerson(stack)).userId }),
  importUsers: () => ({ users: [{ email: `${randomUUID()}@example.com`, name: 'Ada' }] }),
  listTenants: ({ person }) => ({ search: person.email }),
  suspendTenant: ({ person }) => ({ id: person.account.id, reason: 'unpaid' }),
  resumeTenant: ({ person }) => ({ id: person.account.id }),
  updateTenantQuotas: ({ person }) => ({ id: person.account.id, quotas: { projects: 5, apiKeys: null } }),
  listPlatformAuditEvents: ({ world }) => ({ tenantId: world.organization.id, action: 'organization.created' }),
  createMyAuthenticationMethod: async ({ person }) => {
    // As a user of a provider, because a user may have only one address.
    await admin.query(`UPDATE identity.authentication_methods SET provider = 'codehost' WHERE user_id = $1`, [person.userId]);
    return { provider: 'email', providerId: `${randomUUID()}@example.com`, providerData: { password: PASSWORD } };
  },
};

function sorted({ input }: Declared): Json {
  return JSON.stringify(input).includes('"enum":["name"') ? { sortField: 'name', sortOrder: 'asc' } : {};
}

async function inputFor(operation: Declared, side: Side): Promise<Json> {
  const special = await specials[operation.name]?.(side);
  return { ...exampleInput(operation, side.world), ...sorted(operation), ...special };
}

/** Ids, times and tokens differ between the sides, so only their kind is compared. */
function kindOf(value: unknown, key = ''): unknown {
  // A slug is unique among all tenants, so the two worlds can't have the same one.
  if (key === 'slug') return 'a slug';
  if (key === 'recoveryCodes') return 'codes that are shown once';
  if (key === 'version') return 'a version';
  if (key === 'lastFour') return 'the end of a secret';
  if (typeof value !== 'string')
    return Array.isArray(value)
      ? value.map((item) => kindOf(item))
      : isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, kindOf(item, name)]))
        : value;
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}/.test(value)) return 'an id';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'a time';
  if (value.length > 30 || value.includes('@')) return 'a text of its own';
  return value;
}

/** Selects all fields of a type, two levels deep. */
function selectionOf(type: GraphQLOutputType, levels = 2): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(({ args }) => args.length === 0);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const nested =
    levels === 0
      ? []
      : fields
          .filter((field) => isObjectType(getNamedType(field.type)))
          .map((field) => ({ name: field.name, chosen: selectionOf(field.type, isPage(named.name) ? 1 : 0) }));
  const isPlain = named.getFields().id === undefined;
  return [
    ...leaves,
    ...(isPlain ? nested.filter(({ chosen }) => chosen !== '').map(({ name, chosen }) => `${name} { ${chosen} }`) : []),
  ].join(' ');
}

function isPage(name: string): boolean {
  return name.endsWith('Page');
}

/** What jobs change between two requests: they seal records and send deliveries. */
const changedByJobs = /AuditEvents\.items\[0\]\.hash$|^listWebhookDeliveries\.items\[0\]\.(status|attempts|nextAttemptAt)$/;

/** Keeps what both sides have, all the way down; says what only one has. */
function compare(rest: unknown, graphql: unknown, path: string, faults: string[]): void {
  if (changedByJobs.test(path)) return;
  if (isRecord(rest) && isRecord(graphql)) {
    const shared = Object.keys(graphql).filter((key) => key in rest);
    if (shared.length === 0 && Object.keys(graphql).length > 0) faults.push(`${path}: nothing in common`);
    for (const key of shared) compare(rest[key], graphql[key], `${path}.${key}`, faults);
    return;
  }
  if (Array.isArray(rest) && Array.isArray(graphql)) {
    if (rest.length > 0 && graphql.length > 0) compare(rest[0], graphql[0], `${path}[0]`, faults);
    if (rest.length > 0 !== graphql.length > 0) faults.push(`${path}: ${rest.length} and ${graphql.length} items`);
    return;
  }
  if (JSON.stringify(rest ?? null) !== JSON.stringify(graphql ?? null))
    faults.push(`${path}: ${JSON.stringify(rest)} and ${JSON.stringify(graphql)}`);
}

type Outcome = { readonly code: string } | { readonly data: unknown };

const report = new Map<string, string>();

async function newSide(): Promise<Side> {
  return { world: await createWorld(stack), person: await createPerson(stack) };
}

const stack = await openStack();
const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
await admin.connect();
let [rest, graph] = await Promise.all([newSide(), newSide()]);
afterAll(() => admin.end());

async function callerOf(operation: Declared, side: Side): Promise<Person> {
  const { world, person } = side;
  if (operation.name === 'createCustomer') return provisioning(side);
  return 'permission' in operation.access || operation.scopes !== 'none' ? world.owner : person;
}

async function overRest(operation: Declared, side: Side): Promise<Outcome> {
  const caller = await callerOf(operation, side);
  const answer = await callRest(caller.client, operation, await inputFor(operation, side), caller.token);
  const { body } = answer;
  if (body?.code !== undefined) return { code: body.code };
  assertConsistency(operation, answer);
  return { data: body?.data ?? body };
}

async function overGraphql(operation: Declared, side: Side): Promise<Outcome> {
  const caller = await callerOf(operation, side);
  const input = await inputFor(operation, side);
  const answer = await callGraphqlSelecting(caller.client, operation, input, selectionOf(outputTypeOf(operation)), caller.token);
  const { body } = answer;
  const [error] = body.errors ?? [];
  if (error !== undefined) return { code: error.extensions.code };
  assertConsistency(operation, answer);
  const [data] = Object.values(body.data);
  const items = 'items' in operation.graphql ? operation.graphql.items : undefined;
  return { data: items !== undefined && isRecord(data) ? { ...data, items: data[items] } : data };
}

/** Every write returns a consistency token, and no read does. */
function assertConsistency({ name, kind }: Declared, { headers }: Answer): void {
  expect(headers['x-consistency-token'] !== undefined).toStrictEqualFor(`${name}: the consistency token of a ${kind}`, kind === 'mutation');
}

/** A change to one's own account or methods gets a new user: many of them end the session. */
function isOnesOwn({ scopes, kind }: Declared): boolean {
  return scopes === 'none' && kind === 'mutation';
}

describe('REST and GraphQL are one product [spec:service.10 spec:graphql.1]', () => {
  for (const operation of [...bound].sort((a, b) => exampleOrder(a) - exampleOrder(b)))
    test(operation.name, async () => {
      if (isOnesOwn(operation)) {
        const [one, other] = await Promise.all([createPerson(stack), createPerson(stack)]);
        rest = { ...rest, person: one };
        graph = { ...graph, person: other };
      }
      if ('admit' in operation.access)
        for (const { person } of [rest, graph])
          await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [person.userId]);
      const [first, second] = [await overRest(operation, rest), await overGraphql(operation, graph)];
      if ('code' in first || 'code' in second) {
        expect(first).toStrictEqual(second);
        report.set(operation.name, 'code' in first ? `code ${first.code}` : '');
        return;
      }
      const faults: string[] = [];
      compare(kindOf(first.data), kindOf(second.data), operation.name, faults);
      expect(faults).toStrictEqual([]);
      report.set(operation.name, 'data');
    });
  test('every case succeeds, as the report in docs/ says', () => {
    expect([...report].filter(([, outcome]) => outcome !== 'data')).toStrictEqual([]);
    expect(report.size).toBe(bound.length);
    const rows = readFileSync(new URL('../../../docs/parity.md', import.meta.url), 'utf8').match(/^\| `\w+` /gm);
    expect(rows).toHaveLength(bound.length);
  });
});
