/** Apps in the console: made with a type, set up, tried, allowed by people, and ended. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, press, shareStack } from '../../support/browser/journey.ts';
import { inScope } from '../../support/client.ts';
import { choose, look, memberOf, pathOf, pick, type Team, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

const callback = 'https://shop.example/signed-in';

function issuerOf({ project }: Team): string {
  return at(pathOf(project).replace('/console', ''));
}

/** Keeps the secret that is shown, and closes the dialog. */
async function keepSecret(page: Page): Promise<{ clientId: string; clientSecret: string; issuer: string }> {
  const dialog = page.getByRole('dialog', { name: /^Secret of/ });
  await dialog.waitFor();
  expect(await dialog.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  const downloaded = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await downloaded).createReadStream()) chunks.push(Buffer.from(chunk));
  const kept = JSON.parse(Buffer.concat(chunks).toString());
  expect(await dialog.locator('code').allInnerTexts()).toStrictEqual([kept.issuer, kept.clientId, kept.clientSecret]);
  await dialog.getByLabel('I have kept it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  return kept;
}

/** How the token endpoint answers a machine that has this secret. */
async function tokenStatus({ issuer, clientId, clientSecret }: Awaited<ReturnType<typeof keepSecret>>): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  return (await fetch(`${issuer}/oauth/token`, { method: 'POST', headers: { authorization }, body })).status;
}

testUnless(skip)('an Owner makes a web app, sets it up, tries it, sees the consent, and withdraws it in both places', async () => {
  const all = await team();
  const { page, complaints, context } = await visit(all.owner, pathOf(all.project, 'apps'));
  await heading(page, 'Apps');
  await page.getByText('There are no apps yet.').waitFor();
  await look(page, 'apps-empty');
  await press(page, 'New app');
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  const uris = page.getByRole('combobox', { name: 'Redirect URIs' });
  await uris.fill('http://shop.example/plain');
  await press(page, 'Create');
  await page.getByRole('dialog').locator('[data-error="true"]').first().waitFor();
  await look(page, 'app-fault');
  await uris.press('Backspace');
  await uris.fill(callback);
  await page.getByText('More settings').click();
  await page.getByRole('combobox', { name: 'After sign-out' }).fill('https://shop.example/bye');
  await look(page, 'app-new');
  await press(page, 'Create');
  await page.getByRole('dialog', { name: 'Secret of Shop' }).waitFor();
  await look(page, 'app-secret');
  const kept = await keepSecret(page);
  expect(kept.issuer).toBe(issuerOf(all));
  await heading(page, 'Shop');
  await page.getByText(`…${kept.clientSecret.slice(-4)}`).waitFor();
  expect(await page.getByText(kept.clientSecret).count()).toBe(0);
  await page.getByText('No one has allowed it anything yet.').waitFor();
  await pick(page, 'Library', 'Spring Boot');
  await page.getByText(`issuer-uri: ${kept.issuer}`).waitFor();
  await pick(page, 'Library', 'openid-client');
  await look(page, 'app');

  await press(page, 'Edit claims');
  const claims = page.getByRole('dialog', { name: 'Claims' });
  await claims.getByRole('button', { name: 'Add a line' }).click();
  await claims.getByLabel('Name', { exact: true }).fill('email');
  await claims.getByLabel('Source').fill('user.metadata.city');
  await claims.getByRole('button', { name: 'Save' }).click();
  await claims.getByText('is a reserved name').waitFor();
  await look(page, 'app-claims-edit');
  await claims.getByLabel('Name', { exact: true }).fill('city');
  await claims.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('list', { name: 'Claims' }).getByText('user.metadata.city').waitFor();
  await look(page, 'app-claims');

  await press(page, 'Try the sign-in');
  const dialog = page.getByRole('dialog', { name: 'Try the sign-in to Shop' });
  await dialog.waitFor();
  await look(page, 'app-try');
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Try the sign-in' }).click();
  const tried = await opened;
  await heading(tried, 'Allow Shop?');
  await tried.getByText('See what you say about yourself: city').waitFor();
  await look(tried, 'app-claims-consent');
  await press(tried, 'Allow');
  await tried.getByRole('heading', { name: 'The app' }).waitFor();
  const answer = new URL(tried.url());
  expect([answer.origin + answer.pathname, answer.searchParams.get('iss'), answer.searchParams.has('code')]).toStrictEqual([
    callback,
    kept.issuer,
    true,
  ]);
  await tried.close();

  await page.reload();
  await page.getByRole('cell', { name: 'Olga Owner' }).waitFor();
  await look(page, 'app-consents');
  await choose(page, 'Olga Owner', 'Withdraw');
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('No one has allowed it anything yet.').waitFor();

  await press(page, 'Try the sign-in');
  const again = context.waitForEvent('page');
  await page.getByRole('dialog').getByRole('link', { name: 'Try the sign-in' }).click();
  await heading(await again, 'Allow Shop?');
  await press(await again, 'Allow');
  await (await again).getByRole('heading', { name: 'The app' }).waitFor();
  await page.goto(at('/console/me/apps'));
  await page.getByRole('cell', { name: 'Web shop · Birch & Sons' }).waitFor();
  await look(page, 'connected-apps');
  await choose(page, 'Shop', 'End');
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('Ended', { exact: true }).waitFor();
  await look(page, 'connected-apps-ended');
  expect(complaints).toStrictEqual([]);
});

const appsOf = async ({ owner, project }: Team): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  dataOf(await owner.client.get(`/api/project-apps?${inScope(project)}`, owner.token)).items;

testUnless(skip)('an app takes new organizations or new people, not both, and who may offer no project switches nothing on', async () => {
  const all = await team();
  const { page, complaints } = await visit(all.owner, pathOf(all.project, 'apps'));
  await press(page, 'New app');
  await page.getByLabel('Name', { exact: true }).fill('Docs');
  await page.getByRole('combobox', { name: 'Redirect URIs' }).fill(callback);
  const [people, organizations] = ['New people may sign up', 'New organizations may sign up'].map((name) =>
    page.getByRole('checkbox', { name }),
  );
  await people?.check();
  await organizations?.check();
  expect(await people?.isChecked()).toBe(false);
  await look(page, 'app-organizations');
  await press(page, 'Create');
  await keepSecret(page);
  await heading(page, 'Docs');
  await page.getByText('New organizations may sign up').waitFor();
  const [app] = (await appsOf(all)).filter(({ name }) => name === 'Docs');
  expect([app?.allowOrganizationSignUp, app?.allowSignUp]).toStrictEqual([true, false]);
  await press(page, 'Edit');
  await organizations?.uncheck();
  await press(page, 'Save');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await appsOf(all)).find(({ name }) => name === 'Docs')?.allowOrganizationSignUp).toBe(false);
  expect(complaints).toStrictEqual([]);

  const dev = await memberOf(all, 'Dev');
  const theirs = (await visit(dev, pathOf(all.project, 'apps'))).page;
  await press(theirs, 'New app');
  await theirs.getByRole('checkbox', { name: 'New people may sign up' }).waitFor();
  expect(await theirs.getByRole('checkbox', { name: 'New organizations may sign up' }).count()).toBe(0);
});

testUnless(skip)('a machine app gets a role and a secret, and its secret is replaced without a gap', async () => {
  const all = await team();
  const { page, complaints } = await visit(all.owner, pathOf(all.project, 'apps'));
  await press(page, 'New app');
  await page.getByLabel('Name', { exact: true }).fill('Nightly');
  await pick(page, 'Type', 'Machine');
  await press(page, 'Create');
  await page.getByText('Choose a role').waitFor();
  await pick(page, 'Role', 'Viewer');
  await page.getByRole('checkbox', { name: 'Acts for customers, too' }).check();
  await look(page, 'app-machine');
  await press(page, 'Create');
  const first = await keepSecret(page);
  expect(await tokenStatus(first)).toBe(200);
  await heading(page, 'Nightly');
  const [machine] = (await appsOf(all)).filter(({ name }) => name === 'Nightly');
  expect(machine?.actsInGrants).toBe(true);
  expect(await page.getByRole('button', { name: 'Try the sign-in' }).count()).toBe(0);
  await press(page, 'Add a secret');
  const second = await keepSecret(page);
  expect(second.clientSecret).not.toBe(first.clientSecret);
  expect([await tokenStatus(first), await tokenStatus(second)]).toStrictEqual([200, 200]);
  await page.reload();
  await page.getByRole('list', { name: 'Secrets' }).getByRole('listitem').nth(1).waitFor();
  await page.getByRole('figure', { name: 'Tokens over time' }).getByText('Got a token: 3', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a secret' }).count()).toBe(0);
  await look(page, 'app-two-secrets');
  const lastFour = first.clientSecret.slice(-4);
  await page.getByRole('button', { name: `Delete …${lastFour}` }).click();
  await page.getByLabel(/^Type/).fill(lastFour);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await press(page, 'Add a secret');
  await keepSecret(page);
  expect([await tokenStatus(first), await tokenStatus(second)]).toStrictEqual([401, 200]);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a browser app has no secret, an app with keys signs its requests, and the address keeps what is open', async () => {
  const all = await team();
  const { page, complaints } = await visit(all.owner, pathOf(all.project, 'apps'));
  await press(page, 'New app');
  await page.getByLabel('Name', { exact: true }).fill('Till');
  await pick(page, 'Type', 'Browser application');
  await page.getByRole('combobox', { name: 'Redirect URIs' }).fill('https://shop.example/till');
  await press(page, 'Create');
  await page.getByRole('link', { name: 'Till' }).click();
  await heading(page, 'Till');
  expect(await page.getByRole('heading', { name: 'Secrets' }).count()).toBe(0);
  await page.getByText("import { UserManager } from 'oidc-client-ts';").waitFor();
  await press(page, 'Edit');
  await page.getByLabel('Name', { exact: true }).fill('Cash desk');
  await press(page, 'Save');
  await heading(page, 'Cash desk');
  await page.getByRole('link', { name: 'All apps' }).click();

  await press(page, 'New app');
  await page.getByLabel('Name', { exact: true }).fill('Ledger');
  await page.getByRole('combobox', { name: 'Redirect URIs' }).fill('https://shop.example/ledger');
  await page.getByText('More settings').click();
  await pick(page, 'Client authentication', 'private_key_jwt');
  await press(page, 'Create');
  await page.getByText('Enter either keys as JSON, or an address.').waitFor();
  await page.getByLabel('Address of the keys').fill('https://shop.example/keys.json');
  await look(page, 'app-keys');
  await press(page, 'Create');
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.getByText('https://shop.example/keys.json').waitFor();
  await page.reload();
  await heading(page, 'Ledger');
  // The question can be left.
  await press(page, 'Delete');
  await press(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await press(page, 'Delete');
  await page.getByLabel(/^Type/).fill('Ledger');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await heading(page, 'Apps');
  await page.getByRole('link', { name: 'Cash desk' }).waitFor();
  expect(await page.getByRole('link', { name: 'Ledger' }).count()).toBe(0);
  await look(page, 'apps');
  expect(complaints).toStrictEqual([]);
});
