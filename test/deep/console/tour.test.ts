/**
 * The tour of docs/console.md: every screen that it shows is walked on a real stack.
 * `TOUR_WRITE=1 npm run test:deep -- test/deep/console/tour` takes its pictures and writes it anew.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { skip } from '../../support/browser/browser.ts';
import { at, heading, open, press, signIn, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { type Shop as Made, makeShop, type Trade, trade } from '../../support/console/shop.ts';
import { pathOf, pick } from '../../support/console/start.ts';
import { testUnless } from '../../support/unless.ts';
import { PASSWORD } from '../../support/world.ts';

startStackOnce();

const isWriting = process.env['TOUR_WRITE'] === '1';
const document = join(repositoryFolder, 'docs', 'console.md');
const folder = join(repositoryFolder, 'docs', 'console');
const mostBytes = 500_000;

type Shop = Made & Trade;
type Stop = {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly path: (shop: Shop) => string;
  readonly heading: string;
  /** English when left out. */
  readonly language?: 'de';
  readonly before?: (page: Page) => Promise<unknown>;
};

const stops: readonly Stop[] = [
  {
    name: 'first-steps',
    title: 'First steps',
    text: 'Eight steps from nothing to the first decision. Each shows what is done already, and the lines of curl, GraphQL and TypeScript that do the same. It goes on where you left it, in any browser.',
    path: () => '/console/first-steps',
    heading: 'First steps',
    before: (page) => page.getByRole('button', { name: /Resource.*Done/ }).click(),
  },
  {
    name: 'organization',
    title: 'An organization',
    text: 'The areas of a place stand in groups: access, sign-in, apps and keys, what to observe, and the rest. Profile, language, theme and signing out are one menu at the foot, in view on a small screen too. The overview says how many members, projects and roles there are, what came last, the decisions of the last hours, and the structure at one look.',
    path: ({ organization }) => pathOf(organization),
    heading: 'Birch & Sons',
    before: (page) => page.locator('.structure').getByText('Viewer', { exact: true }).last().scrollIntoViewIfNeeded(),
  },
  {
    name: 'members',
    title: 'Members and invitations',
    text: 'Lists page, sort and search on the server; their state is in the address. A time is how long ago it was, and the pointer shows the exact one. Only what your role allows is offered. Up to a hundred addresses are invited at once, typed or pasted from a mail or a table. Rows that are ticked are changed, removed or revoked together, and each outcome is said. Members, invitations and people are a CSV file in one press, as the list is narrowed and sorted.',
    path: ({ organization }) => pathOf(organization, 'members'),
    heading: 'Members',
    before: (page) => page.getByRole('cell', { name: 'Ada Lovelace' }).waitFor(),
  },
  {
    name: 'project',
    title: 'A project',
    text: 'One product that you protect, with people, resources, roles, keys and apps of its own. Decisions and sign-ins over time are pictures with a table behind them.',
    path: ({ project }) => pathOf(project),
    heading: 'Web shop',
    before: (page) => page.getByText('Show as a table').first().scrollIntoViewIfNeeded(),
  },
  {
    name: 'customer',
    title: 'A customer',
    text: 'An organization that uses a project of yours: its state, what it may do, and its people with their roles. It is offered, by its id or by mail, suspended and ended here.',
    path: ({ project, grantId }) => pathOf(project, `customers/${grantId}`),
    heading: 'Cedar Freight',
    before: (page) => page.getByRole('region', { name: 'People with roles' }).getByText('cora@cedar.example').waitFor(),
  },
  {
    name: 'application',
    title: 'An application that you use',
    text: 'A product of another organization: what it offers, who of you has which role, and the way out. An offer is accepted by an Owner.',
    path: ({ organization, offerId }) => pathOf(organization, `applications/${offerId}`),
    heading: 'Route planner',
    before: (page) => page.getByText('Cedar Freight offers you Route planner').waitFor(),
  },
  {
    name: 'role',
    title: 'A role',
    text: 'What a role gives, from which group and under which condition, and who has it. In a project it is given to people here. Built-in roles say what they give, too.',
    path: ({ project, roleId }) => pathOf(project, `roles/${roleId}`),
    heading: 'Accountant',
    before: (page) => page.getByText('Approve own invoices').first().waitFor(),
  },
  {
    name: 'role-editor',
    title: 'The role editor',
    text: 'A role is a table of resources with a box for each action. A box that a group has ticked says so; groups are for what several roles give together, and are changed here as well. Before anything is saved, the editor names what is added and removed, in which group, and how many people it concerns. When another person has changed the same thing meanwhile, it shows both and asks.',
    path: ({ project, roleId }) => `${pathOf(project, `roles/${roleId}`)}?do=edit`,
    heading: 'Accountant',
    before: async (page) => {
      await press(page, 'Remove Approve own invoices');
      await pick(page, 'Add a group', 'Reports');
      await page.getByText(/^Concerns/).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'condition',
    title: 'A condition',
    text: 'Operators and paths as the server knows them, checked while you type by the code that the server runs, and tried against an example.',
    path: ({ project, permissionId }) => `${pathOf(project, 'permissions')}?do=edit&id=${permissionId}`,
    heading: 'Permissions',
    before: async (page) => {
      await pick(page, 'Path', 'context.ipAddress');
      await press(page, 'Add');
      await page.getByText('Try it against an example').click();
      await page.locator('.verdict[data-holds]').first().waitFor();
    },
  },
  {
    name: 'decision',
    title: 'A decision',
    text: 'A question about anyone, its answer, and the path to it: which role, group and permission allowed it, each value that was compared, and what would have to change.',
    path: ({ project, personId }) => `${pathOf(project, 'decisions')}?about=user:${personId}`,
    heading: 'Decisions',
    before: (page) => askAbout(page, { resource: 'Resource', action: 'Action', ask: 'Ask', target: 'The resource as conditions read it' }),
  },
  {
    name: 'decision-german',
    title: 'The same in German',
    text: 'Every text is in each language of the installation ([languages](languages.md)); the language and the theme follow the browser, until you choose.',
    path: ({ project, personId }) => `${pathOf(project, 'decisions')}?about=user:${personId}`,
    heading: 'Entscheidungen',
    language: 'de',
    before: (page) =>
      askAbout(page, { resource: 'Ressource', action: 'Aktion', ask: 'Fragen', target: 'Die Ressource, wie Bedingungen sie lesen' }),
  },
  {
    name: 'audit',
    title: 'The audit log',
    text: 'Every change, refusal and sign-in: who, when, from where, and what it was before. Filters are in the address; what they leave is a file in one press.',
    path: ({ organization }) => pathOf(organization, 'audit'),
    heading: 'Audit log',
    before: (page) =>
      page
        .getByRole('button', { name: /created the role/ })
        .first()
        .waitFor(),
  },
  {
    name: 'signing-keys',
    title: 'Signing keys',
    text: 'When each key was published, signed and was replaced. Rotation takes one press; verifiers follow by themselves.',
    path: ({ project }) => pathOf(project, 'signing-keys'),
    heading: 'Signing keys',
    before: (page) => page.getByText('Keys over time').waitFor(),
  },
  {
    name: 'sign-in',
    title: 'Your own ways to sign in',
    text: 'Password, providers, passkeys and authenticator apps, and where you are signed in.',
    path: () => '/console/me/sign-in',
    heading: 'Ways to sign in',
  },
];

type Journey = {
  readonly name: string;
  readonly from: (shop: Shop) => string;
  readonly heading: string;
  readonly clicks: number;
  readonly steps: string;
  readonly walk: (page: Page, shop: Shop) => Promise<unknown>;
};

/** What is done most, as a person does it: each click counts, and so do those in dialogs. */
const journeys: readonly Journey[] = [
  {
    name: 'The first app, with its secret kept',
    from: ({ project }) => pathOf(project),
    heading: 'Web shop',
    steps: 'Apps, New app, name and address, Create, keep the secret',
    clicks: 5,
    walk: async (page) => {
      await page.getByRole('link', { name: 'Apps', exact: true }).click();
      await press(page, 'New app');
      await page.getByLabel('Name', { exact: true }).fill('Shop');
      await page.getByRole('combobox', { name: 'Redirect URIs' }).fill('https://shop.example/signed-in');
      await press(page, 'Create');
      const dialog = page.getByRole('dialog', { name: 'Secret of Shop' });
      await dialog.getByLabel('I have kept it').check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await heading(page, 'Shop');
    },
  },
  {
    name: 'A colleague invited',
    from: ({ organization }) => pathOf(organization),
    heading: 'Birch & Sons',
    steps: 'Members, Invite, address and role, Send invitation',
    clicks: 5,
    walk: async (page) => {
      await page.getByRole('link', { name: 'Members', exact: true }).click();
      await press(page, 'Invite');
      await page.getByLabel('Email').fill('ida@birch.example');
      await pick(page, 'Role', 'Dev');
      await press(page, 'Send invitation');
      await page.getByRole('row').filter({ hasText: 'ida@birch.example' }).waitFor();
    },
  },
  {
    name: 'A role for one new resource, given to a person (23 clicks before)',
    from: ({ project }) => pathOf(project),
    heading: 'Web shop',
    steps: 'Roles, New role, New resource, its actions, a tick, a person, Create',
    clicks: 8,
    walk: async (page) => {
      await page.getByRole('link', { name: 'Roles', exact: true }).click();
      await press(page, 'New role');
      await page.getByLabel('Name', { exact: true }).fill('Storekeeper');
      await press(page, 'New resource');
      await page.getByLabel('Name of the resource').fill('Parcel');
      await page.getByRole('combobox', { name: 'Actions' }).fill('read');
      await page.keyboard.press('Enter');
      await press(page, 'Make the resource');
      await page.getByLabel('Parcel: read').check();
      await pick(page, 'Give it to', 'Olga Owner');
      await press(page, 'Create');
      await page.getByRole('cell', { name: 'Storekeeper' }).waitFor();
    },
  },
  {
    name: 'The first customer, offered a project',
    from: ({ project }) => pathOf(project),
    heading: 'Web shop',
    steps: 'Customers, New customer, address of an Owner, Send the offer',
    clicks: 3,
    walk: async (page) => {
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await press(page, 'New customer');
      await page.getByLabel('ID of the organization, or email address of an Owner').fill('dora@dune.example');
      await press(page, 'Send the offer');
      await page.getByText('offered', { exact: true }).waitFor();
    },
  },
];

/** By the name of the journey; of the document, when it is not written. */
type Seconds = ReadonlyMap<string, string>;

function writtenSeconds(): Seconds {
  const rows = readFileSync(document, 'utf8').matchAll(/^\| ([^|]+) \| [^|]+ \| \d+ \| ([\d.]+) \|$/gm);
  return new Map([...rows].map(([, name = '', seconds = '']) => [name, seconds]));
}

async function walkJourneys(page: Page, shop: Shop): Promise<Seconds> {
  const seconds = new Map<string, string>();
  for (const { name, from, heading: title, walk, clicks } of journeys) {
    await page.goto(at(from(shop)));
    await heading(page, title);
    await page.waitForLoadState('networkidle');
    await page.evaluate(
      "window.clicks = 0; addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.clicks += 1; }, true)",
    );
    const since = performance.now();
    await walk(page, shop);
    seconds.set(name, ((performance.now() - since) / 1_000).toFixed(1));
    expect([name, await page.evaluate('window.clicks')]).toStrictEqual([name, clicks]);
  }
  return seconds;
}

function journeyTable(seconds: Seconds): string[] {
  return [
    '',
    '## Journeys',
    '',
    'From the overview of the organization or project. Seconds are those of a machine that clicks without thinking, on two shared cores.',
    '',
    '| Journey | Steps | Clicks | Seconds |',
    '| --- | --- | --- | --- |',
    ...journeys.map(({ name, steps, clicks }) => `| ${name} | ${steps} | ${clicks} | ${seconds.get(name) ?? ''} |`),
    '',
    '`test/deep/console/tour.test.ts` walks and counts them; `test/browser/console/project.browser.test.ts` counts the role, too.',
    '',
  ];
}

function render(seconds: Seconds): string {
  return [
    '# The console',
    '',
    '<!-- Written with its pictures by `TOUR_WRITE=1 npm run test:deep -- test/deep/console/tour`. -->',
    '',
    'The console is at `/console`. It can do what the API can do for a person, as far as their rights go, in each language of the installation, light and dark, by keyboard too.',
    ...stops.flatMap(({ name, title, text }) => ['', `## ${title}`, '', text, '', `![${title}](console/${name}.jpg)`]),
    ...journeyTable(seconds),
  ].join('\n');
}

testUnless(skip)('docs/console.md shows screens that are there, in small pictures', async () => {
  const { stack } = signIns();
  const made = await makeShop(stack);
  const shop = { ...made, ...(await trade(stack, made)) };
  const { page, complaints } = await open({ viewport: { width: 1200, height: 760 }, deviceScaleFactor: 0.75, colorScheme: 'light' });
  await page.goto(at('/auth/sign-in?return_to=/console'));
  await signIn(page, shop.owner.email, PASSWORD);
  await page.waitForURL(at('/console'));
  if (isWriting) mkdirSync(folder, { recursive: true });
  for (const { name, path, heading: title, language = 'en', before } of stops) {
    await page.evaluate(`localStorage.setItem('tessera-language', '${language}')`);
    await page.goto(at(path(shop)));
    await heading(page, title);
    await before?.(page);
    await page.waitForLoadState('networkidle');
    if (isWriting) await page.screenshot({ path: join(folder, `${name}.jpg`), type: 'jpeg', quality: 48, animations: 'disabled' });
  }
  const seconds = await walkJourneys(page, shop);
  if (isWriting) writeFileSync(document, render(seconds));
  expect(readFileSync(document, 'utf8')).toBe(render(writtenSeconds()));
  expect(stops.reduce((sum, { name }) => sum + statSync(join(folder, `${name}.jpg`)).size, 0)).toBeLessThan(mostBytes);
  expect(complaints).toStrictEqual([]);
});

type Labels = { readonly resource: string; readonly action: string; readonly ask: string; readonly target: string };

async function askAbout(page: Page, { resource, action, ask, target }: Labels): Promise<void> {
  await pick(page, resource, 'Invoice');
  await page.getByRole('combobox', { name: action }).fill('approve');
  await page.getByLabel(target).fill('{ "ownerId": "another" }');
  await press(page, ask);
  await page.locator('.answer').waitFor();
  await page.locator('button[data-loading]').waitFor({ state: 'detached' });
}
