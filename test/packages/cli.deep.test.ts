/** The long commands of tessera, packed and unpacked in an empty folder, on a whole stack. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../tools/testing/until.ts';
import { openStack, type SystemStack } from '../system/stack.ts';
import { createOrganization, createPerson, createProject, type Person } from '../system/world.ts';
import { compressedBytes, readmeExample, unpackPackages } from './unpack.ts';

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

describe('a project as TypeScript', () => {
  test('types has its resources and the built-in ones, and says when it is not up to date', async () => {
    const { tenant, id } = await createProject(owner, { tenant: 'organization', id: world.organization.split(':')[1] ?? '' }, 'Typed');
    const terminal = asOwner({ TESSERA_SCOPE: `${tenant}:${id}` });
    const early = await terminal.run('types', '--output', 'tessera.ts', '--check');
    expect([early.code, early.out]).toStrictEqual([4, expect.stringContaining('not up to date')]);
    writeFileSync(join(folder, 'typed.yaml'), readmeExample('cli', 'yaml'));
    const applied = await terminal.run('apply', '-f', 'typed.yaml', '--yes');
    expect(applied.code).toStrictEqualFor(applied.err, 0);
    expect((await terminal.run('types', '-o', 'tessera.ts')).code).toBe(0);
    const text = readFileSync(join(folder, 'tessera.ts'), 'utf8');
    expect(text).toContain('  readonly "invoice": "pay" | "read";\n');
    expect(text).toMatch(/readonly "Role": .*"Query"/);
    const [again, printed, json] = await Promise.all([
      terminal.run('types', '-o', 'tessera.ts', '--check', '--json'),
      terminal.run('types'),
      terminal.run('types', '--json'),
    ]);
    expect([again.code, JSON.parse(again.out)]).toStrictEqual([0, { file: 'tessera.ts', isCurrent: true }]);
    expect(printed.out).toBe(text);
    expect(JSON.parse(json.out).invoice).toStrictEqual(['read', 'pay']);
    expect((await terminal.run('types', '--check')).code).toBe(2);
  });
});

describe('a tenant whole', () => {
  test('export --all writes everything of an organization in a folder, without secrets', async () => {
    const terminal = asOwner({ TESSERA_SCOPE: world.organization });
    const key = await asOwner().run('keys', 'create', '--name', 'kept', '--role', 'Viewer', '--json');
    const { clientId, clientSecret } = JSON.parse(key.out);
    const said = await terminal.run('export', '--all', '--audit', '-o', 'birch', '--json');
    expect(said.code).toStrictEqualFor(said.err, 0);
    const { files } = JSON.parse(said.out);
    const read = (name: string) => readFileSync(join(folder, 'birch', name), 'utf8');
    const project = `projects/${world.project.split(':')[2]}`;
    expect(read('organization.json')).toContain('"Birch"');
    expect(read('members.ndjson')).toContain(owner.email);
    expect(read('projects.ndjson')).toContain('"Shop"');
    expect(read(`${project}/keys.ndjson`)).toContain(clientId);
    expect(read('audit.ndjson')).toContain('project.created');
    for (const [name, count] of Object.entries(files)) {
      expect([name, read(name).split('\n').length - 1]).toStrictEqual([name, count]);
      expect(read(name)).not.toContain(clientSecret);
    }
    const applied = await asOwner().run('apply', '-f', join('birch', project, 'tessera.yaml'), '--yes');
    expect(applied.out).toBe('Nothing to change.\n');
    const again = await terminal.run('export', '--all', '-o', 'birch');
    expect([again.code, again.err]).toStrictEqual([2, 'tessera: birch is not empty.\n']);
    for (const args of [['--all'], ['--audit', '-o', 'x'], ['--all', '-o', 'x', '--scope', world.project]])
      expect((await terminal.run('export', ...args)).code).toStrictEqualFor(args, 2);
  });
});

/** A server that takes people as the platform does: once by external id. */
async function startPeopleServer(pauseMs: number) {
  const people = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { users } = (await json(request)) as { users: { email: string; externalId: string }[] };
    const items = users.map(({ email, externalId }, index) => {
      const status = people.has(externalId) ? 'exists' : 'created';
      people.set(externalId, email);
      return { index, email, externalId, status };
    });
    setTimeout(() => response.end(JSON.stringify({ success: true, data: { items, counts: {} } })), pauseMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.defer(() => void server.close());
  return { people, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('people of another system', () => {
  test('an import that is interrupted, and then killed, goes on: none doubled, none lost, and no bar without a terminal', async () => {
    const { people, url } = await startPeopleServer(50);
    const terminal = openTerminal({ TESSERA_URL: url, TESSERA_TOKEN: 'x' });
    const rows = Array.from({ length: 6_000 }, (_, index) => `"p${index}@example.com",p${index}`);
    const file = join(folder, 'many.csv');
    writeFileSync(file, ['email,externalId', ...rows, 'none,bad'].join('\r\n'));
    const state = () => JSON.parse(readFileSync(`${file}.tessera-import.json`, 'utf8')).rows;
    const begin = (signal: 'SIGINT' | 'SIGKILL', atRows: number) => {
      const child = terminal.start('import', 'many.csv');
      cleanup.defer(() => void child.kill('SIGKILL'));
      let err = '';
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const ended = new Promise<{ code: number | null; err: string }>((done) => child.once('close', (code) => done({ code, err })));
      return until(() => existsSync(`${file}.tessera-import.json`) && state() >= atRows).then(() => {
        child.kill(signal);
        return ended;
      });
    };
    const stopped = await begin('SIGINT', 1_000);
    expect([stopped.code, stopped.err]).toStrictEqual([130, expect.stringContaining('tessera: Interrupted.')]);
    expect(people.size).toBe(state());
    const killed = await begin('SIGKILL', 3_000);
    expect([killed.code, people.size < 6_000]).toStrictEqual([null, true]);
    const ended = await terminal.run('import', 'many.csv', '--json');
    expect(people.size).toBe(6_000);
    const { created, exists, invalid, report } = JSON.parse(ended.out);
    expect([ended.code, created + exists, invalid]).toStrictEqual([4, 6_000, 1]);
    expect(exists).toBeLessThanOrEqual(500);
    expect(readFileSync(join(folder, report), 'utf8')).toBe(
      '{"line":6002,"email":"none","externalId":"bad","status":"invalid","reason":"email is no address"}\n',
    );
    expect(stopped.err + killed.err + ended.err).not.toMatch(/[\r█]/);
  });

  test('what is wrong with the file or the command is said before anything is sent', async () => {
    const terminal = openTerminal({ TESSERA_TOKEN: 'x' });
    writeFileSync(join(folder, 'broken.csv'), 'email,name\na@b,"A\n');
    writeFileSync(join(folder, 'people.txt'), '');
    for (const [args, code, said] of [
      [['missing.csv'], 2, 'missing.csv cannot be read'],
      [['.'], 2, '. cannot be read'],
      [['people.txt'], 2, 'Give --from'],
      [['people.txt', '--from', 'constructor'], 2, 'Give --from'],
      [['broken.csv', '--delimiter', ';;'], 2, '--delimiter is one character'],
      [['broken.csv', '--dry-run'], 1, 'Line 2: a quote is not closed'],
      [['broken.csv'], 1, 'Line 2: a quote is not closed'],
    ] as const) {
      const answer = await terminal.run('import', ...args);
      expect([args, answer.code, answer.err]).toStrictEqual([args, code, expect.stringContaining(said)]);
    }
  });
});

describe('the doctor', () => {
  test('says what works and what is unsafe, without a sign-in', async () => {
    const terminal = openTerminal();
    const [said, json, away, nowhere] = await Promise.all([
      terminal.run('doctor'),
      terminal.run('doctor', '--json'),
      terminal.run('doctor', '--url', 'http://127.0.0.1:9'),
      terminal.run('doctor', '--timeout', 'soon'),
    ]);
    const { findings, counts } = JSON.parse(json.out);
    // The stack of the tests is no production: it shows the GraphQL IDE.
    expect([said.code, json.code, counts.error]).toStrictEqual([4, 4, 0]);
    expect(said.out).toContain('✔ services · rbac: is ready\n');
    expect(said.out).toContain('! production · gateway: the GraphQL IDE is shown');
    expect(said.out).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(findings).toContainEqual({ level: 'ok', check: 'keys', subject: 'jwks', message: expect.stringMatching(/^\d public keys$/) });
    expect([away.code, away.out]).toStrictEqual([1, expect.stringContaining('✖ http · gateway: cannot be reached: ')]);
    expect(nowhere.code).toBe(2);
  });
});

test('the command is small', () => {
  expect(compressedBytes(folder, 'cli')).toBeLessThan(30_000);
});
