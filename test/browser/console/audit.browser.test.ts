/** The audit log in the console: filters, what changed, the file, and one's own activity. */
import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, press, shareStack } from '../../support/browser/journey.ts';
import { look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { dataOf } from '../../support/world.ts';

shareStack();

testUnless(skip)('an Owner reads what changed, narrows it to a person and to refusals, and takes it as a file', async () => {
  const all = await team();
  const { owner, organization } = all;
  const viewer = await memberOf(all, 'Viewer');
  const tag = dataOf(await owner.client.post('/api/tags', { scope: organization, name: 'Urgent', color: 'red' }, owner.token));
  dataOf(await owner.client.patch(`/api/tags/${tag.id}`, { scope: organization, name: 'Very urgent', color: 'orange' }, owner.token));
  await viewer.client.post('/api/tags', { scope: organization, name: 'No', color: 'red' }, viewer.token);

  const { page, complaints } = await visit(owner, pathOf(organization, 'audit'));
  await heading(page, 'Audit log');
  // Names and a sentence; the row as it was recorded is one click away.
  const changed = page.getByRole('button', { name: 'Olga Owner changed the tag Very urgent' });
  await changed.waitFor();
  await page.getByRole('button', { name: 'Olga Owner created the tag Urgent' }).waitFor();
  await look(page, 'audit');

  await changed.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: /name Urgent Very urgent/ }).waitFor();
  await dialog.getByRole('row', { name: /color red orange/ }).waitFor();
  await dialog.getByText('tag.updated').waitFor();
  await dialog.getByText(new RegExp(`Tag Very urgent ${tag.id}`)).waitFor();
  await look(page, 'audit-event');
  await press(page, 'Only of this person');
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('actor')).toBe(owner.userId);
  await page.getByText('One person').waitFor();

  await press(page, 'Clear filters');
  await pick(page, 'Outcome', 'Refused');
  await changed.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Test Person tried: Tag: created.*Refused/ }).waitFor();
  await look(page, 'audit-refused');

  await press(page, 'Export');
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'As CSV' }).click()]);
  const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  expect(head).toMatch(/^id,at,action,outcome,reason/);
  expect(lines.every((line) => line.includes('"refused"'))).toBe(true);

  // Typed slowly, the field keeps the focus while the list follows.
  const action = page.getByRole('combobox', { name: 'Action' });
  await action.pressSequentially('tag: chan', { delay: 120 });
  await page.getByRole('option', { name: 'Tag: changed tag.updated' }).click();
  await page.waitForURL(/action=tag\.updated/);
  await press(page, 'Clear filters');
  await changed.waitFor();
  expect(await action.inputValue()).toBe('');
  await action.fill('role.never');
  await page.getByText('Nothing matches.').waitFor();
  await look(page, 'audit-nothing');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a Viewer is not shown the log, and reads their own activity', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.organization));
  await page.getByRole('link', { name: 'Members', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  await page.goto(at('/console/me/activity'));
  await heading(page, 'Activity');
  await page.getByRole('button', { name: 'Test Person accepted an invitation' }).waitFor();
  await look(page, 'activity');
  expect(complaints).toStrictEqual([]);
});
