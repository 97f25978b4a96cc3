/** Who sees what in the console, and what the API refuses to them. One stack serves all of it. */
import { expect } from '@jest/globals';
import { testUnless } from '../../tools/testing/unless.ts';
import { skip, type Visitor } from '../pages/browser.ts';
import { at, heading, signIns, startStackOnce } from '../pages/journey.ts';
import { redirectUri } from '../system/sign-in.ts';
import { createPerson, dataOf, type Person } from '../system/world.ts';
import { keepPicture } from './inspect.ts';
import { screensOf } from './screens.ts';
import { memberOf, pathOf, type Team, team, visit } from './start.ts';

startStackOnce();

type Role = 'Owner' | 'Admin' | 'Dev' | 'Viewer' | 'project user';

/** What each may make on a screen of the organization or the project (interface.md section 6). */
const makers: Readonly<Record<string, { readonly button: string; readonly roles: readonly Role[] }>> = {
  'organization-members': { button: 'Invite', roles: ['Owner', 'Admin'] },
  'organization-projects': { button: 'New project', roles: ['Owner', 'Admin', 'Dev'] },
  'organization-roles': { button: 'New role', roles: ['Owner', 'Admin', 'Dev'] },
  'organization-groups': { button: 'New group', roles: ['Owner', 'Admin', 'Dev'] },
  'organization-permissions': { button: 'New permission', roles: ['Owner', 'Admin', 'Dev'] },
  'organization-tags': { button: 'New tag', roles: ['Owner', 'Admin', 'Dev'] },
  'project-people': { button: 'New person', roles: ['Owner', 'Admin', 'Dev'] },
  'project-resources': { button: 'New resource', roles: ['Owner', 'Admin', 'Dev'] },
  'project-keys': { button: 'New API key', roles: ['Owner', 'Admin', 'Dev'] },
  'project-apps': { button: 'New app', roles: ['Owner', 'Admin', 'Dev'] },
  'project-tags': { button: 'New tag', roles: ['Owner', 'Admin', 'Dev'] },
};
const audits = ['organization-audit', 'project-audit'];
const hidden: Readonly<Record<Role, readonly string[]>> = {
  ...{ Owner: [], Admin: [], Dev: [...audits, 'organization-security'], 'project user': [] },
  Viewer: ['project-apps', 'project-signing-keys', 'organization-security', ...audits],
};

/** The same steps straight at the API: what a screen does not offer, it refuses. */
function requestsOf({ organization, project }: Team): Readonly<Record<string, readonly [path: string, body: object]>> {
  const named = { name: `Refused ${Math.random()}` };
  return {
    'organization-members': ['organization-invitations/invite', { scope: organization, email: 'x@example.com', roleId: newId }],
    'organization-projects': ['projects', { scope: organization, ...named }],
    'organization-roles': ['roles', { scope: organization, ...named }],
    'organization-groups': ['groups', { scope: organization, ...named }],
    'organization-permissions': ['permissions', { scope: organization, ...named, resourceId: newId, action: 'Query' }],
    'organization-tags': ['tags', { scope: organization, ...named, color: 'red' }],
    'project-people': ['users', { scope: project, ...named, roleIds: [] }],
    'project-resources': ['resources', { scope: project, ...named, actions: ['read'] }],
    'project-keys': ['api-keys', { scope: project, ...named, roleId: newId }],
    'project-apps': ['project-apps', { scope: project, ...named, redirectUris: ['https://a.example/'] }],
    'project-tags': ['tags', { scope: project, ...named, color: 'red' }],
  };
}
const newId = '0190a000-0000-7000-8000-00000000f00d';

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
async function expectAreas(page: Visitor['page'], expected: readonly string[]): Promise<void> {
  const [place = ''] = expected;
  const read = `[...document.querySelectorAll('nav a[href]')].map((link) => link.getAttribute('href')).filter((path) => path.startsWith('${place}'))`;
  const isAsExpected = async () => JSON.stringify(await page.evaluate(read)) === JSON.stringify(expected);
  for (let tries = 0; tries < 50 && !(await isAsExpected()); tries += 1) await page.waitForTimeout(100);
  expect(await page.evaluate(read)).toStrictEqual(expected);
}

/** Goes to an area as people do: by the navigation. */
async function followArea(page: Visitor['page'], path: string): Promise<void> {
  await page.locator(`nav a[href="${path}"]`).first().click();
  await page.waitForURL((url) => url.pathname === path);
}

for (const role of ['Owner', 'Admin', 'Dev', 'Viewer', 'project user'] as const)
  testUnless(skip)(`${role}: sees the screens of the role, is offered what it may make, and the API refuses the rest`, async () => {
    const all = await team();
    const person = await personWith(role, all);
    const requests = requestsOf(all);
    const { page, complaints, context } = await visit(person, pathOf(all.project));
    const places = role === 'project user' ? (['project'] as const) : (['project', 'organization'] as const);
    for (const kind of places) {
      await page.goto(at(pathOf(kind === 'project' ? all.project : all.organization)));
      const screens = screensOf(kind, kind === 'project' ? all.project : all.organization);
      const open = ['overview', 'decisions', 'settings'].map((area) => `${kind}-${area}`);
      const expected = screens.filter(({ name }) => (role === 'project user' ? open.includes(name) : !hidden[role].includes(name)));
      await expectAreas(
        page,
        expected.map(({ path }) => path),
      );
      for (const { name, path } of expected) {
        const maker = makers[name];
        if (maker === undefined) continue;
        await followArea(page, path);
        await page.locator('.listing, .empty').first().waitFor();
        expect([role, name, await page.getByRole('button', { name: maker.button, exact: true }).count()]).toStrictEqual([
          ...[role, name, maker.roles.includes(role) ? 1 : 0],
        ]);
      }
    }
    for (const [name, { roles }] of Object.entries(makers)) {
      const [path, body] = requests[name] ?? ['', {}];
      if (roles.includes(role)) continue;
      expect([name, (await person.client.post(`/api/${path}`, body, person.token)).status]).toStrictEqual([name, 403]);
    }
    await keepPicture(page, `as-${role.replace(' ', '-')}`);
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
