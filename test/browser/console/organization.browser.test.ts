/** An organization in the console: overview, members, projects, and what a Viewer sees of them. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { keepPicture, skip } from '../../support/browser/browser.ts';
import { at, heading, linkTo, openOwnMenu, press, shareStack } from '../../support/browser/journey.ts';
import { clickEverywhere } from '../../support/console/everyone.ts';
import { inspect } from '../../support/console/inspect.ts';
import { choose, look, memberOf, pathOf, pick, team, visit } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { until } from '../../support/until.ts';
import { builtInRole, PASSWORD } from '../../support/world.ts';

shareStack();

testUnless(skip)('an Owner sees the overview, finds a place with Ctrl-K, and switches language', async () => {
  const { owner, organization } = await team();
  const { page, complaints } = await visit(owner);
  await heading(page, 'Hello Olga Owner');
  await look(page, 'home');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search places' }).fill('birch');
  await page.getByRole('option', { name: /Birch & Sons/ }).waitFor();
  await look(page, 'finder');
  await page.keyboard.press('Enter');
  await heading(page, 'Birch & Sons');
  expect(page.url()).toBe(at(pathOf(organization)));
  await page.getByRole('link', { name: /^1\s*Projects/ }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Provisioning' }).getByText('for service accounts only').last().waitFor();
  await look(page, 'overview');
  await openOwnMenu(page);
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await page.getByRole('link', { name: 'Mitglieder', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('fr');
  await page.getByRole('link', { name: 'Membres', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Langue' }).selectOption('de');
  await page.getByRole('link', { name: 'Mitglieder', exact: true }).waitFor();
  expect(complaints).toStrictEqual([]);
});

/** Whether the whole of it is in the window, or in what scrolls around it. */
async function isSeen(thing: Locator, around?: Locator): Promise<boolean> {
  const window = { y: 0, height: thing.page().viewportSize()?.height ?? 0 };
  const [box, within] = await Promise.all([thing.boundingBox(), around === undefined ? window : around.boundingBox()]);
  return box !== null && within !== null && box.y >= within.y && box.y + box.height <= within.y + within.height;
}

testUnless(skip)('on a small laptop every area and what is one’s own are reached without scrolling the page', async () => {
  const { owner, project } = await team();
  const { page, complaints } = await visit(owner, pathOf(project, 'settings'));
  await heading(page, 'Settings');
  await page.setViewportSize({ width: 1366, height: 657 });
  await page.reload();
  const areas = page.getByRole('navigation', { name: 'Areas' });
  const here = areas.getByRole('link', { name: 'Settings' });
  await here.waitFor();
  // Far down in the list, and seen by a person who comes by a link.
  await until(() => isSeen(here, areas));
  for (const [list, first] of [
    ['Access', 'Roles'],
    ['Apps and keys', 'Apps'],
    ['Observe', 'Audit log'],
    ['General', 'Branding'],
  ] as const) {
    const link = areas.getByRole('list', { name: list, exact: true }).getByRole('link').first();
    expect((await link.innerText()).trim()).toBe(first);
    await link.scrollIntoViewIfNeeded();
    expect([first, await isSeen(link, areas)]).toStrictEqual([first, true]);
  }
  await page.getByRole('button', { name: /^Your account/ }).focus();
  await page.keyboard.press('Enter');
  for (const name of ['Profile', 'Sign out'] as const) {
    const own = page.getByRole('dialog').getByText(name, { exact: true });
    expect([name, await isSeen(own)]).toStrictEqual([name, true]);
  }
  await inspect(page, 'own-menu');
  expect(await page.evaluate('document.scrollingElement.scrollTop')).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement.innerText')).toContain(owner.email);

  await page.setViewportSize({ width: 360, height: 640 });
  await press(page, 'Menu');
  await page
    .getByRole('dialog', { name: 'Menu' })
    .getByRole('button', { name: /^Your account/ })
    .click();
  const out = page.getByRole('button', { name: 'Sign out' });
  await out.waitFor();
  expect(await isSeen(out)).toBe(true);
  await keepPicture(page, 'console-own-menu', 'narrow-light');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an Owner invites, changes a role, revokes, and removes by typing the name', async () => {
  const all = await team();
  const member = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(all.owner, pathOf(all.organization, 'members'));
  await heading(page, 'Members');
  await press(page, 'Invite');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The keyboard goes on where it was.
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Invite');
  await press(page, 'Invite');
  await press(page, 'Send invitation');
  await page.getByText('Choose a role.').waitFor();
  await look(page, 'members-invite');
  const invited = `${randomUUID()}@example.com`;
  await page.getByLabel('Email address').fill(invited);
  await pick(page, 'Role', 'Dev');
  await press(page, 'Send invitation');
  await page.getByRole('cell', { name: invited }).waitFor();
  expect(await linkTo(invited, 'invitation')).toContain('/invitations/accept');
  await look(page, 'members');
  const joined = page.getByRole('row').filter({ hasText: member.email }).getByRole('time');
  expect(await joined.innerText()).toMatch(/^(now|\d+ (minute|hour)s? ago)$/);
  const exact = String(await joined.getAttribute('datetime'));
  expect(Date.now() - Date.parse(exact)).toBeLessThan(3_600_000);
  expect(await joined.getAttribute('title')).toContain(String(new Date(exact).getFullYear()));

  await page.goto(at(pathOf(all.organization)));
  await page.getByRole('link', { name: 'and open invitations: 1' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: `${invited} (Invited)` })
    .waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: `Test Person (${member.email})` })
    .waitFor();
  await look(page, 'overview-invited');
  await page.goto(at(pathOf(all.organization, 'members')));
  await page.getByRole('cell', { name: invited }).waitFor();

  await page.getByRole('searchbox').fill(member.email);
  await page.getByRole('cell', { name: invited }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('q')).toBe(member.email);
  await choose(page, member.email, 'Change role');
  await pick(page, 'Role', 'Admin');
  await press(page, 'Save');
  await page.getByRole('cell', { name: 'Admin' }).waitFor();
  await choose(page, member.email, 'Remove');
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel(/^Type/).fill('Test Person');
  await look(page, 'members-remove');
  await remove.click();
  await page.getByText('Nothing matches.').waitFor();

  await press(page, 'Show all');
  await choose(page, invited, 'Revoke invitation');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke invitation' }).click();
  await page.getByRole('cell', { name: invited }).waitFor({ state: 'detached' });
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an Owner invites several: each gets one mail, what is refused is said, and only that is sent again', async () => {
  const all = await team();
  const { page, complaints } = await visit(all.owner, pathOf(all.organization, 'members'));
  const sent: string[] = [];
  let isFirst = true;
  await page.route('**/api/organization-invitations/invite', async (route) => {
    const { email } = route.request().postDataJSON() as { readonly email: string };
    if (isFirst) {
      isFirst = false;
      // As the gateway's limit answers.
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json: { error: { message: 'Slow down' } } });
    }
    sent.push(email);
    return route.continue();
  });
  const [ada, grace] = [`ada-${randomUUID()}@example.com`, `grace-${randomUUID()}@example.com`];
  await press(page, 'Invite');
  const field = page.getByLabel('Email address');
  await field.fill(`Lovelace, Ada <${ada}>; ${grace}, ${grace.toUpperCase()}\nnobody@localhost ${all.owner.email} bob <b>`);
  await pick(page, 'Role', 'Dev');
  await page.getByText('Addresses: 4. Named again, and counted once: 1.').waitFor();
  await press(page, 'Send 4 invitations');
  await page.getByText('No email address: bob, b').waitFor();
  expect(sent).toStrictEqual([]);
  await field.fill(`Name,Email\nAda,${ada}\n"Hopper, Grace",${grace}\nNobody,nobody@localhost\nOlga,${all.owner.email}`);
  await page.getByText('Addresses: 4. Of the table, only the column with addresses is read.').waitFor();
  await look(page, 'members-invite-several');
  await press(page, 'Send 4 invitations');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^The server asks to wait\./).waitFor();
  await keepPicture(page, 'console-members-inviting');
  await dialog.getByRole('heading', { name: 'Invited: 2' }).waitFor();
  await dialog.getByRole('heading', { name: 'Members, or invited already: 1' }).waitFor();
  await dialog.getByText('This person is a member already.').waitFor();
  await dialog.getByRole('heading', { name: 'Refused: 1' }).waitFor();
  expect(sent.toSorted()).toStrictEqual([ada, grace, 'nobody@localhost', all.owner.email].toSorted());
  await look(page, 'members-invited-several');
  await press(page, 'Try again: 1');
  await dialog.getByRole('button', { name: 'Done' }).waitFor();
  expect(sent.slice(4)).toStrictEqual(['nobody@localhost']);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: ada }).waitFor();
  expect(await linkTo(grace, 'invitation')).toContain('/invitations/accept');

  // What is on its way is stopped by closing the dialog, which then says how far it came.
  await page.unroute('**/api/organization-invitations/invite');
  await page.route(
    '**/api/organization-invitations/invite',
    (route) => void setTimeout(() => void route.fulfill({ status: 409, json: { error: 'Later', code: 'CONFLICT' } }), 3_000),
  );
  await press(page, 'Invite');
  await field.fill(Array.from({ length: 40 }, (_, index) => `late-${index}@example.com`).join(' '));
  await pick(page, 'Role', 'Dev');
  await press(page, 'Send 40 invitations');
  await dialog.getByRole('button', { name: 'Stop' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.getByRole('heading', { name: 'Not sent: 38' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await press(page, 'Invite');
  // The browser itself would be busy for a minute with so many lines.
  await field.focus();
  const isTaken = await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'someone@example.com\\n'.repeat(100_000));
    return document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  expect(isTaken).toBe(false);
  await page.getByText('This is too much text. At most 100 people are invited at once.').waitFor();
  expect(await field.inputValue()).toBe('');
  await field.fill(Array.from({ length: 101 }, (_, index) => `many-${index}@example.com`).join());
  await press(page, 'Send 101 invitations');
  await page.getByText('These are 101 addresses. At most 100 people are invited at once.').waitFor();
  await press(page, 'Cancel');
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('what is ticked is ended together: each outcome is said, and ticks end with what is in view', async () => {
  const all = await team();
  const { client, token } = all.owner;
  const admin = await memberOf(all, 'Admin');
  const [one, two, gone] = [await memberOf(all, 'Dev'), await memberOf(all, 'Dev'), await memberOf(all, 'Dev')];
  const { page, complaints } = await visit(admin, pathOf(all.organization, 'members'));
  const box = ({ email }: { readonly email: string }) => page.getByRole('row').filter({ hasText: email }).getByRole('checkbox');
  const bar = page.getByRole('region', { name: 'What is chosen' });
  await box(one).check();
  await box(two).check();
  await bar.getByText('2 chosen').waitFor();
  await look(page, 'members-ticked');
  await page.getByRole('searchbox').fill(one.email);
  await bar.waitFor({ state: 'detached' });
  await box(two).waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('');
  await box(two).waitFor();
  expect(await box(one).isChecked()).toBe(false);

  for (const person of [one, two]) await box(person).check();
  await bar.getByRole('button', { name: 'Change role' }).click();
  const dialog = page.getByRole('dialog', { name: 'Role of 2 members' });
  await pick(page, 'Role', 'Viewer');
  await dialog.getByRole('button', { name: 'Change role' }).click();
  await dialog.getByRole('heading', { name: 'Done: 2' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  for (const { email } of [one, two]) await page.getByRole('row').filter({ hasText: email }).getByText('Viewer').waitFor();
  expect(await box(one).isChecked()).toBe(false);

  const roleId = await builtInRole(all.owner, all.organization, 'Dev');
  const invited = [1, 2].map((number) => ({ email: `invited-${number}-${randomUUID()}@example.com` }));
  for (const { email } of invited)
    expect((await client.post('/api/organization-invitations/invite', { scope: all.organization, email, roleId }, token)).status).toBe(201);
  await page.reload();
  for (const invitation of invited) await box(invitation).check();
  expect(await bar.getByRole('button').allInnerTexts()).toStrictEqual([
    'Send the mail again',
    'Extend',
    'Revoke invitation',
    'Choose all on this page',
    'Choose none',
  ]);
  await bar.getByRole('button', { name: 'Revoke invitation' }).click();
  const revoke = page.getByRole('dialog', { name: 'Revoke 2 invitations?' });
  await revoke.getByRole('button', { name: 'Revoke invitation' }).click();
  await revoke.getByRole('heading', { name: 'Done: 2' }).waitFor();
  await revoke.getByRole('button', { name: 'Done' }).click();
  for (const invitation of invited) await box(invitation).waitFor({ state: 'detached' });

  // With oneself among them there is nothing left to do.
  await page.getByRole('checkbox', { name: 'Choose all on this page' }).check();
  await bar.getByText(/Nothing can be done with all of these at once\.$/).waitFor();
  await bar.getByRole('button', { name: 'Choose none' }).click();
  for (const person of [one, two, gone, all.owner]) await box(person).check();
  await bar.getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove 4 people?' });
  await page.getByLabel('Type “remove 4” to confirm').fill('remove 4');
  await look(page, 'members-remove-ticked');
  const scope = `?tenant=organization&scopeId=${all.organization.id}`;
  expect((await client.delete(`/api/organization-members/${gone.userId}${scope}`, token)).status).toBe(200);
  await remove.getByRole('button', { name: 'Remove' }).click();
  await remove.getByRole('heading', { name: 'Done: 2' }).waitFor();
  await remove.getByRole('heading', { name: 'Gone already: 1' }).waitFor();
  await remove.getByRole('heading', { name: 'Refused: 1' }).waitFor();
  await keepPicture(page, 'console-members-removed-ticked');
  await remove.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: two.email }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: all.owner.email }).waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a list is a file of all its pages without formulas, and ticked people get roles and are removed together', async () => {
  const all = await team();
  const scope = all.project;
  const names = [...Array.from({ length: 27 }, (_, index) => `Zoë ${String(index).padStart(2, '0')}`), '=cmd|Zoë "x", y'];
  for (const name of names) expect((await all.owner.client.post('/api/users', { scope, name }, all.owner.token)).status).toBe(201);
  const role = { scope, name: 'Storekeeper' };
  expect((await all.owner.client.post('/api/roles', role, all.owner.token)).status).toBe(201);
  const { page, complaints } = await visit(all.owner, pathOf(scope, 'people?q=Zoë&sort=name desc'));
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download CSV')]);
  expect(file.suggestedFilename()).toBe('people.csv');
  const text = await readFile(await file.path(), 'utf8');
  expect(text.startsWith('\uFEFFid,name,email,roleNames,memberRoleName,tagNames,createdAt\r\n')).toBe(true);
  const lines = text.trimEnd().split('\r\n').slice(1);
  expect(lines.length).toBe(28);
  expect(lines[0]).toMatch(/^"[\da-f-]{36}","Zoë 26","","","","","\d{4}-\d\d-\d\dT[\d:.]+Z"$/);
  expect(lines.filter((line) => line.includes(`"'=cmd|Zoë ""x"", y"`)).length).toBe(1);
  await page.getByText('Rows in the file: 28').waitFor();
  await look(page, 'people-file');

  // People of a project are ticked as members are.
  const box = (name: string) => page.getByRole('checkbox', { name: `Choose ${name}` });
  const bar = page.getByRole('region', { name: 'What is chosen' });
  const tickTwo = async () => {
    for (const name of ['Zoë 26', 'Zoë 25']) await box(name).check();
    await bar.getByText('2 chosen').waitFor();
  };
  await tickTwo();
  await bar.getByRole('button', { name: 'Give roles' }).click();
  const give = page.getByRole('dialog', { name: 'Roles for 2 people' });
  await pick(page, 'Project roles', 'Storekeeper');
  await give.getByText(/^They get these roles/).click();
  await give.getByRole('button', { name: 'Give roles' }).click();
  await give.getByRole('heading', { name: 'Done: 2' }).waitFor();
  await give.getByRole('button', { name: 'Done' }).click();
  await until(async () => (await page.getByRole('cell', { name: 'Storekeeper' }).count()) === 2);
  await tickTwo();
  await bar.getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove 2 people?' });
  await page.getByLabel('Type “remove 2” to confirm').fill('remove 2');
  await remove.getByRole('button', { name: 'Remove' }).click();
  await remove.getByRole('heading', { name: 'Done: 2' }).waitFor();
  await remove.getByRole('button', { name: 'Done' }).click();
  await page.getByText('26 in total').waitFor();
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an Owner looks at a member, ends their sessions, asks for a new password, blocks and unblocks', async () => {
  const all = await team();
  const member = await memberOf(all, 'Dev');
  const name = 'Test Person';
  const theirs = async () =>
    (await member.client.get(`/api/organizations/${all.organization.id}?scopeId=${all.organization.id}&tenant=organization`, member.token))
      .status;
  const { page, complaints } = await visit(all.owner, pathOf(all.organization, `members/${member.userId}`));
  await heading(page, name);
  await page.getByText('Roles in projects').waitFor();
  await look(page, 'member');
  for (const [button, said] of [
    ['End sessions', `The sessions of ${name} have ended here.`],
    ['Require a new password', `${name} has to choose a new password.`],
  ] as const) {
    await press(page, button);
    await page.getByRole('dialog').getByRole('button', { name: button }).click();
    await page.getByText(said).waitFor();
  }
  await press(page, 'Block');
  await page.getByLabel('Reason, for the audit log').fill('Lost a laptop');
  await look(page, 'member-block');
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
  await page.getByText(`${name} is blocked.`).waitFor();
  await page.getByText('Blocked since').waitFor();
  await look(page, 'member-blocked');
  expect(await theirs()).toBe(403);
  await press(page, 'Unblock');
  await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
  await page.getByText('Blocked since').waitFor({ state: 'detached' });
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('an Owner makes, renames and deletes a project', async () => {
  const { owner, organization } = await team();
  const { page, complaints } = await visit(owner, pathOf(organization, 'projects'));
  await press(page, 'New project');
  await page.getByLabel('Name', { exact: true }).fill('Warehouse');
  await press(page, 'Create');
  await choose(page, 'Warehouse', 'Edit');
  await page.getByLabel('Name', { exact: true }).fill('Store house');
  await press(page, 'Save');
  await page.getByRole('link', { name: 'Store house' }).waitFor();
  await look(page, 'projects');
  await choose(page, 'Store house', 'Delete');
  await page.getByLabel(/^Type/).fill('Store house');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('link', { name: 'Store house' }).waitFor({ state: 'detached' });
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a Viewer is offered nothing that the API would refuse', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, complaints } = await visit(viewer, pathOf(all.organization, 'members'));
  await page.getByRole('cell', { name: viewer.email }).waitFor();
  expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  await choose(page, viewer.email, 'Leave the organization');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(1);
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await page.getByRole('link', { name: 'Web shop' }).waitFor();
  expect(await page.getByRole('button', { name: 'New project' }).count()).toBe(0);
  expect(complaints).toStrictEqual([]);
});

testUnless(skip)('a session that ends elsewhere leads to the sign-in and back, with what was typed', async () => {
  const { owner, organization } = await team();
  const { page, context } = await visit(owner, pathOf(organization, 'projects'));
  await press(page, 'New project');
  await page.getByLabel('Name', { exact: true }).fill('Half typed');
  const address = page.url();
  await context.clearCookies();
  await page.reload();
  await heading(page, 'Sign in to Tessera');
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(page, 'Sign in');
  await page.waitForURL(address);
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half typed');
});

// Always the same clicks; the deep suites try others.
testUnless(skip)('clicks on some screens, at random, leave no error in the log of the page or the services', () =>
  clickEverywhere({
    isWanted: (name) => /^organization-(roles|members|decisions)$/.test(name),
    seed: 335_906,
    clicks: 40,
    isInspected: false,
  }),
);
