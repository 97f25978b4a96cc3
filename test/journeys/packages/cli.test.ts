/** The tessera command as others get it: packed, unpacked in an empty folder, on a whole stack. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pathOf } from '../../../services/identity/src/testing/browser.ts';
import { openPersonsBrowser, sayYes } from '../../support/packages/person-browser.ts';
import { compressedBytes } from '../../support/packages/unpack.ts';
import { openWorkplace, type Said, type Terminal, type Workplace } from '../../support/packages/workplace.ts';
import { until } from '../../support/until.ts';
import { createOrganization, createPerson } from '../../support/world.ts';

// 30,000 before it could import whole tenants; 31,000 before its dry run judged password hashes, a
// plan named what stays without --prune, and the terminal was guarded against names of others;
// 32,600 before it counted names as readers see them and knew the operations of project grants.
// What `grants` takes came on top, up to 36,000; then a manifest had customers, and
// `grants adopt` came; then service accounts, by secrets and by ID tokens.
const mostBytes = 44_500;
const cleanup = new AsyncDisposableStack();
let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace(cleanup);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

/** Control characters, with which colours begin. */
const colours = /\p{Cc}(?<!\n)/u;

/** Starts a command that waits for a browser, and returns what it said first. */
async function startWaiting(terminal: Terminal, args: readonly string[], pattern: RegExp) {
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

async function login(terminal: Terminal, more: readonly string[] = []): Promise<Said> {
  const { found: code, ended } = await startWaiting(terminal, ['login', ...more], /confirm the code (\S+)/);
  const browser = await openPersonsBrowser(place.stack, place.owner.email);
  const { body } = await browser.post('/api/auth/device', { userCode: code });
  const answer = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'consent' });
  await browser.get(pathOf(answer.body.data.redirectTo));
  return ended;
}

describe('signing in', () => {
  test('by a code on another device: the profile is for the user alone, and the sign-out ends the session', async () => {
    const terminal = place.openTerminal();
    const said = await login(terminal);
    expect([said.code, said.out]).toStrictEqual([0, `Signed in at ${place.stack.url} as ${place.owner.email}.\n`]);
    const file = join(terminal.home, 'tessera', 'profiles.json');
    expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toStrictEqual([0o600, 0o700]);

    const who = await terminal.run('whoami');
    expect([who.code, who.out]).toStrictEqual([0, expect.stringContaining(`<${place.owner.email}> at ${place.stack.url}, aal1`)]);
    expect((await terminal.run('use', place.world.organization)).code).toBe(0);
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
    expect((await fetch(`${place.stack.url}/oauth/token`, { method: 'POST', body })).status).toBe(400);
  });

  test('in a browser of this machine; a request without our state changes nothing', async () => {
    const terminal = place.openTerminal();
    const { found: address, ended } = await startWaiting(terminal, ['login', '--loopback'], /Open (\S+)/);
    const redirect = new URL(address).searchParams.get('redirect_uri') ?? '';
    expect((await fetch(`${redirect}?code=stolen&state=other`)).status).toBe(404);
    const browser = await openPersonsBrowser(place.stack, place.owner.email);
    const location = await sayYes(browser, address, redirect);
    expect((await fetch(location)).status).toBe(200);
    const said = await ended;
    expect([said.code, said.out]).toStrictEqual([0, `Signed in at ${place.stack.url} as ${place.owner.email}.\n`]);
    expect((await terminal.run('whoami', '--json')).out).toContain(place.owner.email);
  });

  test('a refusal on the page ends the wait with exit code 3', async () => {
    const { found: code, ended } = await startWaiting(place.openTerminal(), ['login'], /confirm the code (\S+)/);
    const browser = await openPersonsBrowser(place.stack, place.owner.email);
    const { body } = await browser.post('/api/auth/device', { userCode: code });
    const answer = await browser.post(`/api/auth/interactions/${body.data.id}`, { action: 'deny' });
    await browser.get(pathOf(answer.body.data.redirectTo));
    const said = await ended;
    expect([said.code, said.err]).toStrictEqual([3, expect.stringContaining('The sign-in was refused on the page.')]);
  });
});

describe('looking', () => {
  test('lists say what they have, as a table without colours and as JSON', async () => {
    const terminal = place.asOwner({ TESSERA_SCOPE: place.world.organization });
    for (const [command, text] of [
      ['orgs', 'Birch'],
      ['projects', 'Shop'],
      ['members', place.owner.email],
      ['roles', 'Viewer'],
    ] as const) {
      const [table, json] = await Promise.all([terminal.run(command), terminal.run(command, '--json')]);
      expect([command, table.code, table.out]).toStrictEqual([command, 0, expect.stringContaining(text)]);
      expect(table.out).not.toMatch(colours);
      expect(JSON.stringify(JSON.parse(json.out))).toContain(text);
    }
  });

  test('a decision is yes with its path, or no with exit code 4', async () => {
    const terminal = place.asOwner();
    const yes = await terminal.run('decisions', 'check', 'Role', 'Create');
    expect([yes.code, yes.out]).toStrictEqual([0, expect.stringMatching(/^yes: PERMISSION_GRANTED_NO_CONDITION\n {2}Owner/)]);
    const no = await terminal.run('decisions', 'check', 'Rocket', 'Launch', '--target', '{"to":"moon"}');
    expect([no.code, no.out]).toStrictEqual([4, 'no: NO_MATCHING_PERMISSION_FOUND\n']);
    expect((await terminal.run('decisions', 'list')).out).toContain('ApiKey');
  });

  test('a project is offered, used, suspended and left, and its people are listed', async () => {
    const { stack, world, openTerminal } = place;
    const buyer = await createPerson(stack);
    const customer = await createOrganization(buyer, 'Cedar');
    const owner = place.asOwner();
    const asCustomer = openTerminal({ TESSERA_TOKEN: buyer.token, TESSERA_SCOPE: `organization:${customer.id}` });
    const made = await owner.run('grants', 'create', '--organization', customer.id, '--max', '5', '--json');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const { id } = JSON.parse(made.out);
    expect((await asCustomer.run('grants')).out).toMatch(/offered\s+Shop\s+Birch/);
    for (const [terminal, step, status] of [
      [asCustomer, 'accept', 'active'],
      [owner, 'suspend', 'suspended'],
      [owner, 'resume', 'active'],
      [asCustomer, 'leave', 'ended'],
    ] as const) {
      const said = await terminal.run('grants', step, id, '--json');
      expect([step, said.code, JSON.parse(said.out).status]).toStrictEqual([step, 0, status]);
    }
    expect((await owner.run('grants', 'members', id)).out).toBe('No one has a role.\n');
    const late = await owner.run('grants', 'resume', id);
    expect([late.code, late.err]).toStrictEqual([1, expect.stringContaining('does not allow that')]);
    const mailed = await owner.run('grants', 'create', '--email', 'new.customer@example.com');
    expect(mailed.out).toMatch(/^Grant \S+ is offered\.\n$/);
    expect((await owner.run('grants')).out).toMatch(/offered\s+new\.customer@example\.com/);
    const neither = await owner.run('grants', 'create');
    expect([neither.code, neither.err]).toStrictEqual([2, expect.stringContaining('Give --organization or --email.')]);
    expect(world.project).toContain(world.shop.id);
  });

  test('an API key is made, acts, and is refused once it is revoked', async () => {
    const terminal = place.asOwner();
    const made = await terminal.run('keys', 'create', '--name', 'nightly', '--role', 'Viewer');
    expect(made.code).toStrictEqualFor(made.err, 0);
    const key = place.openTerminal(
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

describe('usage', () => {
  test('help shows every command; wrong usage is exit code 2 with a suggestion; no tenant says how to name one', async () => {
    const terminal = place.openTerminal({ TESSERA_TOKEN: place.owner.token });
    const [help, ofImport, imports, bare] = await Promise.all([
      terminal.run('--help'),
      terminal.run('help', 'import'),
      terminal.run('import', '--help'),
      terminal.run(),
    ]);
    expect([help.code, help.err]).toStrictEqual([0, '']);
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
      'schema',
      'types',
      'import',
      'doctor',
      'completion',
    ])
      expect(help.out).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    expect([imports.code, imports.out]).toStrictEqual([0, expect.stringContaining('Usage: tessera import [options] <file>')]);
    expect(ofImport).toStrictEqual(imports);
    // Without a command there is nothing to do: the help is no answer then.
    expect([bare.code, bare.out, bare.err]).toStrictEqual([2, '', help.out]);
    const wrong = await terminal.run('rolse');
    expect([wrong.code, wrong.out, wrong.err]).toStrictEqual([2, '', expect.stringContaining('Did you mean roles?')]);
    const nowhere = await terminal.run('roles', '--json');
    expect([nowhere.code, JSON.parse(nowhere.err).error.message]).toStrictEqual([2, expect.stringContaining('--scope organization:<id>')]);
    expect((await terminal.run('roles', '--scope', 'organization:a:b')).code).toBe(2);
    expect((await place.openTerminal().run('roles')).code).toBe(3);
  });

  test('with --json every error is one line of JSON on standard error, and nothing else is printed', async () => {
    const terminal = place.asOwner();
    for (const [args, code, said] of [
      [['rolse'], 2, 'Did you mean roles?'],
      [['types', '--check'], 2, '--check needs the file'],
      [['roles', '--url', 'http://127.0.0.1:9'], 1, ''],
      [['login', '--url', place.stack.url.replace('localhost', '127.0.0.1')], 1, `is called ${place.stack.url}.`],
      [['roles', '--scope', 'organization:00000000-0000-4000-8000-000000000000'], 1, ''],
    ] as const) {
      const answer = await terminal.run(...args, '--json');
      expect([answer.code, answer.out, answer.err.split('\n')]).toStrictEqualFor(args.join(' '), [code, '', [expect.anything(), '']]);
      const { error } = JSON.parse(answer.err);
      expect(error).toStrictEqualFor(args.join(' '), { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringContaining(said) });
    }
  });

  test('with --json every answer is JSON', async () => {
    const terminal = place.asOwner();
    writeFileSync(join(place.folder, 'empty.yaml'), 'version: 1\n');
    writeFileSync(join(place.folder, 'one.csv'), 'email\na@example.com\n');
    for (const args of [
      ['whoami'],
      ['decisions', 'list'],
      ['decisions', 'check', 'Role', 'Query'],
      ['export'],
      ['schema'],
      ['types'],
      ['apply', '-f', 'empty.yaml'],
      ['import', 'one.csv', '--dry-run'],
      ['logout'],
    ]) {
      const { code, out, err } = await terminal.run('--json', ...args);
      expect([code, err, typeof JSON.parse(out)]).toStrictEqualFor(args.join(' '), [0, '', 'object']);
    }
  });

  test('without a terminal there are no colours, also in a CI, and a reader that stops early is no failure', async () => {
    const terminal = place.asOwner({ CI: 'true', FORCE_COLOR: '1' });
    writeFileSync(join(place.folder, 'plan.yaml'), 'version: 1\ntags:\n  - { name: only planned, color: red }\n');
    const answers = await Promise.all([
      terminal.run('roles'),
      terminal.run('--help'),
      terminal.run('rolse'),
      terminal.run('apply', '-f', 'plan.yaml', '--dry-run'),
    ]);
    expect(answers.map(({ code }) => code)).toStrictEqual([0, 0, 2, 4]);
    for (const { out, err } of answers) expect(out + err).not.toMatch(colours);
    expect(answers[3]?.err).toContain('+ tag only planned\n');
    const reader = terminal.start('schema');
    const ended = new Promise<number | null>((resolve) => reader.on('close', resolve));
    reader.stdout.destroy();
    expect(await ended).toBe(0);
  });

  test('bash completes with the script that the command prints', async () => {
    const terminal = place.openTerminal();
    const { code, out } = await terminal.run('completion', 'bash');
    expect(code).toBe(0);
    writeFileSync(join(place.folder, 'completion.bash'), out);
    const complete = (...words: readonly string[]) =>
      execFileSync(
        'bash',
        ['-c', `source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tessera; echo "\${COMPREPLY[*]}"`, '_', ...words],
        { cwd: place.folder, encoding: 'utf8' },
      ).trim();
    expect(complete('tessera', 'de')).toBe('decisions');
    expect(complete('tessera', 'decisions', 'c')).toBe('check');
    expect(complete('tessera', 'apply', '--d')).toBe('--dry-run');
    for (const shell of ['zsh', 'fish']) expect((await terminal.run('completion', shell)).out).toContain('decisions');
    expect((await terminal.run('completion', 'tcsh')).code).toBe(2);
  });
});

test('the command is small', () => {
  expect(compressedBytes(place.folder, 'cli')).toBeLessThan(mostBytes);
});
