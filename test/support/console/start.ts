/** People of an organization and their browsers: what every test of the console starts from. */
import { expect } from '@jest/globals';
import pg from 'pg';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { grant } from '../../../tools/platform/administrators.ts';
import { look as lookAt, type Visitor } from '../browser/browser.ts';
import { at, open, signIns } from '../browser/journey.ts';
import type { ScopeValue } from '../client.ts';
import { addMember, createOrganization, createPerson, createProject, PASSWORD, type Person } from '../world.ts';

export type Team = { readonly owner: Person; readonly organization: ScopeValue; readonly project: ScopeValue };

let made: Promise<Team> | undefined;

/** One organization with one project for all tests of a file. */
export function team(): Promise<Team> {
  made ??= makeTeam();
  return made;
}

async function makeTeam(): Promise<Team> {
  const owner = await createPerson(signIns().stack, { name: 'Olga Owner' });
  const organization = await createOrganization(owner, 'Birch & Sons');
  return { owner, organization, project: await createProject(owner, organization, 'Web shop') };
}

export async function memberOf({ owner, organization }: Team, role: string): Promise<Person> {
  return addMember(signIns().stack, owner, organization, role);
}

/** A person whom the command line has made an administrator of the platform. */
export async function platformAdministrator(): Promise<Person> {
  const { stack } = signIns();
  const person = await createPerson(stack, { name: 'Olivia Operator' });
  const database = new pg.Client({ connectionString: stack.adminDatabaseUrl, options: '-c search_path=identity' });
  await database.connect();
  await grant(database, person.email).finally(() => database.end());
  return person;
}

/** The path of an organization or a project in the console. */
export function pathOf({ tenant, id }: ScopeValue, area = ''): string {
  const [parent, project] = id.split(':');
  const kind = tenant.startsWith('organization') ? 'org' : 'acc';
  const place = project === undefined ? `/console/${kind}/${parent}` : `/console/${kind}/${parent}/prj/${project}`;
  return area === '' ? place : `${place}/${area}`;
}

/**
 * A browser in which a person is signed in, on a page of the console. The form is left out: the
 * tests of the pages fill it in (test/browser/pages).
 */
export async function visit({ email }: Person, path = '/console', options: BrowserContextOptions = {}): Promise<Visitor> {
  const visitor = await open(options);
  const { context, page } = visitor;
  const signedIn = await context.request.post(at('/api/auth/login'), {
    // A session belongs to a device: the browser's, not that of the tool.
    headers: { 'user-agent': String(await page.evaluate('navigator.userAgent')) },
    data: { provider: 'email', providerId: email, providerData: { password: PASSWORD } },
  });
  expect(signedIn.status()).toBe(200);
  await page.goto(at(path));
  return visitor;
}

export function look(page: Page, name: string): Promise<void> {
  return lookAt(page, `console-${name}`);
}

/** Opens the menu of the row that shows a text, and chooses. */
export async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: row }).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Chooses in one of Mantine's selects. */
export async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.getByRole('listbox').getByRole('option', { name: option }).first().click();
}
