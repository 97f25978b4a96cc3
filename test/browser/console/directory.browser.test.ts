/** The directory in the console: its address, its tokens, and what it has sent. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { heading, shareStack } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { look, pathOf, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

testUnless(skip)('an Owner sees the token of the directory and what it has sent, until the token is removed', async () => {
  const { owner, organization } = await team();
  const scope = { tenant: 'organization', id: organization.id };
  const { items } = dataOf(await owner.client.get(`/api/roles?${inScope(organization)}`, owner.token));
  const role = items.find(({ name }: { name: string }) => name === 'Provisioning');
  const account = dataOf(await owner.client.post('/api/service-accounts', { scope, name: 'Entra', roleIds: [role.id] }, owner.token));
  const made = dataOf(
    await owner.client.post(`/api/service-accounts/${account.id}/credentials`, { scope, type: 'directory' }, owner.token),
  );
  const { page, complaints } = await visit(owner, pathOf(organization, 'directory'));
  const origin = new URL(page.url()).origin;
  const ask = (path: string, body?: object) =>
    fetch(`${origin}/scim/v2/${organization.id}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${made.clientSecret}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await ask('/Users?count=1')).status).toBe(200);
  expect((await ask('/Users?filter=shoe eq 43')).status).toBe(400);
  const ada = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@elsewhere.example', password: 'Correct-horse-17' };
  expect((await ask('/Users', ada)).status).toBe(201);
  await heading(page, 'Directory');
  await until(async () => dataOf(await owner.client.get(`/api/directory-requests?${inScope(organization)}`, owner.token)).totalCount === 3);
  await page.reload();
  await page.getByText(`…${made.lastFour}`).waitFor();
  await look(page, 'directory');
  await page.getByRole('button', { name: 'POST /Users' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('[text of 16 characters]').waitFor();
  await look(page, 'directory-request');
  expect(
    (await fetch(`${origin}/api/roles?${inScope(organization)}`, { headers: { authorization: `Bearer ${made.clientSecret}` } })).status,
  ).toBe(401);
  await owner.client.delete(`/api/service-accounts/${account.id}/credentials/${made.id}?${inScope(organization)}`, owner.token);
  await until(async () => (await ask('/Users?count=1')).status === 401);
  await page.goto(page.url().replace(/directory.*/, 'audit'));
  await page
    .getByRole('cell', { name: `Service account ${account.id.slice(0, 8)}` })
    .first()
    .waitFor();
  expect(complaints).toStrictEqual([]);
});
