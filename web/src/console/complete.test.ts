/** What the API can do for a person, a screen or a page offers; the rest says why it does not. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryFolder } from '../../../tools/stack/repository.ts';

const web = join(repositoryFolder, 'web', 'src');

/** Operations of the client that no screen calls, and why. */
const notOnScreens: Readonly<Record<string, string>> = {
  deleteMyConsent: 'deleteMyAgent ends the same, and what came from it',
  listMyConsents: 'listMyAgents shows the same, and what acts by exchange',
  getConnectionTest: 'the list of tests contains it',
  createCustomer: 'a back end makes customers: docs/guides/sign-up-form.md',
  createPlatformOrganization: 'a back end makes organizations: docs/guides/sign-up-form.md',
  exchangeSupportAccess: 'a tab that acts asks it of the own session (ownTessera): web/src/session/tessera.ts',
  exchangeApiKey: 'a program exchanges its key for a token',
  getAccount: 'the profile that every screen has read contains the accounts',
  getDomain: 'the list of domains, asked for one id, contains the same',
  getProjectGrant: 'the list of grants, asked for one id, contains it',
  getUser: 'the list of people, asked for one id, contains more of them',
  importUsers: 'the command line takes thousands of people over, in parts and with a report',
  listAccounts: 'the profile that every screen has read contains the accounts',
  listMyAccounts: 'the profile that every screen has read contains the accounts',
  listOrganizationInvitations: 'the list of members contains the invitations',
  logout: 'the client signs out (signOut), which calls it',
  logoutMe: 'the client signs out (signOut)',
  refreshSession: 'the client renews its token by itself',
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string; readonly 'x-service'?: string }>>>>;
};
const document = JSON.parse(readFileSync(join(repositoryFolder, 'docs', 'openapi.json'), 'utf8')) as Document;
const routes = readFileSync(join(repositoryFolder, 'packages', 'client', 'src', 'generated', 'routes.ts'), 'utf8');
const operations = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  .filter((name) => routes.includes(`  ${name}: '`));

/** By operation: the files of screens and pages that call it. */
function callers(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync('**/*.{ts,tsx}', { cwd: web }).filter((name) => !name.includes('.test.'))) {
    for (const [, name = ''] of readFileSync(join(web, file), 'utf8').matchAll(/\btessera\s*\.(\w+)\(/g)) {
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}

test('each operation of the API is on a screen, or says why not', () => {
  const called = callers();
  expect(operations.length).toBeGreaterThan(90);
  expect(operations.filter((name) => !called.has(name) && !(name in notOnScreens))).toStrictEqual([]);
});

test('no reason stands here that is out of date', () => {
  const called = callers();
  const names = Object.keys(notOnScreens);
  expect(names.filter((name) => called.has(name) || !operations.includes(name))).toStrictEqual([]);
});

test('each PATCH that a screen sends carries the version that the person has seen', () => {
  const changes = [...routes.matchAll(/ {2}(\w+): 'PATCH/g)].map(([, name = '']) => name);
  const files = globSync('**/*.{ts,tsx}', { cwd: web }).map((name) => readFileSync(join(web, name), 'utf8'));
  const bare = changes.filter((name) =>
    files.some((text) =>
      [...text.matchAll(new RegExp(`tessera\\.${name}\\(`, 'g'))].some(({ index, 0: start }) => {
        const call = callFrom(text, index + start.length);
        return !/\bcall\b|\bifMatch\b/.test(call);
      }),
    ),
  );
  expect(changes.length).toBeGreaterThan(10);
  expect(bare).toStrictEqual([]);
});

/** The arguments of a call, up to its closing bracket. */
function callFrom(text: string, start: number): string {
  let depth = 1;
  let at = start;
  while (depth > 0 && at < text.length) {
    depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
    at += 1;
  }
  return text.slice(start, at);
}
