/** Who sees what in the console, and what the API refuses to them. One stack serves all of it. */
import { expect } from '@jest/globals';
import { skip, type Visitor } from '../../support/browser/browser.ts';
import { at, heading, signIns, startStackOnce } from '../../support/browser/journey.ts';
import { inScope, type ScopeValue } from '../../support/client.ts';
import { keepPicture } from '../../support/console/inspect.ts';
import { allScreens, platformScreens, screensOf } from '../../support/console/screens.ts';
import { memberOf, pathOf, pick, platformAdministrator, type Team, team, visit } from '../../support/console/start.ts';
import { redirectUri } from '../../support/sign-in.ts';
import { testUnless } from '../../support/unless.ts';
import { createPerson, dataOf, type Person } from '../../support/world.ts';

startStackOnce();

type Role = 'Owner' | 'Admin' | 'Dev' | 'Viewer' | 'project user';
type Page = Visitor['page'];
/** A request that a screen sends, straight at the API. */
type Request = readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object];
type Task = {
  readonly button: string;
  readonly roles: readonly Role[];
  /** The same step at the API. Its things need not exist: rights are checked first. */
  readonly request: (team: Team) => Request;
  /** Makes one in the form that the button opens. Left out where one run would spoil the next. */
  readonly make?: (page: Page, name: string) => Promise<unknown>;
};

const newId = '0190a000-0000-7000-8000-00000000f00d';
const admins = ['Owner', 'Admin'] as const;
const makers = [...admins, 'Dev'] as const;
const named = (page: Page, name: string) => page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
const create = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();

async function makeNamed(page: Page, name: string): Promise<void> {
  await named(page, name);
  await create(page);
}
async function keepSecret(page: Page): Promise<void> {
  await page.getByLabel('I have kept it').check();
  await page.getByRole('button', { name: 'Done' }).click();
}

/** The main task of each screen, and who may do it (docs/permissions.md). */
const tasks: Readonly<Record<string, Task>> = {
  'organization-members': {
    button: 'Invite',
    roles: admins,
    request: ({ organization: scope }) => ['POST', 'organization-invitations/invite', { scope, email: 'x@example.com', roleId: newId }],
    make: async (page, name) => {
      await page.getByRole('dialog').getByLabel('Email address').fill(`${name}@example.com`);
      await pick(page, 'Role', 'Viewer');
      await page.getByRole('button', { name: 'Send invitation' }).click();
    },
  },
  'organization-projects': making('New project', 'projects', ({ organization }) => organization),
  'organization-roles': making('New role', 'roles', ({ organization }) => organization),
  'organization-groups': making('New group', 'groups', ({ organization }) => organization),
  'organization-permissions': {
    button: 'New permission',
    roles: makers,
    request: ({ organization: scope }) => ['POST', 'permissions', { scope, name: 'No', resourceId: newId, action: 'Query' }],
  },
  'organization-tags': making('New tag', 'tags', ({ organization }) => organization, { color: 'red' }),
  'organization-security': {
    button: 'Save',
    roles: admins,
    request: ({ organization }) => ['PATCH', `organizations/${organization.id}`, { scope: organization, security: {} }],
  },
  'organization-domains': {
    button: 'Add a domain',
    roles: admins,
    request: ({ organization: scope }) => ['POST', 'domains', { scope, domain: 'refused.example.com' }],
  },
  'organization-decisions': asking(({ organization }) => organization),
  'organization-webhooks': subscribing(({ organization }) => organization),
  'organization-audit': reading('Export', 'audit-events', ({ organization }) => organization, admins),
  'organization-settings': {
    button: 'Delete the organization',
    roles: ['Owner'],
    request: ({ organization }) => ['DELETE', `organizations/${organization.id}?${inScope(organization)}`],
  },
  'project-people': making('New person', 'users', ({ project }) => project, { roleIds: [] }),
  'project-resources': {
    ...making('New resource', 'resources', ({ project }) => project, { actions: ['read'] }),
    make: async (page, name) => {
      await named(page, name);
      await page.getByRole('combobox', { name: 'Actions' }).fill('read');
      await page.keyboard.press('Enter');
      await create(page);
    },
  },
  'project-roles': making('New role', 'roles', ({ project }) => project),
  'project-groups': making('New group', 'groups', ({ project }) => project),
  'project-permissions': {
    ...making('New permission', 'permissions', ({ project }) => project, { resourceId: newId, action: 'read' }),
    make: async (page, name) => {
      await named(page, name);
      await page.getByRole('combobox', { name: 'Resource' }).click();
      await page.getByRole('listbox').getByRole('option').first().click();
      await page.getByRole('combobox', { name: 'Action' }).click();
      await page.getByRole('listbox').getByRole('option').first().click();
      await create(page);
    },
  },
  'project-keys': {
    ...making('New API key', 'api-keys', ({ project }) => project, { roleId: newId }),
    make: async (page, name) => {
      await named(page, name);
      await pick(page, 'Role', 'Viewer');
      await create(page);
      await keepSecret(page);
    },
  },
  'project-apps': {
    ...making('New app', 'project-apps', ({ project }) => project, { redirectUris: ['https://a.example/'] }),
    make: async (page, name) => {
      await named(page, name);
      await page.getByRole('combobox', { name: 'Redirect URIs' }).fill(redirectUri);
      await create(page);
      await keepSecret(page);
    },
  },
  'project-signing-keys': {
    button: 'Rotate',
    roles: makers,
    request: ({ project }) => ['POST', 'signing-keys/rotate', { scope: project }],
  },
  'project-tags': making('New tag', 'tags', ({ project }) => project, { color: 'red' }),
  'project-decisions': asking(({ project }) => project),
  'project-webhooks': subscribing(({ project }) => project),
  'project-audit': reading('Export', 'audit-events', ({ project }) => project, admins),
  'project-settings': {
    button: 'Delete the project',
    roles: makers,
    request: ({ organization, project }) => ['DELETE', `projects/${project.id.split(':')[1]}?${inScope(organization)}`],
  },
};

function making(button: string, path: string, scopeOf: (team: Team) => ScopeValue, more: object = {}): Task {
  const request = (team: Team): Request => ['POST', path, { scope: scopeOf(team), name: 'Refused', ...more }];
  return { button, roles: makers, request, make: makeNamed };
}
function reading(button: string, path: string, scopeOf: (team: Team) => ScopeValue, roles: readonly Role[]): Task {
  return { button, roles, request: (team) => ['GET', `${path}?${inScope(scopeOf(team))}`] };
}
function subscribing(scopeOf: (team: Team) => ScopeValue): Task {
  const body = { url: 'https://hooks.example.com/in', eventTypes: ['*'] };
  return { button: 'New webhook', roles: admins, request: (team) => ['POST', 'webhooks', { scope: scopeOf(team), ...body }] };
}
/** To ask about another person. */
function asking(scopeOf: (team: Team) => ScopeValue): Task {
  const permission = { resource: 'Role', action: 'Query' };
  const request = (team: Team): Request => [
    ...(['POST', 'auth/is-authorized'] as const),
    { scope: scopeOf(team), permission, subject: { type: 'user', id: team.owner.userId } },
  ];
  return { button: 'Who may do this?', roles: admins, request };
}

/** What platform administrators do, which no role includes. */
function ofPlatform({ organization: { id } }: Team): readonly Request[] {
  return [
    ['GET', 'platform/tenants'],
    ['GET', 'platform/audit-events'],
    ['POST', `platform/tenants/${id}/suspend`, {}],
    ['POST', `platform/tenants/${id}/resume`, {}],
    ['PATCH', `platform/tenants/${id}`, { quotas: { members: 0 } }],
  ];
}

const ofAdmins = ['organization-audit', 'project-audit', 'organization-webhooks', 'project-webhooks', 'organization-domains'];
const hidden: Readonly<Record<Role, readonly string[]>> = {
  Owner: [],
  Admin: [],
  Dev: [...ofAdmins, 'organization-security'],
  'project user': [],
  Viewer: ['project-apps', 'project-signing-keys', 'organization-security', ...ofAdmins],
};
/** What a project gives to a person without a right in it. */
const bare = ['project-overview', 'project-decisions'];

async function personWith(role: Role, all: Team): Promise<Person> {
  if (role === 'Owner') return all.owner;
  return role === 'project user' ? projectUser(all) : memberOf(all, role);
}

/** Signs up through an app of the project, with an address that has an account already. */
async function projectUser({ owner, project }: Team): Promise<Person> {
  const { signInToApp, newUser, stack } = signIns();
  const create = async (path: string, body: object) => dataOf(await owner.client.post(path, { scope: project, ...body }, owner.token));
  const role = await create('/api/roles', { name: `Customer ${Math.random()}` });
  const app = await create('/api/project-apps', { name: 'Shop', redirectUris: [redirectUri], allowSignUp: true, signUpRoleId: role.id });
  const person = await createPerson(stack, { name: 'Paula Project' });
  await signInToApp(app, newUser({ email: person.email }));
  return person;
}

/** The navigation's links into the place; it is complete when the rights have arrived. */
async function expectAreas(page: Page, expected: readonly string[]): Promise<void> {
  const [place = ''] = expected;
  const read = `[...document.querySelectorAll('nav a[href]')].map((link) => link.getAttribute('href')).filter((path) => path.startsWith('${place}'))`;
  const isAsExpected = async () => JSON.stringify(await page.evaluate(read)) === JSON.stringify(expected);
  for (let tries = 0; tries < 50 && !(await isAsExpected()); tries += 1) await page.waitForTimeout(100);
  expect(await page.evaluate(read)).toStrictEqual(expected);
}

function send({ client, token }: Person, [method, path, body]: Request) {
  return client.call(method, `/api/${path}`, { token, body });
}

/** The button of the screen's task, once the screen has all that it shows. */
async function expectTask(page: Page, role: Role, name: string, { button, roles, make }: Task): Promise<void> {
  const found = page.getByRole('main').getByRole('button', { name: button, exact: true });
  const isExpected = roles.includes(role);
  if (isExpected) await found.first().waitFor();
  await page.waitForLoadState('networkidle');
  expect([role, name, (await found.count()) > 0]).toStrictEqual([role, name, isExpected]);
  if (make === undefined) return;
  if (!isExpected) {
    // The address of a form, from a person who may.
    await page.goto(`${page.url()}?do=create`);
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect([role, name, await page.getByRole('dialog').count()]).toStrictEqual([role, name, 0]);
    return;
  }
  const made = `${role} ${name}`.replaceAll(' ', '-');
  await found.first().click();
  await make(page, made);
  await page.getByText(made).first().waitFor();
}

testUnless(skip)('each screen of a place has its task here', async () => {
  const { organization, project } = await team();
  const screens = [...screensOf('organization', organization), ...screensOf('project', project)].map(({ name }) => name);
  expect(screens.filter((name) => !(name in tasks) && !name.endsWith('-overview')).sort()).toStrictEqual([]);
  expect(Object.keys(tasks).filter((name) => !screens.includes(name))).toStrictEqual([]);
});

for (const role of ['Owner', 'Admin', 'Dev', 'Viewer', 'project user'] as const)
  testUnless(skip)(`${role}: sees the screens of the role, does the task of each, and the API refuses the rest`, async () => {
    const all = await team();
    const person = await personWith(role, all);
    const { page, complaints, context } = await visit(person, pathOf(all.project));
    const places = role === 'project user' ? (['project'] as const) : (['project', 'organization'] as const);
    for (const kind of places) {
      const place = kind === 'project' ? all.project : all.organization;
      await page.goto(at(pathOf(place)));
      const screens = screensOf(kind, place);
      const expected = screens.filter(({ name }) => (role === 'project user' ? bare.includes(name) : !hidden[role].includes(name)));
      await expectAreas(
        page,
        expected.map(({ path }) => path),
      );
      for (const { name, path } of expected) {
        const task = tasks[name];
        if (task === undefined) continue;
        await page.goto(at(path));
        await page.locator('h1').first().waitFor();
        await expectTask(page, role, name, task);
      }
      for (const { path } of screens.filter((screen) => !expected.includes(screen))) {
        await page.goto(at(path));
        await heading(page, 'You may not see this');
      }
    }
    const refused = Object.entries(tasks).filter(([, { roles }]) => !roles.includes(role));
    for (const [name, { request }] of refused) {
      expect([role, name, (await send(person, request(all))).status]).toStrictEqual([role, name, 403]);
    }
    for (const request of ofPlatform(all)) {
      expect([role, request[1], (await send(person, request)).status]).toStrictEqual([role, request[1], 403]);
    }
    for (const { path } of platformScreens(all.organization.id)) {
      await page.goto(at(path));
      await heading(page, 'There is no such page');
      expect([role, await page.getByRole('link', { name: 'Tenants' }).count()]).toStrictEqual([role, 0]);
    }
    for (const { name, path } of allScreens(all).filter((screen) => /^(home|first|me)/.test(screen.name))) {
      await page.goto(at(path));
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect([role, name, complaints]).toStrictEqual([role, name, []]);
    }
    await page.goto(at(pathOf(all.project)));
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    await keepPicture(page, `as-${role.replace(' ', '-')}`);
    expect(complaints).toStrictEqual([]);
    await context.close();
  });

testUnless(skip)('a platform administrator sees the platform’s screens, and of tenants no more than these show', async () => {
  const all = await team();
  const administrator = await platformAdministrator();
  const { page, complaints, context } = await visit(administrator);
  await page.getByRole('link', { name: 'Tenants' }).waitFor();
  for (const { path } of platformScreens(all.organization.id)) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1, name: /^(Tenants|Platform’s audit log|Birch & Sons)$/ }).waitFor();
    await page.waitForLoadState('networkidle');
  }
  const inside = [...screensOf('organization', all.organization), ...screensOf('project', all.project)];
  for (const { path } of inside.filter(({ name }) => name in tasks && !/-(decisions|settings)$/.test(name))) {
    await page.goto(at(path));
    await heading(page, 'You may not see this');
  }
  for (const [name, { request }] of Object.entries(tasks)) {
    expect([name, (await send(administrator, request(all))).status]).toStrictEqual([name, 403]);
  }
  expect(complaints).toStrictEqual([]);
  await context.close();
});

testUnless(skip)('a screen that the role does not include says so, and where to ask', async () => {
  const all = await team();
  const viewer = await memberOf(all, 'Viewer');
  const { page, context } = await visit(viewer, pathOf(all.project, 'apps'));
  await heading(page, 'You may not see this');
  const stranger = await createPerson(signIns().stack);
  await context.close();
  const other = await visit(stranger, pathOf(all.organization, 'members'));
  await heading(other.page, 'You may not see this');
  await keepPicture(other.page, 'not-allowed');
  await other.context.close();
});
