/** Service accounts in the console: made, given a secret, rotated by steps, ended. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, press, shareStack } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { look, memberOf, pathOf, pick, platformAdministrator, type Team, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf, tokenOfServiceAccount } from '../../support/world.ts';

shareStack();

type Lines = { readonly id: string; readonly secret: string };

/** Reads the lines for the .env file from the dialog that shows a secret once, and closes it. */
async function keepSecret(page: Page, name: string): Promise<Lines> {
  const dialog = page.getByRole('dialog', { name: `The secret of ${name}` });
  const text = await dialog.locator('pre').innerText();
  const [url, id = '', secret = ''] = text.split('\n').map((line) => line.slice(line.indexOf('=') + 1));
  expect(text.replaceAll(/=.*/g, '').split('\n')).toStrictEqual(['TESSERA_URL', 'TESSERA_CLIENT_ID', 'TESSERA_CLIENT_SECRET']);
  expect(url).toBe(new URL(page.url()).origin);
  await dialog.getByLabel('I have kept it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  return { id, secret };
}

async function makeSecret(page: Page, name: string): Promise<Lines> {
  await page.getByRole('dialog', { name: 'New credential' }).getByRole('button', { name: 'Make the secret' }).click();
  return keepSecret(page, name);
}

const accountsOf = async ({ owner, organization }: Team) =>
  dataOf(await owner.client.get(`/api/service-accounts?${inScope(organization)}`, owner.token)).items;

testUnless(skip)('an Owner makes one, gives it a secret, rotates it by the steps, and deletes it', async () => {
  const us = await team();
  const { page, complaints } = await visit(us.owner, pathOf(us.organization, 'service-accounts'));
  await heading(page, 'Service accounts');
  await page.getByText('No service accounts yet').waitFor();
  await look(page, 'service-accounts-none');

  await press(page, 'New service account');
  const form = page.getByRole('dialog', { name: 'New service account' });
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Enter a name').waitFor();
  await form.getByLabel('Name').fill('Nightly export');
  await form.getByLabel('Description').fill('Copies the invoices into the warehouse');
  await form.getByText('The chosen roles hold none of these operations.').waitFor();
  await form.getByRole('combobox', { name: 'Roles' }).click();
  const options = page.getByRole('listbox').getByRole('option');
  expect(await options.allInnerTexts()).toStrictEqual(['Admin', 'Dev', 'Viewer', 'Provisioning']);
  await options.filter({ hasText: 'Admin' }).click();
  await page.keyboard.press('Escape');
  await form.getByLabel('Change project grants, accept an offer').check();
  const networks = form.getByRole('combobox', { name: 'Allowed networks' });
  await networks.fill('203.0.113.0/33');
  await networks.press('Enter');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('“203.0.113.0/33” is no address and no network').waitFor();
  await look(page, 'service-account-form');
  await networks.press('Backspace');
  await networks.fill('127.0.0.0/8');
  await networks.press('Enter');
  await form.getByRole('button', { name: 'Create' }).click();

  await heading(page, 'Nightly export');
  const secret = page.getByRole('dialog', { name: 'New credential' });
  await secret.getByRole('button', { name: 'Make the secret' }).waitFor();
  await look(page, 'service-account-new-secret');
  await secret.getByRole('button', { name: 'Make the secret' }).click();
  await page.getByRole('dialog', { name: 'The secret of Nightly export' }).locator('pre').waitFor();
  await look(page, 'service-account-secret');
  const first = await keepSecret(page, 'Nightly export');
  const [account] = await accountsOf(us);
  expect(account).toMatchObject({
    name: 'Nightly export',
    clientId: first.id,
    elevated: ['ProjectGrant:Update'],
    allowedNetworks: ['127.0.0.0/8'],
  });
  await tokenOfServiceAccount(at(''), first.id, first.secret);

  await press(page, 'New credential');
  const second = await makeSecret(page, 'Nightly export');
  await page.getByText(`…${second.secret.slice(-4)} has not been used yet`).waitFor();
  await tokenOfServiceAccount(at(''), second.id, second.secret);
  await page.reload();
  await page.getByText(`Remove the first: …${first.secret.slice(-4)}.`).waitFor();
  await look(page, 'service-account');
  await press(page, `Remove …${first.secret.slice(-4)}`);
  await page.getByRole('dialog').getByText('are refused at once').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill(first.secret.slice(-4));
  await look(page, 'service-account-remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Make a second secret.').waitFor();
  await expect(tokenOfServiceAccount(at(''), first.id, first.secret)).rejects.toThrow('invalid_client');

  await press(page, 'Edit');
  const edit = page.getByRole('dialog', { name: 'Edit' });
  await edit.getByLabel('Name').fill('Weekly export');
  await edit.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Weekly export');
  await page.getByRole('link', { name: 'All service accounts' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Weekly export' });
  await row.getByText('Olga Owner').waitFor();
  await row.getByText(`with …${second.secret.slice(-4)}`).waitFor();
  await row.getByText('can get tokens').waitFor();
  await look(page, 'service-accounts');

  // By the keyboard alone.
  await row.getByRole('link', { name: 'Weekly export' }).focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Weekly export');
  await page.getByRole('button', { name: 'Delete', exact: true }).focus();
  await page.keyboard.press('Enter');
  const end = page.getByRole('dialog', { name: 'Delete Weekly export' });
  await end.getByText('It gets no token any more').waitFor();
  await page.keyboard.type('Weekly export');
  await look(page, 'service-account-delete');
  await page.keyboard.press('Enter');
  await page.getByText('No service accounts yet').waitFor();
  expect(await accountsOf(us)).toStrictEqual([]);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('one that does not exist says so, and a Dev sees none', async () => {
  const us = await team();
  const { page } = await visit(us.owner, pathOf(us.organization, 'service-accounts/00000000-0000-4000-8000-000000000000'));
  await page.getByText('There is no such page').waitFor();
  const dev = await visit(await memberOf(us, 'Dev'), pathOf(us.organization));
  await dev.page.getByRole('link', { name: 'Projects', exact: true }).first().waitFor();
  expect(await dev.page.getByRole('link', { name: 'Service accounts', exact: true }).count()).toBe(0);
});

testUnless(skip)(
  'keys and trust in an outer issuer are added without a secret, checked before they are sent, and removed by name',
  async () => {
    const us = await team();
    const { client, token } = us.owner;
    const admin = dataOf(await client.get(`/api/roles?${inScope(us.organization, 'search=Admin')}`, token)).items[0];
    const body = { scope: us.organization, name: 'Pipeline', roleIds: [admin.id] };
    const { id } = dataOf(await client.post('/api/service-accounts', body, token));
    const { page, complaints } = await visit(us.owner, pathOf(us.organization, `service-accounts/${id}`));
    await press(page, 'New credential');
    const form = page.getByRole('dialog', { name: 'New credential' });
    const add = () => form.getByRole('button', { name: 'Add', exact: true }).click();
    await pick(page, 'Kind', 'Trust in an outer issuer');
    await add();
    await form.getByText('“repository_id=” is no claim with a value').waitFor();
    const claims = form.getByLabel('What the token must say');
    await claims.fill('sub=repo:acme/*');
    await add();
    // The server says what would match.
    await form.getByText('names no repository').waitFor();
    await claims.fill('repository_id=74\nsub=repo:acme/api:environment:production');
    await look(page, 'service-account-trust');
    await add();
    const credentials = page.getByRole('list', { name: 'Credentials' });
    await credentials.getByText('repository_id = 74').waitFor();
    await form.waitFor({ state: 'detached' });

    await press(page, 'New credential');
    await pick(page, 'Kind', 'Keys (private_key_jwt)');
    const keys = form.getByLabel('Public keys (JWKS)');
    const key = { kty: 'OKP', crv: 'Ed25519', x: 'wuDskrMF-ceAulfSVYHs3eBg-9OyXzI3FnuE6CAab8k', kid: '2026-11' };
    await keys.fill(JSON.stringify({ ...key, d: 'x' }));
    await add();
    await form.getByText('This is a private key').waitFor();
    await keys.fill(JSON.stringify(key));
    await look(page, 'service-account-keys');
    await add();
    await credentials.getByText('OKP Ed25519 2026-11').waitFor();
    await form.waitFor({ state: 'detached' });
    const { credentials: made } = dataOf(await client.get(`/api/service-accounts/${id}?${inScope(us.organization)}`, token));
    expect(made).toMatchObject([
      {
        type: 'trust',
        issuer: 'https://token.actions.githubusercontent.com',
        audience: new URL(page.url()).origin,
        claims: { repository_id: '74' },
      },
      { type: 'jwks', jwks: { keys: [{ kid: '2026-11' }] } },
    ]);
    await look(page, 'service-account-credentials');
    await press(page, 'Remove token.actions.githubusercontent.com');
    await page.getByRole('dialog').getByRole('textbox').fill('token.actions.githubusercontent.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await credentials.getByText('repository_id = 74').waitFor({ state: 'detached' });
    expect(complaints).toStrictEqual([]);
  },
);

/** Makes one on the open list, gives it a secret, and shows when it was used. */
async function makeAndUse(page: Page, name: string, role?: string): Promise<void> {
  await heading(page, 'Service accounts');
  await press(page, 'New service account');
  const form = page.getByRole('dialog', { name: 'New service account' });
  await form.getByLabel('Name').fill(name);
  if (role !== undefined) {
    await form.getByRole('combobox', { name: 'Roles' }).click();
    await page.getByRole('listbox').getByRole('option', { name: role }).click();
    await page.keyboard.press('Escape');
  }
  await form.getByRole('button', { name: 'Create' }).click();
  await heading(page, name);
  const { id, secret } = await makeSecret(page, name);
  await tokenOfServiceAccount(at(''), id, secret);
  await page.getByRole('link', { name: 'All service accounts' }).click();
  await page
    .getByRole('row')
    .filter({ hasText: name })
    .getByText(`with …${secret.slice(-4)}`)
    .waitFor();
}

testUnless(skip)(
  'an account’s owner makes one that creates organizations, and an administrator one of the platform, and ends it',
  async () => {
    const us = await team();
    const { page, complaints } = await visit(us.owner, pathOf(us.owner.account, 'service-accounts'));
    await makeAndUse(page, 'Sign-up page', 'Organization Creator');
    await look(page, 'service-accounts-account');

    const administrator = await platformAdministrator();
    const { page: platform, complaints: others } = await visit(administrator, '/console/platform/service-accounts');
    await makeAndUse(platform, 'Provisioning');
    await platform.getByRole('row').filter({ hasText: 'Provisioning' }).getByText('Provisioner').waitFor();
    await look(platform, 'service-accounts-platform');
    await platform.getByRole('link', { name: 'Provisioning' }).click();
    await platform.getByRole('button', { name: 'Edit' }).click();
    const edit = platform.getByRole('dialog', { name: 'Edit' });
    await edit.getByLabel('Name').fill('Provisioning of customers');
    await edit.getByRole('button', { name: 'Save' }).click();
    await heading(platform, 'Provisioning of customers');
    await platform.getByRole('button', { name: 'Delete', exact: true }).click();
    await platform.getByRole('dialog').getByRole('textbox').fill('Provisioning of customers');
    await platform.keyboard.press('Enter');
    await heading(platform, 'Service accounts');
    await platform.getByText('Provisioning of customers').waitFor({ state: 'detached' });
    expect([complaints, others]).toStrictEqual([[], []]);
  },
);
