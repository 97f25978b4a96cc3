/** A service account stays when the person who made it goes: the Owners are told, once. */
import { expect, test } from '@jest/globals';
import { inScope } from '../support/client.ts';
import { mailsTo, waitForMail } from '../support/mail.ts';
import { openStack } from '../support/shared-stack.ts';
import { addMember, builtInRole, createServiceAccount, createWorld, dataOf, type Person, tokenOfServiceAccount } from '../support/world.ts';

const stack = await openStack();
const world = await createWorld(stack);
const { owner, organization } = world;
const toOwner = async (template: string) => (await mailsTo(stack.dataDir, owner.email)).filter((mail) => mail.template === template);

async function giveRole({ userId }: Person, role: string): Promise<void> {
  const roleId = await builtInRole(owner, organization, role);
  dataOf(await owner.client.patch(`/api/organization-members/${userId}`, { scope: organization, roleId }, owner.token));
}

async function makeAs(maker: Person, role: string, name: string) {
  return createServiceAccount(stack.url, { owner: maker, organization }, role, { name });
}

test('it works on when its maker is removed, and one mail tells the Owners, with its roles and a link to it', async () => {
  const maker = await addMember(stack, owner, organization, 'Admin');
  const { id, clientSecret } = await makeAs(maker, 'Dev', 'Nightly export');
  dataOf(await owner.client.delete(`/api/organization-members/${maker.userId}?${inScope(organization)}`, owner.token));
  const { subject, text, data } = await waitForMail(stack.dataDir, owner.email, 'service-account-stays');
  expect(subject).toMatch(/^The service account "Nightly export" of ".+" stays$/);
  expect(text).toContain('It stays, with these roles: "Dev".');
  expect(data.url).toBe(`${stack.url}/console/org/${organization.id}/service-accounts/${id}`);
  expect(await tokenOfServiceAccount(stack.url, id, clientSecret)).toBeTruthy();
  // A person who goes twice is told of once: their own deletion is the second time.
  const next = await addMember(stack, owner, organization, 'Admin');
  const other = await makeAs(next, 'Viewer', 'Second export');
  dataOf(await maker.client.delete('/api/me/accounts', maker.token));
  dataOf(await next.client.delete('/api/me/accounts', next.token));
  await waitForMail(stack.dataDir, owner.email, 'service-account-stays', 1);
  const urls = (await toOwner('service-account-stays')).map(({ data: { url } }) => url?.split('/').at(-1));
  expect(urls).toStrictEqual([id, other.id]);
});

test('a maker who loses the right to make it is told of once, one who keeps it is not', async () => {
  const keeper = await addMember(stack, owner, organization, 'Admin');
  await giveRole(keeper, 'Owner');
  await makeAs(keeper, 'Dev', 'Kept');
  await giveRole(keeper, 'Admin');
  const maker = await addMember(stack, owner, organization, 'Admin');
  const { id } = await makeAs(maker, 'Dev', 'Watched');
  for (const role of ['Viewer', 'Admin', 'Viewer']) await giveRole(maker, role);
  const last = await addMember(stack, owner, organization, 'Admin');
  const second = await makeAs(last, 'Dev', 'Last');
  await giveRole(last, 'Dev');
  const template = 'service-account-maker-demoted';
  await waitForMail(stack.dataDir, owner.email, template, 1);
  const told = await toOwner(template);
  expect(told.map(({ data }) => data.url?.split('/').at(-1)).toSorted()).toStrictEqual([id, second.id].toSorted());
});
