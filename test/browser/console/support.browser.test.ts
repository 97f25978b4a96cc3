/** A supporter acts as a person of a customer: request, mail, consent, banner on each page, end. */
import { expect } from '@jest/globals';
import { keepPicture, skip } from '../../support/browser/browser.ts';
import { at, heading, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { choose, look, pathOf, team, visit } from '../../support/console/start.ts';
import { waitForMail } from '../../support/mail.ts';
import { testUnless } from '../../support/unless.ts';
import { addMember, createOrganization, createPerson, dataOf } from '../../support/world.ts';

shareStack();

testUnless(skip)('a supporter asks, the organization allows it, a banner stands on every page, and the person ends it', async () => {
  const all = await team();
  const { stack } = signIns();
  const boss = await createPerson(stack, { name: 'Clara Customer' });
  const acme = await createOrganization(boss, 'Acme Trading');
  const person = await addMember(stack, boss, acme, 'Admin');
  const make = async (path: string, body: object) =>
    dataOf(await all.owner.client.post(`/api/${path}`, { scope: all.project, ...body }, all.owner.token));
  const resource = await make('resources', { name: 'Order', slug: 'order', actions: ['read'], createPermissions: true });
  const group = await make('groups', { name: 'order readers', permissionIds: [resource.permissions[0].id] });
  const role = await make('roles', { name: 'order reader', groupIds: [group.id] });
  const grant = await make('project-grants', { organizationId: acme.id });
  dataOf(await boss.client.post(`/api/project-grants/${grant.id}/accept`, { scope: acme }, boss.token));
  const place = { tenant: 'organizationProject', id: `${acme.id}:${all.project.id.slice(37)}` };
  dataOf(await boss.client.patch(`/api/users/${person.userId}`, { scope: place, roleIds: [role.id] }, boss.token));

  const supporter = await visit(all.owner, pathOf(all.project, `customers/${grant.id}`));
  const { page } = supporter;
  await heading(page, 'Acme Trading');
  await press(page, 'Ask to act as');
  await page.getByLabel('Reason').fill('See https://evil.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Ask to act as' }).click();
  await page.getByText('must not contain an address of the web').waitFor();
  await page.getByLabel('Reason').fill('The list of orders stays empty');
  await look(page, 'support-ask');
  await page.getByRole('dialog').getByRole('button', { name: 'Ask to act as' }).click();
  await page.getByText('The customer is asked.').waitFor();

  const mail = await waitForMail(stack.dataDir, boss.email, 'support-requested');
  expect(mail.text).toContain('"The list of orders stays empty"');
  const decider = await visit(boss, new URL(String(mail.data.url)).pathname);
  const theirs = decider.page;
  await heading(theirs, 'Support access');
  await theirs.getByText('The list of orders stays empty').waitFor();
  await look(theirs, 'support-requested');
  await choose(theirs, 'The list of orders stays empty', 'Allow it');
  await look(theirs, 'support-allow');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Allow it' }).click();
  await theirs.getByText('It is allowed.').waitFor();

  await page.goto(at(pathOf(all.project, 'support')));
  await choose(page, 'The list of orders stays empty', 'Act as');
  const banner = page.getByRole('region', { name: 'You act as somebody else' });
  await banner.waitFor();
  await page.getByText('reading only, until').waitFor();
  await look(page, 'support-acting');
  for (const area of ['members', 'applications', 'roles']) {
    await page.goto(at(pathOf(acme, area)));
    await banner.waitFor();
    expect(await page.getByRole('button', { name: /^(Invite|New role)/ }).count()).toBe(0);
  }
  // The developers' pages would send requests as the supporter, so they offer nothing here.
  await page.goto(at('/graphql'));
  await page.getByText('This tab acts as somebody else, for support.').waitFor();
  expect(await page.getByRole('button', { name: 'Use my console session' }).count()).toBe(0);
  await page.goto(at('/console/me'));
  await banner.waitFor();
  // A page of the person’s own that may not be shown says so, below the banner.
  await page.goto(at('/console/me/sessions'));
  await banner.waitFor();
  await page.getByText('You act as somebody else, for support.').first().waitFor();
  await keepPicture(page, 'console-support-refused');

  const own = await visit(person, '/console/me/apps');
  await own.page.getByText('The list of orders stays empty').waitFor();
  await own.page.getByText('Acts now').waitFor();
  await look(own.page, 'support-mine');
  await choose(own.page, 'The list of orders stays empty', 'End it');
  await own.page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await own.page.getByText('It is over.').waitFor();
  // The tab of the supporter, untouched, leads back to the own session.
  await page.waitForURL(`**${pathOf(all.project, 'support')}`);
  await page.getByText('by the person').waitFor();
  expect(await banner.count()).toBe(0);
  await look(page, 'support-over');
  for (const { complaints } of [supporter, decider, own]) expect(complaints).toStrictEqual([]);
});
