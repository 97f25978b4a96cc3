/** The tessera command as others get it: packed, unpacked in an empty folder, on a whole stack. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openBrowser, pathOf } from '../../services/identity/src/testing/browser.ts';
import type { TestService } from '../../services/identity/src/testing/service.ts';
import { until } from '../../tools/testing/until.ts';
import { createClient } from '../system/client.ts';
import { openStack, type SystemStack } from '../system/stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../system/world.ts';
import { unpackPackages } from './unpack.ts';

const cleanup = new AsyncDisposableStack();
let folder = '';
let stack: SystemStack;
let owner: Person;
let world: { readonly organization: string; readonly project: string };
let people = 0;

beforeAll(async () => {
  folder = unpackPackages(cleanup, ['client', 'cli']);
  stack = await openStack();
  owner = await createPerson(stack);
  const organization = await createOrganization(owner, 'Birch');
  const { tenant, id } = await createProject(owner, organization, 'Shop');
  world = { organization: `organization:${organization.id}`, project: `${tenant}:${id}` };
}, 240_000);
afterAll(() => cleanup.disposeAsync());

type Said = { readonly code: number | null; readonly out: string; readonly err: string };
type Env = Readonly<Record<string, string>>;

/** A terminal of its own: its configuration folder is empty. */
function openTerminal(env: Env = {}) {
  people += 1;
  const home = join(folder, `home-${people}`);
  mkdirSync(home);
  const whole = { PATH: process.env.PATH ?? '', HOME: home, XDG_CONFIG_HOME: home, TESSERA_URL: stack.url, ...env };
  const script = join(folder, 'node_modules', '@tessera', 'cli', 'dist', 'main.js');
  const run = (...args: readonly string[]): Promise<Said> =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], { env: whole, cwd: folder }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      ).stdin?.end();
    });
  const start = (...args: readonly string[]) => spawn(process.execPath, [script, ...args], { env: whole, cwd: folder });
  return { home, run, start };
}
const asOwner = (env: Env = {}) => openTerminal({ TESSERA_TOKEN: owner.token, TESSERA_SCOPE: world.project, ...env });

/** The person's browser, signed in. */
async function openOwnersBrowser() {
  const client = createClient(stack.url, 'a browser');
  const ask: TestService['ask'] = (method, path, options) => client.call(method, path, options) as ReturnType<TestService['ask']>;
  const browser = openBrowser({ ask } as TestService, { headers: { origin: stack.url } });
  const { status } = await browser.post('/api/auth/login', {
    provider: 'email',
    providerId: owner.email,
    providerData: { password: PASSWORD },
  });
  expect(status).toBe(200);
  return browser;
}

/** Starts a command that waits for a browser, and returns what it said first. */
async function startWaiting(terminal: ReturnType<typeof openTerminal>, args: readonly string[], pattern: RegExp) {
  const child = terminal.start(...args);
  cleanup.defer(() => void child.kill());
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<Said>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  await until(() => pattern.test(err));
  return { found: pattern.exec(err)?.[1] ?? '', ended };
}

async function login(terminal: ReturnType<typeof openTerminal>, more: readonly string[] = []): Promise<Said> {
  const { found: code, ended } = await startWaiting(terminal, ['login', ...more], /confirm the code (\S+)/);
  const browser = await openOwnersBrowser();
  const { body } = await browser.post('/api/auth/device', { userCode: code });
  const answer = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'consent' });
  await browser.get(pathOf(answer.body.data.redirectTo));
  return ended;
}

describe('signing in', () => {
  test('by a code on another device: the profile is for the user alone, and the sign-out ends the session', async () => {
    const terminal = openTerminal();
    const said = await login(terminal);
    expect([said.code, said.out]).toStrictEqual([0, `Signed in at ${stack.url} as ${owner.email}.\n`]);
    const file = join(terminal.home, 'tessera', 'profiles.json');
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toStrictEqual([0o600, 0o700]);

    const who = await terminal.run('whoami');
    expect([who.code, who.out]).toStrictEqual([0, expect.stringContaining(`<${owner.email}> at ${stack.url}, aal1`)]);
    expect((await terminal.run('use', world.organization)).code).toBe(0);
    expect((await terminal.run('projects')).out).toContain('Shop');

    // An access token that has ended is renewed once, also by commands that run at the same time.
    const age = () => {
      const profiles = JSON.parse(readFileSync(file, 'utf8'));
      profiles.default.tokens.expiresAt = 0;
      writeFileSync(file, JSON.stringify(profiles));
    };
    age();
    const many = await Promise.all(Array.from({ length: 4 }, () => terminal.run('orgs', '--json')));
    expect(many.map(({ code, err }) => [code, err])).toStrictEqual(many.map(() => [0, '']));
    age();
    expect((await terminal.run('orgs')).code).toBe(0);

    // A profile's tokens never go to another address.
    const elsewhere = await terminal.run('--url', 'http://127.0.0.1:9', 'whoami');
    expect([elsewhere.code, elsewhere.err]).toStrictEqual([3, expect.stringContaining('is signed in at')]);

    const { refreshToken } = JSON.parse(readFileSync(file, 'utf8')).default.tokens;
    expect((await terminal.run('logout')).out).toBe('Signed out.\n');
    expect((await terminal.run('whoami')).code).toBe(3);
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'tessera-cli', refresh_token: refreshToken });
    expect((await fetch(`${stack.url}/oauth/token`, { method: 'POST', body })).status).toBe(400);
  });

  test('in a browser of this machine; a request without our state changes nothing', async () => {
    const terminal = openTerminal();
    const { found: address, ended } = await startWaiting(terminal, ['login', '--loopback'], /Open (\S+)/);
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    expect((await fetch(`${redirect}?code=stolen&state=other`)).status).toBe(404);
    const browser = await openOwnersBrowser();
    let { location } = await browser.get(pathOf(address));
    while (!location.href.startsWith(redirect)) {
      const id = /interaction=([^&]+)/.exec(location.search)?.[1];
      if (id === undefined) location = (await browser.get(pathOf(location))).location;
      else {
        const { body } = await browser.get(`/api/auth/interactions/${id}`);
        const action = body.data.prompt === 'consent' ? 'consent' : 'continue';
        location = new URL((await browser.post(`/api/auth/interactions/${id}`, { action })).body.data.redirectTo);
      }
    }
    expect((await fetch(location)).status).toBe(200);
    const said = await ended;
    expect([said.code, said.out]).toStrictEqual([0, `Signed in at ${stack.url} as ${owner.email}.\n`]);
    expect((await terminal.run('whoami', '--json')).out).toContain(owner.email);
  });

  test('a refusal on the page ends the wait with exit code 3', async () => {
    const { found: code, ended } = await startWaiting(openTerminal(), ['login'], /confirm the code (\S+)/);
    const browser = await openOwnersBrowser();
    const { body } = await browser.post('/api/auth/device', { userCode: code });
    const answer = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'deny' });
    await browser.get(pathOf(answer.body.data.redirectTo));
    const said = await ended;
    expect([said.code, said.err]).toStrictEqual([3, expect.stringContaining('The sign-in was refused on the page.')]);
  });
});

describe('looking', () => {
  test('lists say what they have, as a table without colours and as JSON', async () => {
    const terminal = asOwner({ TESSERA_SCOPE: world.organization });
    for (const [command, text] of [
      ['orgs', 'Birch'],
      ['projects', 'Shop'],
      ['members', owner.email],
      ['roles', 'Viewer'],
    ] as const) {
      const [table, json] = await Promise.all([terminal.run(command), terminal.run(command, '--json')]);
      expect([command, table.code, table.out]).toStrictEqual([command, 0, expect.stringContaining(text)]);
      expect(table.out).not.toMatch(/\p{Cc}(?<!\n)/u);
      expect(JSON.stringify(JSON.parse(json.out))).toContain(text);
    }
  });

  test('a decision is yes with its path, or no with exit code 4', async () => {
    const terminal = asOwner();
    const yes = await terminal.run('decisions', 'check', 'Role', 'Create');
    expect([yes.code, yes.out]).toStrictEqual([0, expect.stringMatching(/^yes: PERMISSION_GRANTED_NO_CONDITION\n {2}Owner/)]);
    const no = await terminal.run('decisions', 'check', 'Rocket', 'Launch', '--target', '{"to":"moon"}');
    expect([no.code, no.out]).toStrictEqual([4, 'no: NO_MATCHING_PERMISSION_FOUND\n']);
    expect((await terminal.run('decisions', 'list')).out).toContain('ApiKey');
  });

  test('an API key is made, acts, and is refused once it is revoked', async () => {
    const terminal = asOwner();
    const made = await terminal.run('keys', 'create', '--name', 'nightly', '--role', 'Viewer');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const key = openTerminal(
      Object.fromEntries(
        made.out
          .trim()
          .split('\n')
          .map((line) => line.split('=') as [string, string]),
      ),
    );
    expect((await key.run('whoami')).out).toMatch(/^API key \S+ at /);
    expect((await key.run('decisions', 'check', 'Role', 'Query')).code).toBe(0);
    expect((await key.run('decisions', 'check', 'Role', 'Create')).code).toBe(4);
    const [{ id }] = JSON.parse((await terminal.run('keys', '--json')).out);
    expect((await terminal.run('keys', 'revoke', id)).code).toBe(0);
    const refused = await key.run('roles');
    expect([refused.code, refused.err]).toStrictEqual([3, expect.stringContaining('tessera login')]);
  });
});

const manifest = `version: 1
tags:
  - { name: finance, color: blue }
resources:
  - { slug: invoice, name: Invoice, actions: [read, pay], tags: [finance] }
permissions:
  - { name: read invoices, resource: invoice, action: read }
  - name: pay small invoices
    resource: invoice
    action: pay
    condition: { NumericLessThan: { resource.amount: 100 } }
groups:
  - { name: Accounting, permissions: [pay small invoices, read invoices] }
roles:
  - { name: Accountant, description: Keeps the books, groups: [Accounting] }
apps:
  - { name: Books, type: web, redirectUris: ['https://books.example/callback'], scopes: ['invoice:read'] }
  - { name: Nightly, type: machine, role: Accountant }
`;

describe('a tenant as code', () => {
  test('apply makes what the manifest says, once; export gives it back; prune removes only what it is told to', async () => {
    const { tenant, id } = await createProject(owner, { tenant: 'organization', id: world.organization.split(':')[1] ?? '' }, 'As code');
    const terminal = asOwner({ TESSERA_SCOPE: `${tenant}:${id}` });
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write('tessera.yaml', manifest);

    const plan = await terminal.run('apply', '-f', 'tessera.yaml', '--dry-run');
    expect([plan.code, plan.out]).toStrictEqual([4, '8 changes, none made.\n']);
    const unasked = await terminal.run('apply', '-f', 'tessera.yaml');
    expect([unasked.code, unasked.err]).toStrictEqual([2, expect.stringContaining('--yes')]);
    const made = await terminal.run('apply', '-f', 'tessera.yaml', '--yes', '--json');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const { apps } = JSON.parse(made.out);
    expect(apps).toHaveLength(2);
    expect(apps[0]).toStrictEqual({ app: 'Books', clientId: expect.any(String), clientSecret: expect.any(String) });

    const again = await terminal.run('apply', '-f', 'tessera.yaml', '--yes');
    expect([again.code, again.out]).toStrictEqual([0, 'Nothing to change.\n']);

    const exported = await terminal.run('export', '-o', 'exported.yaml');
    expect(exported.code).toStrictEqualFor(exported.err, 0);
    const state = parse(readFileSync(join(folder, 'exported.yaml'), 'utf8'));
    for (const [kind, entries] of Object.entries(parse(manifest)).filter(([kind]) => kind !== 'version'))
      for (const entry of entries as object[]) expect(state[kind]).toContainEqual(expect.objectContaining(entry));
    expect((await terminal.run('apply', '-f', 'exported.yaml', '--yes')).out).toBe('Nothing to change.\n');

    write(
      'changed.yaml',
      manifest
        .replace('Keeps the books', 'Keeps them')
        .replace('[pay small invoices, ', '[')
        .replace(/ {2}- \{ name: Nightly.*\n/, ''),
    );
    const changed = await terminal.run('apply', '-f', 'changed.yaml', '--yes', '--json');
    expect(JSON.parse(changed.out).plan).toStrictEqual([
      {
        action: 'update',
        kind: 'groups',
        name: 'Accounting',
        changes: [expect.objectContaining({ field: 'permissions', after: ['read invoices'] })],
      },
      {
        action: 'update',
        kind: 'roles',
        name: 'Accountant',
        changes: [{ field: 'description', before: 'Keeps the books', after: 'Keeps them' }],
      },
    ]);
    const pruned = await terminal.run('apply', '-f', 'changed.yaml', '--yes', '--prune', '--json');
    expect(JSON.parse(pruned.out).plan).toStrictEqual([{ action: 'remove', kind: 'apps', name: 'Nightly' }]);
    expect((await terminal.run('apply', '-f', 'changed.yaml', '--prune', '--dry-run')).out).toBe('Nothing to change.\n');
  });

  test('what is wrong in a manifest is named, and nothing is changed', async () => {
    const terminal = asOwner();
    for (const [text, said] of [
      ['version: 2\n', 'version'],
      ['version: 1\nroles:\n  - { nmae: Accountant }\n', 'roles.0'],
      ['version: 1\nroles: [\n', 'line'],
      ['version: 1\nroles:\n  - { name: A, groups: [No such] }\n', 'A refers to No such'],
      ['version: 1\nresources:\n  - { slug: Role, name: Mine }\n', 'built in'],
      ['version: 1\ntags:\n  - { name: A, color: red }\n  - { name: A, color: blue }\n', 'two tags'],
    ] as const) {
      writeFileSync(join(folder, 'wrong.yaml'), text);
      const { code, err } = await terminal.run('apply', '-f', 'wrong.yaml', '--yes');
      expect([text, code === 0, err]).toStrictEqual([text, false, expect.stringContaining(said)]);
    }
    expect((await terminal.run('apply', '-f', 'missing.yaml')).code).toBe(2);
  });

  test('a Viewer gets the refusal of the API, with exit code 1', async () => {
    const roleId = await builtInRole(owner, { tenant: 'organization', id: world.organization.split(':')[1] ?? '' }, 'Viewer');
    const [tenant = '', ...id] = world.project.split(':');
    const scope = { tenant, id: id.join(':') };
    const key = dataOf(await owner.client.post('/api/api-keys', { scope, name: 'viewer', roleId }, owner.token));
    const viewer = openTerminal({ TESSERA_SCOPE: world.project, TESSERA_CLIENT_ID: key.clientId, TESSERA_CLIENT_SECRET: key.clientSecret });
    writeFileSync(join(folder, 'tag.yaml'), 'version: 1\ntags:\n  - { name: mine, color: red }\n');
    const { code, err } = await viewer.run('apply', '-f', 'tag.yaml', '--yes', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(err.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'FORBIDDEN' } });
  });

  test('the schema is JSON, and names every kind', async () => {
    const { out } = await openTerminal().run('schema');
    expect(Object.keys(JSON.parse(out).properties)).toStrictEqual([
      'version',
      'tags',
      'resources',
      'permissions',
      'groups',
      'roles',
      'apps',
    ]);
  });
});

describe('usage', () => {
  test('help shows every command; wrong usage is exit code 2 with a suggestion; no tenant says how to name one', async () => {
    const terminal = openTerminal({ TESSERA_TOKEN: owner.token });
    const help = await terminal.run('--help');
    expect(help.code).toBe(0);
    for (const command of [
      'login',
      'logout',
      'whoami',
      'use',
      'orgs',
      'projects',
      'members',
      'roles',
      'keys',
      'decisions',
      'apply',
      'export',
      'types',
      'import',
      'doctor',
      'completion',
    ])
      expect(help.out).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    const wrong = await terminal.run('rolse');
    expect([wrong.code, wrong.err]).toStrictEqual([2, expect.stringContaining('Did you mean roles?')]);
    const nowhere = await terminal.run('roles', '--json');
    expect([nowhere.code, JSON.parse(nowhere.err).error.message]).toStrictEqual([2, expect.stringContaining('--scope organization:<id>')]);
    expect((await terminal.run('roles', '--scope', 'organization:a:b')).code).toBe(2);
    expect((await openTerminal().run('roles')).code).toBe(3);
  });

  test('the completion for bash offers commands, their commands and options', async () => {
    const { out } = await openTerminal().run('completion', 'bash');
    writeFileSync(join(folder, 'completion.bash'), out);
    const complete = (...words: readonly string[]) =>
      execFileSync(
        'bash',
        ['-c', `source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera; echo "\${COMPREPLY[*]}"`, '_', ...words],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      ).trim();
    expect(complete('tessera', 'de')).toBe('decisions');
    expect(complete('tessera', 'decisions', 'c')).toBe('check');
    expect(complete('tessera', 'apply', '--d')).toBe('--dry-run');
    for (const shell of ['zsh', 'fish']) expect((await openTerminal().run('completion', shell)).out).toContain('decisions');
    expect((await openTerminal().run('completion', 'tcsh')).code).toBe(2);
  });
});
