/** A backup of a running installation, restored into an empty place, in which people sign in. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { End, Manifest } from '../../../tools/backup/format.ts';
import { restoreBackup } from '../../../tools/backup/restore.ts';
import type { Urls } from '../../../tools/backup/schema.ts';
import { writeBackup } from '../../../tools/backup/write.ts';
import { loginUrl, withClient } from '../../../tools/postgres/bootstrap.ts';
import { startPostgres } from '../../../tools/postgres/server.ts';
import { type DatabaseService, databaseServices } from '../../../tools/services.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { startStack } from '../../../tools/stack/stack.ts';
import { createClient } from '../../support/client.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { builtInRole, createOrganization, createPerson, createProject, dataOf, PASSWORD, type Person } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'tessera-backup-'));
const file = join(folder, 'backup');
let first: Awaited<ReturnType<typeof startOwnStack>>;
let written: Manifest & End;
let [person, late]: (Person | undefined)[] = [];
let apiKey: { clientId: string; clientSecret: string; scope: object };
let place: { readonly adminUrl: string; readonly urls: Urls };

beforeAll(async () => {
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  first = await startOwnStack();
  cleanup.defer(() => first.close());
  person = await createPerson(first);
  const organization = await createOrganization(person);
  const project = await createProject(person, organization);
  const roleId = await builtInRole(person, organization, 'Viewer');
  const made = dataOf(await person.client.post('/api/api-keys', { scope: project, name: 'Backup', roleId }, person.token));
  apiKey = { clientId: made.clientId, clientSecret: made.clientSecret, scope: project };
  written = await writeBackup(first.stack.databaseUrls, file);
  late = await createPerson(first);
  place = await openPlace('restored');
});
afterAll(() => cleanup.disposeAsync());

/** An empty server with logins that do not exist yet. */
async function openPlace(name: string) {
  const server = await startPostgres({ folder: mkdtempSync(join(tmpdir(), 'tessera-place-')), profile: 'fast', ephemeral: true });
  cleanup.defer(() => server.stop());
  const url = (service: DatabaseService) => loginUrl(server.adminUrl, name, service, `password-of-${service}`);
  return { adminUrl: server.adminUrl, urls: { identity: url('identity'), tenancy: url('tenancy'), rbac: url('rbac'), keys: url('keys') } };
}

function dataLines(path: string): readonly string[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  return lines.filter((line) => /^[TRS] /.test(line)).toSorted();
}

test('a backup is of one moment, for its owner only, and names the encryption key without having it', () => {
  expect(new Set(Object.values(written.seenAt)).size).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(written.encryptionKeyIds).toStrictEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
  const text = gunzipSync(readFileSync(file)).toString('utf8');
  for (const name of ['KEYS_ENCRYPTION_KEY', 'INTERNAL_AUTH_SECRET']) expect(text).not.toContain(first.stack.env('keys')[name] ?? name);
  expect(text).not.toContain(PASSWORD);
});

test('a backup that was cut off or changed is refused before anything is touched', async () => {
  const whole = gunzipSync(readFileSync(file)).toString('utf8');
  const cut = join(folder, 'cut');
  writeFileSync(cut, readFileSync(file).subarray(0, -20));
  await expect(restoreBackup(place.urls, cut, { adminUrl: place.adminUrl })).rejects.toThrow(/unexpected end|incomplete/);
  writeFileSync(cut, gzipSync(whole.slice(0, whole.lastIndexOf('\nE ') + 1)));
  await expect(restoreBackup(place.urls, cut, { adminUrl: place.adminUrl })).rejects.toThrow('its end is missing');
  writeFileSync(cut, gzipSync(whole.replace('"Acme"', '"Evil"')));
  await expect(restoreBackup(place.urls, cut, { adminUrl: place.adminUrl })).rejects.toThrow('its digest differs');
  writeFileSync(cut, gzipSync(whole.replace('"version":"', '"version":"9.').replace(/"rbac":\["/, '"rbac":["000_other","')));
  await expect(restoreBackup(place.urls, cut, { adminUrl: place.adminUrl })).rejects.toThrow(/digest|other migrations/);
  const { rowCount } = await withClient(place.adminUrl, (client) => client.query(`SELECT FROM pg_roles WHERE rolname LIKE 'tessera%'`));
  expect(rowCount).toBe(0);
});

test('a database with people in it, or with a service at work, is refused', async () => {
  await expect(restoreBackup(first.stack.databaseUrls, file)).rejects.toThrow('stop all services first');
});

test('an installation restored into an empty place has every row, signs the same people in, and knows nothing later', async () => {
  const restored = await restoreBackup(place.urls, file, { adminUrl: place.adminUrl });
  expect(restored.rows).toStrictEqual(written.rows);
  const again = join(folder, 'again');
  await writeBackup(place.urls, again);
  expect(dataLines(again)).toStrictEqual(dataLines(file));
  await expect(restoreBackup(place.urls, file)).rejects.toThrow('is not empty');
  expect(await policiesOf(place.adminUrl, 'restored')).toStrictEqual(await policiesOf(first.adminDatabaseUrl, 'tessera'));

  await first.close();
  const { INTERNAL_AUTH_SECRET = '', APP_URL = '' } = first.stack.env('identity');
  const { KEYS_ENCRYPTION_KEY = '' } = first.stack.env('keys');
  const urls = Object.fromEntries(databaseServices.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, place.urls[service]]));
  const second = await startOwnStack({ env: { ...urls, INTERNAL_AUTH_SECRET, APP_URL, KEYS_ENCRYPTION_KEY } });
  cleanup.defer(() => second.close());
  const client = createClient(second.url);
  const login = (email = '') =>
    client.post('/api/auth/login', { provider: 'email', providerId: email, providerData: { password: PASSWORD } });
  const { accessToken } = dataOf(await login(person?.email));
  expect(dataOf(await client.get('/api/me', accessToken)).email).toBe(person?.email);
  expect(dataOf(await client.get('/api/me', person?.token)).email).toBe(person?.email);
  expect((await client.post('/api/auth/token', apiKey)).status).toBe(200);
  expect(await createOrganization({ ...(person as Person), client, token: accessToken }, 'After')).toMatchObject({
    tenant: 'organization',
  });
  expect((await login(late?.email)).status).toBe(401);
});

/** Policies, constraints and triggers of the four schemas, and whether they are on. */
async function policiesOf(adminUrl: string, database: string): Promise<readonly unknown[]> {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return withClient(url.href, async (client) => {
    const { rows } = await client.query(
      `SELECT tgname AS name, tgenabled::text AS state, tgrelid::regclass::text AS of FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT conname, convalidated::text || pg_get_constraintdef(oid), conrelid::regclass::text FROM pg_constraint
         WHERE connamespace::regnamespace::text = ANY ($1)
       UNION ALL SELECT polname, polcmd::text, polrelid::regclass::text FROM pg_policy ORDER BY 3, 1, 2`,
      [databaseServices],
    );
    return rows;
  });
}

test('npm run backup says what is missing', () => {
  const { status, stderr } = backupTool({}, 'write', join(folder, 'none'));
  expect([status, stderr]).toStrictEqual([1, expect.stringContaining('Missing: KEYS_DATABASE_URL')]);
});

function backupTool(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', 'tools/backup/main.ts', ...args], {
    cwd: repositoryFolder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
}

test('an installation of npm start comes back on a new machine, and after its database was lost', async () => {
  const original = await startOwnStack();
  const { dataDir } = original;
  const kept = join(folder, 'of-npm-start');
  const inhabitant = await createPerson(original);
  const { APP_URL = '', INTERNAL_AUTH_SECRET = '' } = original.stack.env('identity');
  const { KEYS_ENCRYPTION_KEY = '' } = original.stack.env('keys');
  for (const process of Object.values(original.stack.processes)) await process.stop();
  await writeBackup(original.stack.databaseUrls, kept);
  const secrets = readFileSync(join(dataDir, 'secrets.json'), 'utf8');
  await original.close();

  const fresh = mkdtempSync(join(tmpdir(), 'tessera-new-machine-'));
  const lost = mkdtempSync(join(tmpdir(), 'tessera-lost-'));
  for (const path of [fresh, lost]) cleanup.defer(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(lost, 'secrets.json'), secrets, { mode: 0o600 });
  for (const [path, env] of [
    [fresh, { KEYS_ENCRYPTION_KEY, INTERNAL_AUTH_SECRET }],
    [lost, {}],
  ] as const) {
    const { status, stderr } = backupTool(env, 'restore', kept, '--data-dir', path);
    expect([status, stderr]).toStrictEqual([0, '']);
    await using again = new AsyncDisposableStack();
    const stack = await startStack({ dataDir: path, profile: 'fast', env: { APP_URL, NODE_ENV: 'test', TOKEN_BCRYPT_ROUNDS: '4' } });
    again.defer(() => stack.stop());
    const credentials = { provider: 'email', providerId: inhabitant.email, providerData: { password: PASSWORD } };
    expect((await createClient(stack.url).post('/api/auth/login', credentials)).status).toStrictEqualFor(path, 200);
  }
});
