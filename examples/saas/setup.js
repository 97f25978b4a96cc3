// Once: what the product needs in Tessera. Writes .env, with secrets that are shown here alone.
import { writeFileSync } from 'node:fs';
import { createClient } from '@tessera/client';

const { TESSERA_URL = 'http://localhost:3000', TESSERA_TOKEN, APP_URL = 'http://localhost:8080' } = process.env;
const tessera = createClient({ baseUrl: TESSERA_URL, session: async () => TESSERA_TOKEN });

const { organizations } = await tessera.getMe({ relations: ['organizations'] });
const vendor = organizations.find(({ id }) => id === (process.env.ORGANIZATION ?? organizations[0]?.id));
if (vendor === undefined) throw new Error('Make an organization in the console first, or name yours in ORGANIZATION.');
const organization = { tenant: 'organization', id: vendor.id };

// The product: what can be done, and two roles that customers give to their people.
const project = await tessera.createProject({ scope: organization, name: 'Ledger' });
const scope = { tenant: 'organizationProject', id: `${vendor.id}:${project.id}` };
const invoice = await tessera.createResource({
  scope,
  slug: 'invoice',
  name: 'Invoice',
  actions: ['read', 'write'],
  createPermissions: true,
});
const role = async (name, ...actions) => {
  const permissionIds = invoice.permissions.filter(({ action }) => actions.includes(action)).map(({ id }) => id);
  const group = await tessera.createGroup({ scope, name: `${name}s`, permissionIds });
  return tessera.createRole({ scope, name, groupIds: [group.id] });
};
await role('Reader', 'read');
await role('Bookkeeper', 'read', 'write');

// Its app: one client id for all customers. The last scopes are for the pages "People" and "Keys".
const app = await tessera.createProjectApp({
  scope,
  name: 'Ledger',
  type: 'web',
  redirectUris: [`${APP_URL}/auth/callback`],
  postLogoutRedirectUris: [`${APP_URL}/`],
  scopes: ['invoice:read', 'invoice:write', 'User:Query', 'User:Update', 'Role:Query', 'ApiKey:Query'],
});

// The back end that makes an organization for each customer who signs up.
const { items } = await tessera.listRoles({ scope: organization, limit: 100 });
const admin = items.find(({ name, isBuiltIn }) => isBuiltIn && name === 'Admin');
const machine = await tessera.createServiceAccount({ scope: organization, name: 'Ledger sign-up', roleIds: [admin.id] });
const credential = await tessera.createServiceAccountCredential({ id: machine.id, scope: organization, type: 'secret' });

// What Tessera tells the product: new customers, and whose roles change.
const eventTypes = ['grant.accepted', 'grant.ended', 'grantMember.assigned', 'grantMember.unassigned', 'grantMember.left'];
const webhook = await tessera.createWebhook({ scope, url: `${APP_URL}/hooks/tessera`, eventTypes });

const settings = {
  APP_URL,
  PORT: new URL(APP_URL).port || '8080',
  TESSERA_URL,
  TESSERA_ISSUER: `${TESSERA_URL}/org/${vendor.id}/prj/${project.id}`,
  TESSERA_CLIENT_ID: app.clientId,
  TESSERA_CLIENT_SECRET: app.clientSecret,
  ORGANIZATION: vendor.id,
  PROJECT: project.id,
  MACHINE_ID: machine.id,
  MACHINE_SECRET: credential.clientSecret,
  WEBHOOK_SECRET: webhook.secret,
};
writeFileSync(
  '.env',
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(''),
  { mode: 0o600 },
);
console.log(`Written to .env. A platform administrator lets ${vendor.name} make organizations: its id is ${vendor.id}.`);
