/** People and tenants for system tests, made through the API as a client does. */

import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { connect } from '@tessera/kernel/grpc';
import type pg from 'pg';
import { signRequest } from '../../services/keys/src/testing/service.ts';
import { type Answer, type Client, createClient, inScope, type ScopeValue } from './client.ts';
import { waitForMail } from './mail.ts';
import type { SystemStack } from './shared-stack.ts';

export const PASSWORD = 'Correct-Horse-42';

export type Person = {
  readonly email: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly userId: string;
  readonly account: ScopeValue;
  readonly client: Client;
};

/** The data of a successful answer; fails the test with the body otherwise. */
export function dataOf({ status, body }: Answer): Answer['body'] {
  expect(status >= 200 && status < 300).toStrictEqualFor(`${status} ${JSON.stringify(body)}`, true);
  return body.data;
}

/** Registers a user who verifies the address in the session, unless an option says otherwise. */
export async function createPerson(
  stack: Pick<SystemStack, 'url' | 'dataDir'>,
  { type = 'organization', verified = true, name = 'Test Person', email = `${randomUUID()}@example.com` } = {},
): Promise<Person> {
  const client = createClient(stack.url, `device of ${email}`);
  const credentials = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
  const registered = dataOf(await client.post('/api/auth/register', { name, type, ...credentials }));
  const account = { tenant: 'account', id: registered.account.id };
  if (verified) {
    const { data } = await waitForMail(stack.dataDir, email);
    dataOf(await client.post('/api/auth/verify-email', { token: data.token }, registered.accessToken));
  }
  const { accessToken: token, refreshToken } = verified ? dataOf(await client.post('/api/auth/login', credentials)) : registered;
  return { email, client, account, userId: registered.account.ownerId, token, refreshToken };
}

/** Who has no account yet takes the invitation of an organization, and signs in. */
export async function joinAsNew(
  { url, dataDir }: Pick<SystemStack, 'url' | 'dataDir'>,
  email: string,
  name = 'New Person',
): Promise<Person> {
  const { data } = await waitForMail(dataDir, email, 'invitation');
  const client = createClient(url, `device of ${email}`);
  dataOf(await client.post('/api/organization-invitations/accept', { token: data.token, userData: { name, password: PASSWORD } }));
  const credentials = { provider: 'email', providerId: email, providerData: { password: PASSWORD } };
  const { accessToken: token, refreshToken } = dataOf(await client.post('/api/auth/login', credentials));
  const me = dataOf(await client.get('/api/me', token));
  return { email, client, token, refreshToken, userId: me.user.id, account: { tenant: 'account', id: me.accounts[0].id } };
}

/** An organization with one of everything in it, and its owner. */
export type World = {
  readonly owner: Person;
  readonly organization: ScopeValue;
  readonly project: ScopeValue;
  /** The id of one thing of each resource, by the resource's name in permissions. */
  readonly ids: Readonly<Record<string, string>>;
};

export async function createOrganization({ client, token, account }: Person, name = 'Acme'): Promise<ScopeValue> {
  const { id } = dataOf(await client.post('/api/organizations', { scope: account, name }, token));
  return { tenant: 'organization', id };
}

export async function createProject({ client, token }: Person, parent: ScopeValue, name = 'Web'): Promise<ScopeValue> {
  const { id } = dataOf(await client.post('/api/projects', { scope: parent, name }, token));
  return { tenant: parent.tenant === 'organization' ? 'organizationProject' : 'accountProject', id: `${parent.id}:${id}` };
}

/** A new user who has accepted an invitation with a built-in role. */
export async function addMember(stack: SystemStack, owner: Person, organization: ScopeValue, role: string): Promise<Person> {
  const person = await createPerson(stack);
  const roleId = await builtInRole(owner, organization, role);
  const invitation = { scope: organization, email: person.email, roleId };
  dataOf(await owner.client.post('/api/organization-invitations/invite', invitation, owner.token));
  const { data } = await waitForMail(stack.dataDir, person.email, 'invitation');
  dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
  return person;
}

/** An event that comes after three days of failures. */
export const quietWebhook = { url: 'https://hooks.example.com/in', eventTypes: ['webhook.disabled'] };

export async function createWorld(stack: SystemStack): Promise<World> {
  const owner = await createPerson(stack);
  const { client, token } = owner;
  const organization = await createOrganization(owner);
  const project = await createProject(owner, organization);
  const create = async (path: string, body: object): Promise<string> => dataOf(await client.post(path, body, token)).id;
  const named = { scope: organization, name: 'Original' };
  const group = await create('/api/groups', named);
  const role = await create('/api/roles', { ...named, groupIds: [group] });
  const tag = await create('/api/tags', { ...named, color: 'blue' });
  const resource = await create('/api/resources', { scope: project, name: 'Original', slug: 'document', actions: ['read', 'write'] });
  const resourceId = await builtIn(owner, 'resources', organization, ({ slug }) => slug === 'Project');
  const permission = await create('/api/permissions', { ...named, action: 'Query', resourceId });
  const user = await create('/api/users', { ...named, roleIds: [] });
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const apiKey = await create('/api/api-keys', { scope: project, name: 'Original', roleId });
  const invitation = await create('/api/organization-invitations/invite', {
    scope: organization,
    email: `${randomUUID()}@example.com`,
    roleId,
  });
  const app = await create('/api/project-apps', { scope: project, name: 'Original', redirectUris: ['https://app.example.com/callback'] });
  // Told of nothing that a test does.
  const webhook = await create('/api/webhooks', { ...quietWebhook, scope: organization });
  const domain = await create('/api/domains', { scope: organization, domain: 'original.example.com' });
  const connection = await create('/api/connections', {
    ...named,
    type: 'oidc',
    oidc: { issuer: 'https://login.example.com', clientId: 'tessera', clientSecret: randomUUID() },
    defaultRoleId: roleId,
  });
  const serviceAccount = await create('/api/service-accounts', { ...named, roleIds: [roleId] });
  // An open offer, and an organization that has none.
  const stranger = await createPerson(stack);
  const customer = await createOrganization(stranger);
  const grant = await create('/api/project-grants', { scope: project, organizationId: customer.id });
  const { id: otherCustomer } = await createOrganization(stranger);
  const projectId = project.id.slice(project.id.indexOf(':') + 1);
  const ids = {
    Role: role,
    Group: group,
    Permission: permission,
    Resource: resource,
    Tag: tag,
    User: user,
    ApiKey: apiKey,
    ProjectApp: app,
    Project: projectId,
    Organization: organization.id,
    OrganizationMember: owner.userId,
    OrganizationInvitation: invitation,
    Webhook: webhook,
    Domain: domain,
    Connection: connection,
    ProjectGrant: grant,
    ServiceAccount: serviceAccount,
    Customer: otherCustomer,
    Directory: await tellOfGroup(stack, organization.id),
  };
  return { owner, organization, project, ids };
}

/** A group of a directory, as tenancy tells rbac of it. */
export async function tellOfGroup({ grpcUrls, internalAuthSecret }: SystemStack, organizationId: string): Promise<string> {
  const inbox = connect({ service: 'events.v1.Inbox', url: grpcUrls.rbac, secret: internalAuthSecret, self: 'tenancy' });
  const id = randomUUID();
  const payload = { organizationId, groups: [{ id, name: 'Original', memberCount: 0, isDeleted: false }], people: [], by: null };
  const event = { id: randomUUID(), type: 'directory.changed', key: organizationId, payloadJson: JSON.stringify(payload) };
  const delivered = inbox.deliver({ producer: 'tenancy', events: [{ ...event, occurredAt: new Date().toISOString() }] });
  const { accepted } = await delivered.finally(() => inbox.close());
  expect(accepted).toHaveLength(1);
  return id;
}

export function builtInRole(person: Person, scope: ScopeValue, name: string): Promise<string> {
  return builtIn(person, 'roles', scope, (role) => role.name === name);
}

export async function builtIn(
  { client, token }: Person,
  list: string,
  scope: ScopeValue,
  isWanted: (row: Record<string, unknown>) => boolean,
) {
  const { items } = dataOf(await client.get(`/api/${list}?${inScope(scope, 'limit=100')}`, token));
  return items.find((row: Record<string, unknown>) => row['isBuiltIn'] && isWanted(row)).id;
}

type TokenWish = {
  readonly type: 'session' | 'apiKey' | 'projectApp';
  readonly subject: string;
  readonly lifetimeSeconds?: number;
  readonly project?: ScopeValue;
  readonly scopes?: readonly string[];
};

/** Makes the real keys service sign a token that no flow issues. */
export async function signToken({ grpcUrls, internalAuthSecret }: SystemStack, wish: TokenWish): Promise<string> {
  const keys = connect({ service: 'keys.v1.Keys', url: grpcUrls.keys, secret: internalAuthSecret, self: 'identity' });
  const { type, subject, lifetimeSeconds = 600, project, scopes } = wish;
  const claims = project
    ? { scope: { tenant: `${project.tenant}User`, id: `${project.id}:${subject}` }, ...(scopes ? { scopes } : {}) }
    : { isVerified: true };
  const request = signRequest(subject, { type, lifetimeSeconds, claimsJson: JSON.stringify(claims) });
  const place = project ? { scope: { tenant: project.tenant, id: project.id } } : {};
  const signed = keys.sign({ ...request, ...place, audience: type === 'projectApp' ? 'a-client-id' : '' });
  return (await signed.finally(() => keys.close())).token;
}

/** A service account with a built-in role, and a token that the token endpoint gave it. */
export async function createServiceAccount(
  url: string,
  { owner, organization }: Pick<World, 'owner' | 'organization'>,
  role: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly token: string; readonly clientSecret: string }> {
  const { client, token } = owner;
  const body = { scope: organization, name: `A machine (${role})`, roleIds: [await builtInRole(owner, organization, role)], ...fields };
  const { id } = dataOf(await client.post('/api/service-accounts', body, token));
  const credential = { scope: organization, type: 'secret' };
  const { clientSecret } = dataOf(await client.post(`/api/service-accounts/${id}/credentials`, credential, token));
  return { id, clientSecret, token: await tokenOfServiceAccount(url, id, clientSecret) };
}

export async function tokenOfServiceAccount(url: string, id: string, clientSecret: string): Promise<string> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${btoa(`${id}:${clientSecret}`)}` };
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: 'grant_type=client_credentials' });
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null || !('access_token' in body)) throw new Error(`no token: ${JSON.stringify(body)}`);
  return String(body.access_token);
}

/** A service account of the platform, made by an administrator. */
export async function createProvisioner(
  url: string,
  { client, token }: Pick<Person, 'client' | 'token'>,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly id: string; readonly token: string; readonly clientSecret: string }> {
  const place = '/api/platform/service-accounts';
  const { id } = dataOf(await client.post(place, { name: 'A provisioner', ...fields }, token));
  const { clientSecret } = dataOf(await client.post(`${place}/${id}/credentials`, { type: 'secret' }, token));
  return { id, clientSecret, token: await tokenOfServiceAccount(url, id, clientSecret) };
}

/** A delivery of an organization's webhook that was accepted, and its id. */
export async function writeDelivery(
  admin: Pick<pg.Client, 'query'>,
  { id: organizationId }: ScopeValue,
  webhookId: string,
): Promise<string> {
  const id = randomUUID();
  await admin.query(
    `INSERT INTO tenancy.webhook_deliveries (id, webhook_id, organization_id, event_type, body, status, in_order, next_attempt_at)
     VALUES ($1, $2, $3, 'webhook.test', '{}', 'delivered', false, NULL)`,
    [id, webhookId, organizationId],
  );
  return id;
}
