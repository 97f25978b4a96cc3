/** A product with an app, its customers, and their people, for tests in a browser. */
import { issuerOf } from '@tessera/kernel/tokens';
import type { Page } from 'playwright-core';
import { waitForMail } from '../mail.ts';
import { addMember, builtInRole, createOrganization, createPerson, createProject, dataOf, type Person } from '../world.ts';
import { heading, press, signIns } from './journey.ts';

/** What an app knows of its provider; the rest is discovery. */
export type AppCredentials = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };

/** A product with an app, which other organizations use. */
export async function createProduct(redirectUri: string, changes: object = {}) {
  const { stack } = signIns();
  const vendor = await createPerson(stack);
  const product = await createProject(vendor, await createOrganization(vendor, 'Vendor'), 'Docs');
  const make = async (path: string, body: object) =>
    dataOf(await vendor.client.post(`/api/${path}`, { scope: product, ...body }, vendor.token));
  const actions = ['Read', 'Write'];
  const { permissions } = await make('resources', { name: 'Doc', slug: 'doc', actions, createPermissions: true });
  const roleOf = async (action: string): Promise<string> => {
    const { id } = permissions.find((each: { action: string }) => each.action === action);
    const group = await make('groups', { name: action, permissionIds: [id] });
    return (await make('roles', { name: `${action}er`, groupIds: [group.id] })).id;
  };
  const roles = { reader: await roleOf('Read'), writer: await roleOf('Write') };
  const app = { name: 'Docs', type: 'web', redirectUris: [redirectUri], scopes: ['doc:Read', 'doc:Write'], ...changes };
  const { clientId, clientSecret } = await make('project-apps', app);

  async function createCustomer(name: string) {
    const owner = await createPerson(stack);
    const organization = await createOrganization(owner, name);
    const { id } = await make('project-grants', { organizationId: organization.id });
    dataOf(await owner.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, owner.token));
    const scope = { tenant: 'organizationProject', id: `${organization.id}:${product.id.slice(37)}` };
    const give = async ({ userId }: Person, roleIds: readonly string[]) =>
      dataOf(await owner.client.patch(`/api/users/${userId}`, { scope, roleIds }, owner.token));
    const move = async (step: string) =>
      dataOf(await vendor.client.post(`/api/project-grants/${id}/${step}`, { scope: product }, vendor.token));
    return { owner, organization, scope, give, move };
  }
  const client: AppCredentials = { issuer: issuerOf(stack.url, product), clientId, clientSecret };
  return { client, roles, createCustomer };
}
type Customer = Awaited<ReturnType<Awaited<ReturnType<typeof createProduct>>['createCustomer']>>;

/** How many each has got already. */
const invitations = new Map<Person, number>();

export async function joinCustomer({ owner, organization }: Customer, person: Person): Promise<void> {
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const invitation = { scope: organization, email: person.email, roleId };
  dataOf(await owner.client.post('/api/organization-invitations/invite', invitation, owner.token));
  const { stack } = signIns();
  const { data } = await waitForMail(stack.dataDir, person.email, 'invitation', invitations.get(person) ?? 0);
  invitations.set(person, (invitations.get(person) ?? 0) + 1);
  dataOf(await person.client.post('/api/organization-invitations/accept', { token: data.token }, person.token));
}

/** Two customers, of which each has a person with a role of its own, and a person of both. */
export async function createPeople({ roles, createCustomer }: Awaited<ReturnType<typeof createProduct>>) {
  const { stack } = signIns();
  const [acme, birch] = [await createCustomer('Acme'), await createCustomer('Birch')];
  const [ofAcme, ofBirch] = [await addMember(stack, acme.owner, acme.organization, 'Viewer'), birch.owner];
  const both = await addMember(stack, acme.owner, acme.organization, 'Viewer');
  // The first one came with the membership in Acme.
  invitations.set(both, 1);
  await joinCustomer(birch, both);
  for (const person of [ofAcme, both]) await acme.give(person, [roles.reader]);
  for (const person of [ofBirch, both]) await birch.give(person, [roles.writer]);
  return { acme, birch, ofAcme, ofBirch, both };
}

export async function allow(page: Page, organization: string): Promise<void> {
  await heading(page, 'Allow Docs?');
  await page.getByText(`For ${organization}`, { exact: true }).waitFor();
  await press(page, 'Allow');
}
