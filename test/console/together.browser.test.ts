/** Two people who edit the same thing: the second is told what the first has changed. */
import { expect } from '@jest/globals';
import { testUnless } from '../../tools/testing/unless.ts';
import { skip } from '../pages/browser.ts';
import { press, startStackOnce } from '../pages/journey.ts';
import { inScope } from '../system/client.ts';
import { createProject, dataOf } from '../system/world.ts';
import { choose, look, memberOf, pathOf, type Team, team, visit } from './start.ts';

startStackOnce();

/** Two people have the form of a project open; the first has saved a name and a description. */
async function bothEdit(all: Team, name: string) {
  const scope = await createProject(all.owner, all.organization, name);
  const id = scope.id.slice(scope.id.indexOf(':') + 1);
  const path = pathOf(all.organization, 'projects');
  const [first, second] = [await visit(all.owner, path), await visit(await memberOf(all, 'Admin'), path)];
  for (const { page } of [first, second]) {
    await choose(page, name, 'Edit');
    await page.getByLabel('Name', { exact: true }).waitFor();
  }
  await second.page.getByLabel('Name', { exact: true }).fill(`${name} of the second`);
  await first.page.getByLabel('Name', { exact: true }).fill(`${name} of the first`);
  await first.page.getByLabel('Description').fill('Written by the first');
  await press(first.page, 'Save');
  await first.page.getByRole('link', { name: `${name} of the first` }).waitFor();
  await press(second.page, 'Save');
  await second.page.getByRole('alert').getByText('This has changed meanwhile').waitFor();
  const { client, token } = all.owner;
  const read = async () => dataOf(await client.get(`/api/projects?${inScope(all.organization, `ids=${id}`)}`, token)).items[0];
  return { first, second, read };
}

testUnless(skip)('whoever saves second sees what changed, and saves theirs without losing the rest', async () => {
  const all = await team();
  const { first, second, read } = await bothEdit(all, 'Harbour');
  expect((await read()).name).toBe('Harbour of the first');
  const name = second.page.getByRole('alert').locator('dl').filter({ hasText: 'Name' });
  expect(await name.locator('dd').allInnerTexts()).toStrictEqual([
    expect.stringContaining('Harbour'),
    expect.stringContaining('Harbour of the first'),
    expect.stringContaining('Harbour of the second'),
  ]);
  await look(second.page, 'conflict');
  await press(second.page, 'Save mine');
  await second.page.getByRole('link', { name: 'Harbour of the second' }).waitFor();
  expect(await read()).toMatchObject({ name: 'Harbour of the second', description: 'Written by the first' });
  expect([...first.complaints, ...second.complaints]).toStrictEqual([]);
});

testUnless(skip)('whoever saves second takes over what the first wrote, and goes on from there', async () => {
  const { second, read } = await bothEdit(await team(), 'Canal');
  await press(second.page, 'Take over theirs');
  expect(await second.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Canal of the first');
  expect(await second.page.getByLabel('Description').inputValue()).toBe('Written by the first');
  await second.page.getByLabel('Name', { exact: true }).fill('Canal of both');
  await press(second.page, 'Save');
  await second.page.getByRole('link', { name: 'Canal of both' }).waitFor();
  expect(await read()).toMatchObject({ name: 'Canal of both', description: 'Written by the first' });
});
