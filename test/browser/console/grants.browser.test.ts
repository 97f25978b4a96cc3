/** One product, two organizations: the vendor's customers, and what a customer uses. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { follow, heading, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { choose, look, pathOf, pick, type Team, team, visit } from '../../support/console/start.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { addMember, createOrganization, createPerson, createProject, dataOf, type Person } from '../../support/world.ts';

shareStack();

type Customer = { readonly owner: Person; readonly organization: ScopeValue };

async function customer(name: string): Promise<Customer> {
  const owner = await createPerson(signIns().stack, { name: `Owner of ${name}` });
  return { owner, organization: await createOrganization(owner, name) };
}

/** Two roles in the project of the team: one that customers may give, and one that they may not. */
async function sellRoles({ owner, project }: Team, slug: string) {
  const make = async (path: string, body: object) =>
    dataOf(await owner.client.post(`/api/${path}`, { scope: project, ...body }, owner.token));
  const resource = await make('resources', { name: slug, slug, actions: ['read', 'write'], createPermissions: true });
  const idOf = (action: string) => resource.permissions.find((one: { action: string }) => one.action === action).id;
  const readers = await make('groups', { name: `${slug} readers`, permissionIds: [idOf('read')] });
  const clerk = await make('roles', { name: `${slug} clerk`, description: 'Reads invoices', groupIds: [readers.id] });
  await make('roles', { name: `${slug} support`, isGrantable: false });
  return { clerkId: String(clerk.id) };
}

async function offer({ owner, project }: Team, { organization }: Customer, terms: object = {}): Promise<string> {
  const body = { scope: project, organizationId: organization.id, ...terms };
  return dataOf(await owner.client.post('/api/project-grants', body, owner.token)).id;
}

async function accept({ owner, organization }: Customer, id: string): Promise<void> {
  dataOf(await owner.client.post(`/api/project-grants/${id}/accept`, { scope: organization }, owner.token));
}

/** Where the customer uses the project. */
function placeOf({ organization }: Customer, { project }: Team): ScopeValue {
  return { tenant: 'organizationProject', id: `${organization.id}:${project.id.slice(37)}` };
}

testUnless(skip)('a vendor offers its project, the customer accepts and gives its roles, and the vendor suspends and ends it', async () => {
  const all = await team();
  await sellRoles(all, 'invoice');
  const acme = await customer('Acme Trading');
  const member = await addMember(signIns().stack, acme.owner, acme.organization, 'Viewer');

  const vendor = await visit(all.owner, pathOf(all.project, 'customers'));
  const { page } = vendor;
  await heading(page, 'Customers');
  await press(page, 'New customer');
  await press(page, 'Send the offer');
  await page.getByText('Enter an ID, 36 characters with four hyphens, or an email address.').waitFor();
  await page.getByLabel('ID of the organization, or email address of an Owner').fill(acme.organization.id);
  await page.getByLabel('People with a role, at most').fill('5');
  await page.getByLabel('Metadata (grant.metadata)').fill('{ "plan": "pro" }');
  await look(page, 'customers-offer');
  await press(page, 'Send the offer');
  await heading(page, 'Acme Trading');
  await page.getByText('offered', { exact: true }).waitFor();
  await page.getByText('Acme Trading can no longer accept it.').waitFor();

  const buyer = await visit(acme.owner, pathOf(acme.organization));
  const theirs = buyer.page;
  await theirs.getByText('Birch & Sons offers you Web shop').waitFor();
  await look(theirs, 'applications-notice');
  await theirs.getByRole('link', { name: 'Look at the offer' }).click();
  await heading(theirs, 'Web shop');
  await look(theirs, 'application-offered');
  await press(theirs, 'Accept');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await theirs.getByText('Web shop can be used now.').waitFor();
  await theirs.getByText('active', { exact: true }).waitFor();
  await look(theirs, 'application');

  await theirs.getByRole('link', { name: 'Give roles to people' }).click();
  await theirs.getByText('Birch & Sons sees those with a role.').waitFor();
  await choose(theirs, member.email, 'Give roles');
  await theirs.getByRole('combobox', { name: 'Project roles' }).click();
  expect(await theirs.getByRole('option', { name: 'invoice support' }).count()).toBe(0);
  await theirs.getByRole('option', { name: 'invoice clerk' }).click();
  await theirs.keyboard.press('Tab');
  await press(theirs, 'Save');
  await theirs.getByRole('row').filter({ hasText: member.email }).getByText('invoice clerk').waitFor();
  await look(theirs, 'grant-people');

  await theirs.getByRole('navigation').getByRole('link', { name: 'Roles' }).click();
  await theirs.getByRole('row').filter({ hasText: 'invoice clerk' }).getByText('of Web shop').waitFor();
  expect(await theirs.getByRole('row').filter({ hasText: 'invoice clerk' }).getByRole('button', { name: 'Actions' }).count()).toBe(0);
  await press(theirs, 'New role');
  await theirs.getByLabel('Name', { exact: true }).fill('Night shift');
  expect(await theirs.getByLabel('Customers may give it').count()).toBe(0);
  await pick(theirs, 'Groups', 'invoice readers');
  await theirs.keyboard.press('Escape');
  await press(theirs, 'Create');
  await theirs.getByRole('row').filter({ hasText: 'Night shift' }).getByText('own', { exact: true }).waitFor();
  await look(theirs, 'grant-roles');
  await theirs.getByRole('link', { name: 'invoice clerk' }).click();
  await theirs.getByText('It belongs to Web shop and is changed by Birch & Sons alone.').waitFor();
  expect(await theirs.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await theirs.goto(new URL(pathOf(placeOf(acme, all)), theirs.url()).href);
  await heading(theirs, 'Web shop');
  await theirs.getByText('Web shop of Birch & Sons, used by Acme Trading').waitFor();
  await look(theirs, 'grant-overview');

  await page.reload();
  const people = page.getByRole('region', { name: 'People with roles' });
  await people.getByText(member.email).waitFor();
  await people.getByText('invoice clerk').waitFor();
  await look(page, 'customer');
  await press(page, 'Suspend');
  const suspend = page.getByRole('dialog').getByRole('button', { name: 'Suspend' });
  expect(await suspend.isDisabled()).toBe(true);
  await page.getByLabel('Reason').fill('Invoice 117 is open.');
  await page.getByLabel(/^Type/).fill('Acme Trading');
  await look(page, 'customer-suspend');
  await suspend.click();
  await page.getByText('Reason: Invoice 117 is open.').waitFor();

  await theirs.goto(new URL(pathOf(acme.organization, 'applications'), theirs.url()).href);
  await theirs.getByRole('row').filter({ hasText: 'Birch & Sons' }).getByText('suspended').waitFor();
  await look(theirs, 'applications');
  await theirs.getByRole('link', { name: 'Web shop' }).click();
  await theirs.getByText('Reason: Invoice 117 is open.').waitFor();
  await look(theirs, 'application-suspended');
  await theirs.goto(new URL(pathOf(placeOf(acme, all), 'people'), theirs.url()).href);
  await theirs.getByRole('alert').waitFor();
  await look(theirs, 'grant-suspended');

  await press(page, 'End the suspension');
  await page.getByRole('dialog').getByRole('button', { name: 'End the suspension' }).click();
  await page.getByText('The suspension of Acme Trading has ended.').waitFor();
  await page.getByRole('checkbox', { name: 'All roles that customers may give' }).uncheck();
  await pick(page, 'Chosen roles', 'invoice support');
  await page.keyboard.press('Escape');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  const listed = await all.owner.client.get(`/api/project-grants?${inScope(all.project, 'search=Acme')}`, all.owner.token);
  expect(dataOf(listed).items).toMatchObject([{ roles: [{ name: 'invoice support' }], maxMembers: 5, metadata: { plan: 'pro' } }]);

  await press(page, 'End the use');
  await page.getByLabel(/^Type/).fill('Acme Trading');
  await page.getByRole('dialog').getByRole('button', { name: 'End the use' }).click();
  await page.getByText('ended', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await page.getByRole('link', { name: 'All customers' }).click();
  await page.getByRole('row').filter({ hasText: 'Acme Trading' }).getByText('ended').waitFor();
  await look(page, 'customers');
  await theirs.goto(new URL(pathOf(acme.organization, 'applications'), theirs.url()).href);
  await theirs.getByRole('link', { name: 'Web shop' }).click();
  await theirs.getByText('The use has ended.').waitFor();
  expect([...vendor.complaints, ...buyer.complaints]).toStrictEqual([]);
});

testUnless(skip)('an Admin of a customer declines an offer and cannot accept one; an Owner leaves', async () => {
  const all = await team();
  const cedar = await customer('Cedar Freight');
  const admin = await addMember(signIns().stack, cedar.owner, cedar.organization, 'Admin');
  const first = await offer(all, cedar);
  const { page, complaints } = await visit(admin, pathOf(cedar.organization, `applications/${first}`));
  await page.getByText('Only an Owner of the organization can accept it.').waitFor();
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  await press(page, 'Decline');
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await page.getByText('The offer is declined.').waitFor();
  await page.getByText('declined', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Decline' }).count()).toBe(0);

  const second = await offer(all, cedar);
  await accept(cedar, second);
  await page.goto(new URL(pathOf(cedar.organization, `applications/${second}`), page.url()).href);
  await page.getByRole('link', { name: 'Give roles to people' }).waitFor();
  expect(await page.getByRole('button', { name: 'Leave the application' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Switch place' }).click();
  await page.getByRole('option', { name: 'Web shop Application' }).click();
  await page.getByText('Web shop of Birch & Sons, used by Cedar Freight').waitFor();

  const owners = await visit(cedar.owner, pathOf(cedar.organization, `applications/${second}`));
  await press(owners.page, 'Leave the application');
  const leave = owners.page.getByRole('dialog').getByRole('button', { name: 'Leave the application' });
  expect(await leave.isDisabled()).toBe(true);
  await owners.page.getByLabel(/^Type/).fill('Web shop');
  await leave.click();
  await owners.page.getByText('Web shop is no longer used here.').waitFor();
  await owners.page.getByText('The use has ended.').waitFor();
  expect([...complaints, ...owners.complaints]).toStrictEqual([]);
});

testUnless(skip)('a role that customers may not give any more is taken from their choice in the role editor', async () => {
  const all = await team();
  const { clerkId } = await sellRoles(all, 'parcel');
  const dogwood = await customer('Dogwood');
  await accept(dogwood, await offer(all, dogwood));
  const granted = async () => {
    const { client, token } = dogwood.owner;
    const { items } = dataOf(await client.get(`/api/roles?${inScope(placeOf(dogwood, all), 'search=parcel')}`, token));
    return items.map(({ name }: { name: string }) => name);
  };
  expect(await granted()).toStrictEqual(['parcel clerk']);
  const { page, complaints } = await visit(all.owner, pathOf(all.project, `roles/${clerkId}`));
  await press(page, 'Edit');
  await page.getByRole('checkbox', { name: 'Customers may give it' }).uncheck();
  await page.getByRole('region', { name: 'What changes' }).getByText('Customers may give it: Yes → No').waitFor();
  await page.getByText(/Organizations that use this project: \d/).waitFor();
  await look(page, 'role-grantable');
  await press(page, 'Save');
  await page.getByText('not for customers').waitFor();
  expect(await granted()).toStrictEqual([]);
  await page.goto(new URL(pathOf(all.project, 'roles'), page.url()).href);
  await page.getByRole('row').filter({ hasText: 'parcel clerk' }).getByText('not for customers').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('who may not see grants is shown neither customers nor applications, and a project of an account has none', async () => {
  const all = await team();
  const viewer = await addMember(signIns().stack, all.owner, all.organization, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.organization));
  await heading(page, 'Birch & Sons');
  await page.getByRole('navigation').getByRole('link', { name: 'Projects' }).waitFor();
  expect(await page.getByRole('link', { name: 'Applications' }).count()).toBe(0);
  await page.goto(new URL(pathOf(all.project, 'customers'), page.url()).href);
  await heading(page, 'You may not see this');
  const own = await createProject(all.owner, all.owner.account, 'Own');
  const owners = await visit(all.owner, pathOf(own, 'customers'));
  await heading(owners.page, 'There is no such page');
  expect(await owners.page.getByRole('link', { name: 'Customers' }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a customer makes a key where it uses the product, with a role of that place alone', async () => {
  const all = await team();
  await sellRoles(all, 'report');
  const elm = await customer('Elm');
  await accept(elm, await offer(all, elm));
  const { page, complaints } = await visit(elm.owner, `${pathOf(placeOf(elm, all), 'keys')}?do=create`);
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'report clerk' }).waitFor();
  expect(await page.getByRole('option', { name: /Owner|Viewer|support/ }).count()).toBe(0);
  await page.getByRole('option', { name: 'report clerk' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('checkbox', { name: 'I have kept it in a safe place' }).check();
  await press(page, 'Done');
  await page.getByRole('row').filter({ hasText: 'Nightly' }).getByText('report clerk').waitFor();
  await look(page, 'grant-keys');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a vendor offers its project to an address, and sees where the offer went until it is taken', async () => {
  const all = await team();
  const fir = await customer('Fir');
  const { page, complaints } = await visit(all.owner, pathOf(all.project, 'customers'));
  const send = async (to: string) => {
    await press(page, 'New customer');
    await page.getByLabel('ID of the organization, or email address of an Owner').fill(to);
    await press(page, 'Send the offer');
  };
  await send(fir.owner.email);
  await page.getByText(`The offer is on its way to ${fir.owner.email}.`).waitFor();
  await heading(page, fir.owner.email);
  await page.getByText('Can be accepted until').waitFor();
  await look(page, 'customer-by-mail');
  const mail = await waitForMail(signIns().stack.dataDir, fir.owner.email, 'grant-offer');
  await follow(page, 'All customers');
  await page.getByRole('link', { name: fir.owner.email }).waitFor();
  // One open offer for an address: the fault stands at the field.
  await send(fir.owner.email);
  await page.getByText('This address has an open offer of this project already.').waitFor();
  expect(await page.getByLabel('ID of the organization, or email address of an Owner').getAttribute('aria-invalid')).toBe('true');
  await look(page, 'customers-offer-mailed');

  const { items } = dataOf(await all.owner.client.get(`/api/project-grants?${inScope(all.project)}&status=offered`, all.owner.token));
  const answer = { scope: fir.organization, token: mail.data.token };
  dataOf(await fir.owner.client.post(`/api/project-grants/${items[0].id}/accept`, answer, fir.owner.token));
  await page.goto(new URL(pathOf(all.project, `customers/${items[0].id}`), page.url()).href);
  await heading(page, 'Fir');
  await page.getByText(fir.owner.email).waitFor();
  expect(await page.getByText('Can be accepted until').count()).toBe(0);
  expect(complaints.filter((one) => !one.includes('409'))).toStrictEqual([]);
});

testUnless(skip)('the page of an offer says so when its address wants no mails', async () => {
  const all = await team();
  const gum = await customer('Gum');
  dataOf(await gum.owner.client.post('/api/me/invitation-mails', { isWanted: false }, gum.owner.token));
  const { page } = await visit(all.owner, pathOf(all.project, 'customers'));
  await press(page, 'New customer');
  await page.getByLabel('ID of the organization, or email address of an Owner').fill(gum.owner.email);
  await press(page, 'Send the offer');
  await page.getByText(`${gum.owner.email} wants no invitation mails, so nothing was sent.`).waitFor();
  await look(page, 'customer-not-mailed');
});
