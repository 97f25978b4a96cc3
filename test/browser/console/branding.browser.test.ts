/** Branding and mail texts: set in the console with a preview; pages of a sign-in show the face. */
import { expect } from '@jest/globals';
import { png } from '../../../services/identity/src/testing/pictures.ts';
import { look as lookAtPage, skip } from '../../support/browser/browser.ts';
import { at, heading, open, press, shareStack } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

const redirectUri = 'https://shop.example/signed-in';

testUnless(skip)('an Owner sets the face of an app, sees it before it is saved, and people see it as they sign in', async () => {
  const { owner, organization, project } = await team();
  const app = dataOf(
    await owner.client.post(
      '/api/project-apps',
      { scope: project, name: 'Dealer portal', type: 'web', redirectUris: [redirectUri], scopes: [] },
      owner.token,
    ),
  );
  const { page, complaints } = await visit(owner, pathOf(project, 'branding'));
  await heading(page, 'Branding');
  await pick(page, 'Branding of', 'Dealer portal');
  await page.getByLabel('Name', { exact: true }).fill('Birch Dealers');
  await page.getByLabel('Colour of buttons and links', { exact: true }).fill('#ffd43b');
  await page.getByText(/below 4.5: cannot be read/).waitFor();
  await look(page, 'branding-unreadable');
  await press(page, /^Use #/);
  await page.getByText(/can be read$/).waitFor();
  await page.getByLabel('Colour of buttons and links', { exact: true }).fill('#7a1f5c');
  await page.getByLabel('Background of the page, in light', { exact: true }).fill('#f6f1ea');
  await page.locator('input[type=file]').setInputFiles({ name: 'mark.png', mimeType: 'image/png', buffer: await png() });
  await page.getByLabel('Address of the terms').fill('https://birch.example/terms');
  await page.getByLabel('Address for help').fill('help@birch.example');
  await page.locator('.face-preview img').first().waitFor();
  expect(await page.locator('.face-preview header').first().innerText()).toBe('Birch Dealers');
  await look(page, 'branding');
  await press(page, 'Save');
  await page.getByText('Saved').first().waitFor();

  const visitor = await open();
  const query = new URLSearchParams({
    client_id: String(app.clientId),
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  await visitor.page.goto(at(`${pathOf(project).replace('/console', '')}/oauth/authorize?${query}`));
  await heading(visitor.page, 'Sign in to Dealer portal');
  await visitor.page.getByText('Birch Dealers').waitFor();
  await visitor.page.getByText('Sign-in by Tessera').waitFor();
  await lookAtPage(visitor.page, '60-branded-sign-in');
  const measured = `[getComputedStyle(document.querySelector('[type=submit]')).backgroundColor, document.querySelector('.face-logo').naturalWidth]`;
  expect(await visitor.page.evaluate(measured)).toStrictEqual(['rgb(122, 31, 92)', 512]);
  await visitor.page.getByRole('link', { name: 'Create account' }).click();
  await heading(visitor.page, 'Create your account for Dealer portal');
  await visitor.page.getByText('Birch Dealers').waitFor();
  await lookAtPage(visitor.page, '61-branded-sign-up');
  // Everyone can write such a link, so only pages of mails take the app.
  const pageOf = (path: string) => at(`${path}?${new URLSearchParams({ client_id: String(app.clientId) })}`);
  const header = visitor.page.locator('.frame > header');
  await visitor.page.goto(pageOf('/auth/reset-password'));
  await header.getByText('Birch Dealers').waitFor();
  for (const path of ['/invitations/accept', '/auth/sign-in']) {
    await visitor.page.goto(pageOf(path));
    await header.getByText('Tessera', { exact: true }).waitFor();
  }
  expect([complaints, visitor.complaints]).toStrictEqual([[], []]);

  const dev = await visit(await memberOf({ owner, organization, project }, 'Dev'), pathOf(project));
  await dev.page.getByRole('link', { name: 'Apps', exact: true }).first().waitFor();
  expect(await dev.page.getByRole('link', { name: 'Branding', exact: true }).count()).toBe(0);
});

testUnless(skip)(
  'an Owner writes the text of an invitation, sees it as it will be sent, sends a test, and returns to the standard one',
  async () => {
    const { owner, organization } = await team();
    const { page, complaints } = await visit(owner, pathOf(organization, 'mail-texts'));
    await heading(page, 'Mail texts');
    await page.getByText('Standard text', { exact: true }).waitFor();
    await page.getByLabel('Subject').fill('Come to {{organizationName}}');
    await page.getByLabel('Text', { exact: true }).fill('Hello, look at evil.example\n\n{{link}}');
    await page.getByText(/contains what a mail program makes a link of/).waitFor();
    await page.getByLabel('Text', { exact: true }).fill('Hello.\n\n{{link}}\n\nSee you soon.');
    const preview = page.locator('.mail-preview');
    await preview.getByText('Come to Acme').waitFor();
    await preview.getByText('See you soon.').waitFor();
    await look(page, 'mail-text');
    await press(page, 'Send a test to me');
    await page.getByText(`A test is on its way to ${owner.email}.`).waitFor();
    await press(page, 'Save');
    await page.getByText('Own text', { exact: true }).waitFor();
    await press(page, 'Return to the standard text');
    await page.getByRole('dialog').getByRole('button', { name: 'Return to the standard text' }).click();
    await page.getByText('Standard text', { exact: true }).waitFor();
    expect(await page.getByLabel('Subject').inputValue()).toBe('You are invited to "{{organizationName}}"');
    expect(complaints).toStrictEqual([]);
  },
);
