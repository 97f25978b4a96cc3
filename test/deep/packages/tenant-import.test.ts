/** A tenant from one installation to another, by the command that others install. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitForMail } from '../../support/mail.ts';
import { readmeExample, unpackPackages } from '../../support/packages/unpack.ts';
import { openStack, type SystemStack, startOwnStack } from '../../support/shared-stack.ts';
import { builtInRole, createPerson, createProject, createWorld, dataOf, type Person } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let folder = '';
let first: SystemStack;
let second: Awaited<ReturnType<typeof startOwnStack>>;

beforeAll(async () => {
  folder = unpackPackages(cleanup, ['client', 'cli']);
  first = await openStack();
  second = await startOwnStack();
  cleanup.defer(() => second.close());
}, 240_000);
afterAll(() => cleanup.disposeAsync());

type Said = { readonly code: number; readonly out: string; readonly err: string };

function terminal(url: string, { token }: Person, scope: string) {
  const home = join(folder, `home-${url.replace(/\W/g, '')}`);
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: home,
    TESSERA_URL: url,
    TESSERA_TOKEN: token,
    TESSERA_SCOPE: scope,
  };
  const script = join(folder, 'node_modules', '@tessera', 'cli', 'dist', 'main.js');
  return (...args: readonly string[]): Promise<Said> =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], { env, cwd: folder }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      ).stdin?.end();
    });
}

test('an organization is exported here and imported there; again, it changes nothing; nothing secret has travelled', async () => {
  const { owner, organization, project } = await createWorld(first);
  const here = terminal(first.url, owner, `organization:${organization.id}`);
  writeFileSync(join(folder, 'model.yaml'), readmeExample('cli', 'yaml'));
  const applied = await terminal(first.url, owner, `${project.tenant}:${project.id}`)('apply', '-f', 'model.yaml', '--yes', '--json');
  expect(applied.code).toStrictEqualFor(applied.err, 0);
  const given = JSON.parse(applied.out).apps.map(({ clientSecret }: { clientSecret?: string }) => clientSecret ?? '');
  const tag = dataOf(await owner.client.post('/api/tags', { scope: organization, name: 'moved', color: 'teal' }, owner.token));
  dataOf(await owner.client.post('/api/roles', { scope: organization, name: 'Auditor', tagIds: [tag.id] }, owner.token));
  const roleId = await builtInRole(owner, organization, 'Viewer');
  const email = 'moving.guest@example.com';
  dataOf(await owner.client.post('/api/organization-invitations/invite', { scope: organization, email, roleId }, owner.token));
  expect((await here('export', '--all', '-o', 'moved')).code).toBe(0);

  const receiver = await createPerson(second);
  const there = terminal(second.url, receiver, `account:${receiver.account.id}`);
  const looked = await there('import-tenant', 'moved', '--dry-run', '--json');
  expect(looked.code).toStrictEqualFor(looked.err, 4);
  const { plan, left } = JSON.parse(looked.out);
  expect(plan).toContain(`+ invitation of ${email} as Viewer, by mail`);
  expect(left.join('\n')).toContain('this role is given by no invitation');
  expect(
    dataOf(await receiver.client.get(`/api/organizations?tenant=account&scopeId=${receiver.account.id}`, receiver.token)).totalCount,
  ).toBe(0);

  const done = await there('import-tenant', 'moved', '--yes', '--json');
  expect(done.code).toStrictEqualFor(done.err, 0);
  const { scope, apps } = JSON.parse(done.out);
  expect(apps.every(({ clientSecret = 'none' }: { clientSecret?: string }) => !given.includes(clientSecret))).toBe(true);
  expect((await waitForMail(second.dataDir, email, 'invitation')).to).toBe(email);
  const again = await there('import-tenant', 'moved', '--yes');
  expect([again.code, again.out]).toStrictEqual([0, 'Nothing to change.\n']);

  // What is there now is what was here, but for ids, owners and times.
  const back = terminal(second.url, receiver, scope);
  expect((await back('export', '--all', '-o', 'back')).code).toBe(0);
  const manifests = (name: string) =>
    readdirSync(join(folder, name, 'projects')).map((id) => readFileSync(join(folder, name, 'projects', id, 'tessera.yaml'), 'utf8'));
  expect(manifests('back')).toStrictEqual(manifests('moved'));
  const namesIn = (name: string, list: string) =>
    readFileSync(join(folder, name, `${list}.ndjson`), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).name)
      .toSorted();
  for (const list of ['projects', 'tags', 'permissions', 'groups', 'roles'])
    expect(namesIn('back', list)).toStrictEqualFor(list, namesIn('moved', list));
});

test('into an organization that is there, without inviting, and what fails in the middle goes on', async () => {
  const { owner, organization } = await createWorld(first);
  await createProject(owner, organization, 'Second');
  expect((await terminal(first.url, owner, `organization:${organization.id}`)('export', '--all', '-o', 'into')).code).toBe(0);
  const receiver = await createPerson(second);
  const made = dataOf(await receiver.client.post('/api/organizations', { scope: receiver.account, name: 'There' }, receiver.token));
  const there = terminal(second.url, receiver, `organization:${made.id}`);
  const stranger = await createPerson(second);
  const refused = await terminal(second.url, stranger, `organization:${made.id}`)('import-tenant', 'into', '--yes');
  expect(refused.code).toBe(1);
  const done = await there('import-tenant', 'into', '--yes', '--no-people', '--json');
  expect(done.code).toStrictEqualFor(done.err, 0);
  expect(JSON.parse(done.out)).toMatchObject({ scope: `organization:${made.id}` });
  const query = `tenant=organization&scopeId=${made.id}`;
  expect(dataOf(await receiver.client.get(`/api/projects?${query}`, receiver.token)).totalCount).toBe(2);
  expect(dataOf(await receiver.client.get(`/api/organization-invitations?${query}`, receiver.token)).totalCount).toBe(0);
});
