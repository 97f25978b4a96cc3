/** The area of platform administrators: tenants, their limits and suspension, and their log. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, follow, heading, press, shareStack } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { look, memberOf, platformAdministrator, team, visit } from '../../support/console/start.ts';
import { fakeCredentials } from '../../support/fake-provider/provider.ts';
import { testUnless } from '../../support/unless.ts';
import { createOrganization, createProject, dataOf } from '../../support/world.ts';

shareStack();

const moreThanOnePage = 26;

testUnless(skip)('an administrator finds a tenant, limits it, suspends and resumes it, and reads who did so', async () => {
  const { owner } = await team();
  // Others make tenants meanwhile.
  const name = `Platane ${randomUUID().slice(0, 8)}`;
  const organization = await createOrganization(owner, name);
  await createProject(owner, organization);
  const operator = await platformAdministrator();
  await Promise.all(Array.from({ length: moreThanOnePage }, (_, index) => createOrganization(owner, `Branch ${index}`)));
  const { page, complaints } = await visit(operator);
  await follow(page, 'Tenants');
  await heading(page, 'Tenants');
  await page.getByRole('button', { name: 'Page 2', exact: true }).click();
  await page.waitForURL(/page=2/);
  await page.getByRole('searchbox').fill(name);
  await page.getByRole('link', { name }).waitFor();
  await page.getByText('1 in total', { exact: true }).waitFor();
  await page.getByRole('searchbox').fill('');
  await page.getByText('1 in total', { exact: true }).waitFor({ state: 'detached' });
  await look(page, 'platform-tenants');
  await page.getByRole('searchbox').fill(name);
  await page.getByText('1 in total', { exact: true }).waitFor();
  await follow(page, name);
  await heading(page, name);

  await page.getByLabel('Projects', { exact: true }).fill('1');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
  const another = await owner.client.post('/api/projects', { scope: organization, name: 'One too many' }, owner.token);
  expect([another.status, another.body.code]).toStrictEqual([409, 'QUOTA_EXCEEDED']);

  // Another administrator is faster.
  const path = `/api/platform/tenants/${organization.id}`;
  dataOf(await operator.client.patch(path, { quotas: { members: 7 } }, operator.token));
  await page.getByLabel('Members', { exact: true }).fill('5');
  await press(page, 'Save');
  const members = page.getByRole('alert').locator('dl').filter({ hasText: 'Members' });
  await members.waitFor();
  expect((await members.locator('dd').allInnerTexts()).map((text) => text.split(/\s+/).slice(1).join(' '))).toStrictEqual([
    'Not set',
    '7',
    '5',
  ]);
  await press(page, 'Save mine');
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
  const read = async () => dataOf(await operator.client.get(`/api/platform/tenants?ids=${organization.id}`, operator.token)).items[0];
  expect((await read()).quotas).toStrictEqual({ members: 5, projects: 1, apiKeys: null, requestsPerMinute: null });

  await press(page, 'Suspend');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('unpaid');
  expect(await dialog.getByRole('button', { name: 'Suspend' }).isDisabled()).toBe(true);
  await dialog.getByLabel(`Type “${name}” to confirm`).fill(name);
  await look(page, 'platform-suspend');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Suspended since').waitFor();
  await dialog.waitFor({ state: 'detached' });
  const roles = () => owner.client.get(`/api/roles?${inScope(organization)}`, owner.token);
  const refused = await roles();
  expect([refused.status, refused.body.code]).toStrictEqual([403, 'TENANT_SUSPENDED']);
  await look(page, 'platform-tenant');

  await press(page, 'End the suspension');
  await dialog.getByRole('button', { name: 'End the suspension' }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor();
  expect((await roles()).status).toBe(200);

  await follow(page, 'What happened here');
  await heading(page, 'Platform’s audit log');
  await page.getByText('One tenant').waitFor();
  await page.getByRole('button', { name: /^Olivia Operator ended the suspension of / }).waitFor();
  await look(page, 'platform-log');
  await page.getByRole('button', { name: /^Olivia Operator suspended / }).click();
  await dialog.getByRole('row', { name: /suspensionReason nothing unpaid/ }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Action' }).fill('tenant.resumed');
  await page.getByRole('button', { name: /^Olivia Operator suspended / }).waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: /^Olivia Operator ended the suspension of / }).count()).toBe(1);
  const marks = await owner.client.get(`/api/audit-events?${inScope(organization, 'action=tenant.audit-log-read')}`, owner.token);
  expect(dataOf(marks).items[0]).toMatchObject({ actor: { id: operator.userId, name: 'Olivia Operator' } });
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('for an ordinary person the area does not exist, and the API refuses it', async () => {
  const all = await team();
  const admin = await memberOf(all, 'Admin');
  const { page, complaints } = await visit(admin, '/console/platform/tenants');
  await heading(page, 'There is no such page');
  await page.goto(at('/console/me'));
  await heading(page, 'Profile');
  await page.getByRole('link', { name: 'Where you are signed in' }).waitFor();
  expect(await page.getByRole('link', { name: 'Tenants' }).count()).toBe(0);
  const tenant = `tenants/${all.organization.id}`;
  const requests = [
    ...([
      ['GET', 'tenants'],
      ['GET', 'audit-events'],
      ['POST', `${tenant}/suspend`, {}],
      ['POST', `${tenant}/resume`, {}],
    ] as const),
    ['PATCH', tenant, { quotas: { members: 0 } }] as const,
  ];
  for (const [method, path, body] of requests) {
    const { status } = await admin.client.call(method, `/api/platform/${path}`, { token: admin.token, body });
    expect([path, status]).toStrictEqual([path, 403]);
  }
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an administrator reads which providers the installation has, and what to register there', async () => {
  const operator = await platformAdministrator();
  const { page, complaints } = await visit(operator);
  await follow(page, 'Identity providers');
  await heading(page, 'Identity providers');
  const shown = page.getByRole('region', { name: 'codehost' });
  await shown.getByText(fakeCredentials.clientId, { exact: true }).waitFor();
  await shown.getByText('OAuth 2.0').waitFor();
  await shown.getByText('/api/auth/codehost/callback').waitFor();
  expect(await page.content()).not.toContain(fakeCredentials.clientSecret);
  await look(page, 'platform-connections');
  expect(complaints).toStrictEqual([]);
});
