/** The first steps in the console: from an empty account to a decision. */
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, openOwnMenu, press, shareStack, signIns } from '../../support/browser/journey.ts';
import { look, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson } from '../../support/world.ts';

shareStack();

testUnless(skip)('a new person walks the first steps to a decision, and goes on where they were after a reload', async () => {
  const person = await createPerson(signIns().stack, { type: 'personal', name: 'Nora New' });
  const { page, complaints } = await visit(person);
  await page.getByText('0 of 8 steps done').waitFor();
  await look(page, 'first-run-panel');
  await page.getByRole('link', { name: 'Continue' }).click();
  await heading(page, 'First steps');
  await page.getByText('createSecondaryAccount').or(page.getByText('/api/me/accounts')).first().waitFor();
  await look(page, 'first-run');

  await page.getByLabel('Name', { exact: true }).fill('Oak & Co');
  await press(page, 'Create');
  await page.getByText('1 of 8 steps done').waitFor();
  await page.getByRole('button', { name: /Organization.*Done: Oak & Co/ }).waitFor();
  await press(page, 'Create');
  await page.getByText('2 of 8 steps done').waitFor();

  await page.reload();
  await page.getByText('2 of 8 steps done').waitFor();
  await page.getByText('TypeScript', { exact: true }).click();
  await page.getByText('await tessera.createResource(').waitFor();
  for (const done of ['3', '4', '5']) {
    await press(page, 'Create');
    await page.getByText(`${done} of 8 steps done`).waitFor();
  }
  await press(page, 'Create');
  await page.getByText('clientSecret', { exact: true }).waitFor();
  await page.getByLabel('I have kept it').check();
  await press(page, 'Done');
  await page.getByText('6 of 8 steps done').waitFor();
  await look(page, 'first-run-lines');
  await press(page, 'Create');
  await page.getByText('7 of 8 steps done').waitFor();
  await press(page, 'Ask');
  await page.getByText('Role Accountant → group Accountant → permission').waitFor();
  await page.getByText('You have everything').waitFor();
  await look(page, 'first-run-decision');
  await openOwnMenu(page);
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await page.keyboard.press('Escape');
  await heading(page, 'Erste Schritte');
  await look(page, 'first-run-german');

  await page.goto(at('/console'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('link', { name: 'Continue' }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('who hides the first steps does not see them again at the start', async () => {
  const person = await createPerson(signIns().stack, { name: 'Hilda Hides' });
  const { page, complaints } = await visit(person);
  await press(page, 'Hide');
  await page.getByRole('link', { name: 'Continue' }).waitFor({ state: 'detached' });
  await page.reload();
  await heading(page, 'Hello Hilda Hides');
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('link', { name: 'Continue' }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});
