/** The long commands of tessera, packed and unpacked in an empty folder, on a whole stack. */
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { readmeExample } from '../../support/packages/unpack.ts';
import { openWorkplace, type Workplace } from '../../support/packages/workplace.ts';
import { until } from '../../support/until.ts';
import { createPerson, createProject, dataOf, PASSWORD } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace(cleanup);
}, 240_000);
afterAll(() => cleanup.disposeAsync());

/** What TypeScript says about a program beside the packages. */
function compile(text: string): string {
  writeFileSync(join(place.folder, 'readme.ts'), text);
  const tsc = join(repositoryFolder, 'node_modules/typescript/bin/tsc');
  const options = ['--strict', '--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
  const environment = [
    '--target',
    'es2024',
    '--lib',
    'es2024,dom,dom.iterable,dom.asynciterable',
    '--types',
    '',
    '--ignoreConfig',
    '--pretty',
    'false',
  ];
  return spawnSync(process.execPath, [tsc, ...options, ...environment, 'readme.ts'], { cwd: place.folder, encoding: 'utf8' }).stdout;
}

describe('a project as TypeScript', () => {
  test('types has its resources and the built-in ones, and says when it is not up to date', async () => {
    const { tenant, id } = await createProject(place.owner, place.world.birch, 'Typed');
    const terminal = place.asOwner({ TESSERA_SCOPE: `${tenant}:${id}` });
    const early = await terminal.run('types', '--output', 'tessera.ts', '--check');
    expect([early.code, early.out]).toStrictEqual([4, expect.stringContaining('not up to date')]);
    writeFileSync(join(place.folder, 'typed.yaml'), readmeExample('cli', 'yaml'));
    const applied = await terminal.run('apply', '-f', 'typed.yaml', '--yes');
    expect(applied.code).toStrictEqualFor(applied.err, 0);
    expect((await terminal.run('types', '-o', 'tessera.ts')).code).toBe(0);
    const text = readFileSync(join(place.folder, 'tessera.ts'), 'utf8');
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

    // The program of the README compiles with it; with an action of another resource it does not.
    const example = readmeExample('cli', 'ts');
    expect(compile(example)).toBe('');
    for (const [right, wrong] of [
      ["action: 'read'", "action: 'fly'"],
      ["resource: 'invoice'", "resource: 'Role'"],
      ["resource: 'invoice'", "resource: 'Invoice'"],
    ] as const)
      expect(compile(example.replace(right, wrong))).toMatch(/^readme\.ts\(\d+,\d+\): error TS/);
  });
});

describe('a tenant whole', () => {
  test('export --all writes everything of an organization in a folder, without secrets', async () => {
    const terminal = place.asOwner({ TESSERA_SCOPE: place.world.organization });
    const key = await place.asOwner().run('keys', 'create', '--name', 'kept', '--role', 'Viewer', '--json');
    const { clientId, clientSecret } = JSON.parse(key.out);
    const hook = { url: 'https://hooks.example.com/whole', eventTypes: ['webhook.disabled'] };
    const made = await Promise.all(
      [place.world.birch, place.world.shop].map((scope) =>
        place.owner.client.post('/api/webhooks', { ...hook, scope }, place.owner.token).then(dataOf),
      ),
    );
    const said = await terminal.run('export', '--all', '--audit', '-o', 'birch', '--json');
    expect(said.code).toStrictEqualFor(said.err, 0);
    const { files } = JSON.parse(said.out);
    const read = (name: string) => readFileSync(join(place.folder, 'birch', name), 'utf8');
    const project = `projects/${place.world.project.split(':')[2]}`;
    expect(read('organization.json')).toContain('"Birch"');
    expect(read('members.ndjson')).toContain(place.owner.email);
    expect(read('projects.ndjson')).toContain('"Shop"');
    expect(read(`${project}/keys.ndjson`)).toContain(clientId);
    expect(read('audit.ndjson')).toContain('project.created');
    for (const name of ['webhooks.ndjson', `${project}/webhooks.ndjson`]) expect(JSON.parse(read(name))).toMatchObject(hook);
    for (const [name, count] of Object.entries(files)) {
      expect([name, read(name).split('\n').length - 1]).toStrictEqual([name, count]);
      for (const secret of [clientSecret, ...made.map((webhook) => webhook.secret)]) expect(read(name)).not.toContain(secret);
    }
    const applied = await place.asOwner().run('apply', '-f', join('birch', project, 'tessera.yaml'), '--yes');
    expect(applied.out).toBe('Nothing to change.\n');
    const again = await terminal.run('export', '--all', '-o', 'birch');
    expect([again.code, again.err]).toStrictEqual([2, 'tessera: birch is not empty.\n']);
    for (const args of [['--all'], ['--audit', '-o', 'x'], ['--all', '-o', 'x', '--scope', place.world.project]])
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
    const terminal = place.openTerminal({ TESSERA_URL: url, TESSERA_TOKEN: 'x' });
    const rows = Array.from({ length: 6_000 }, (_, index) => `"p${index}@example.com",p${index}`);
    const file = join(place.folder, 'many.csv');
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
    expect(readFileSync(join(place.folder, report), 'utf8')).toBe(
      '{"line":6002,"email":"none","externalId":"bad","status":"invalid","reason":"email is no address"}\n',
    );
    expect(stopped.err + killed.err + ended.err).not.toMatch(/[\r█]/);
  });

  test('on the platform: an interrupted import goes on, and people sign in with the password that they had', async () => {
    const operator = await createPerson(place.stack);
    await withClient(place.stack.adminDatabaseUrl, async (admin) => {
      await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [operator.userId]);
      cleanup.defer(() =>
        withClient(place.stack.adminDatabaseUrl, async (later) => {
          await later.query('DELETE FROM identity.platform_administrators WHERE user_id = $1', [operator.userId]);
        }),
      );
    });
    const salt = randomBytes(16);
    const [saltText, hashText] = [salt, scryptSync(PASSWORD, salt, 32, { N: 1024, r: 8, p: 1 })].map((bytes) =>
      bytes.toString('base64').replace(/=+$/, ''),
    );
    const emails = Array.from({ length: 1_600 }, () => `${randomUUID()}@example.com`);
    const rows = emails.map((email, index) => ({
      email,
      externalId: email,
      emailVerified: true,
      name: `Person ${index}`,
      hashAlgorithm: 'scrypt',
      passwordHash: `$scrypt$ln=10,r=8,p=1$${saltText}$${hashText}`,
    }));
    const file = join(place.folder, 'moved.ndjson');
    const taken = { ...rows[0], email: place.owner.email, externalId: 'taken' };
    writeFileSync(file, [...rows, taken].map((row) => `${JSON.stringify(row)}\n`).join(''));
    const terminal = place.openTerminal({ TESSERA_TOKEN: operator.token });
    const child = terminal.start('import', 'moved.ndjson');
    const ended = new Promise<number | null>((done) => child.once('close', done));
    await until(() => existsSync(`${file}.tessera-import.json`));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const said = await terminal.run('import', 'moved.ndjson', '--json');
    expect([said.code, JSON.parse(said.out)]).toStrictEqualFor(said.err, [
      4,
      { created: 1_600, exists: 0, skipped: 1, invalid: 0, report: 'moved.ndjson.report.ndjson' },
    ]);
    const again = await terminal.run('import', 'moved.ndjson', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ created: 0, exists: 1_600, skipped: 1 });
    const { client } = operator;
    for (const email of [emails[0], emails[1_599]])
      dataOf(await client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: PASSWORD } }));
    const stranger = place.openTerminal({ TESSERA_TOKEN: place.owner.token });
    const denied = await stranger.run('import', 'moved.ndjson', '--restart', '--json');
    expect([denied.code, JSON.parse(denied.err.trim().split('\n').at(-1) ?? '').error.code]).toStrictEqual([1, 'FORBIDDEN']);
  });

  test('what is wrong with the file or the command is said before anything is sent', async () => {
    const terminal = place.openTerminal({ TESSERA_TOKEN: 'x' });
    writeFileSync(join(place.folder, 'broken.csv'), 'email,name\na@b,"A\n');
    writeFileSync(join(place.folder, 'people.txt'), '');
    for (const [args, code, said] of [
      [['missing.csv'], 2, 'missing.csv cannot be read'],
      [['.'], 2, '. cannot be read'],
      [['people.txt'], 2, 'Give --from'],
      [['people.txt', '--from', 'constructor'], 2, 'Allowed choices are csv, ndjson, auth0, keycloak, cognito'],
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
    const terminal = place.openTerminal();
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
