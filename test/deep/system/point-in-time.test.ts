/** The commands of docs/operating.md "To a point in time", with Postgres' own tools. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { giveTo, postgresAccount } from '../../../tools/postgres/account.ts';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { createClient } from '../../support/client.ts';
import { settledInvariants } from '../../support/faults/invariants.ts';
import { Cluster, installedTools, makeFolder } from '../../support/faults/site/cluster.ts';
import { startOwnStack } from '../../support/shared-stack.ts';
import { testUnless } from '../../support/unless.ts';
import { patienceMs, until } from '../../support/until.ts';
import { createOrganization, createPerson, dataOf, PASSWORD } from '../../support/world.ts';

const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());
const skip = installedTools() === undefined && 'NOT RUN: needs pg_basebackup of an installed Postgres';
const page = readFileSync(join(repositoryFolder, 'docs/operating.md'), 'utf8');

/** As the page has it, with these folders in place of its own. */
function settingOf(name: string, archive: string): string {
  const [, value] = new RegExp(`^${name} = '(.*)'$`, 'm').exec(page) ?? [];
  expect(value).toStrictEqualFor(`docs/operating.md sets ${name}`, expect.any(String));
  return String(value).replaceAll('/archive', archive);
}

testUnless(skip)('an installation goes back to a second, with its people and without what came later', async () => {
  const folder = mkdtempSync('/tmp/tessera-time-');
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const archive = join(folder, 'archive');
  for (const path of [folder, archive]) makeFolder(path);
  const cluster = cleanup.use(await Cluster.create(join(folder, 'first')));
  cluster.configure({ archive_mode: settingLine('archive_mode'), archive_command: settingOf('archive_command', archive) });
  await cluster.start();
  const first = await startOwnStack({ database: { adminUrl: cluster.adminUrl, name: 'tessera' } });
  cleanup.defer(() => first.close());

  const early = await createPerson(first);
  expect(page).toContain('pg_basebackup --pgdata=/backups/base-$(date +%F) --checkpoint=fast --wal-method=stream');
  const restored = cleanup.use(await cluster.baseBackup(join(folder, 'base')));
  const between = await createPerson(first);
  const organization = await createOrganization(between, 'Kept');
  await sleep(1_500);
  const [moment] = await cluster.query<{ now: string }>('SELECT now()::text AS now');
  await sleep(1_500);
  const late = await createPerson(first);
  const path = `/api/organizations/${organization.id}?tenant=organization&scopeId=${organization.id}`;
  dataOf(await between.client.delete(path, between.token));
  await first.close();
  await cluster.query('SELECT pg_switch_wal()');
  await until(async () => {
    const [row] = await cluster.query<{ done: boolean }>(
      'SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) AS done FROM pg_stat_archiver',
    );
    return row?.done === true;
  });
  await cluster.kill();
  expect(readdirSync(archive).length).toBeGreaterThan(1);

  restored.configure({
    archive_mode: 'off',
    restore_command: settingOf('restore_command', archive),
    recovery_target_time: String(moment?.now),
    recovery_target_action: settingOf('recovery_target_action', archive),
  });
  const signal = join(restored.data, 'recovery.signal');
  writeFileSync(signal, '');
  giveTo(postgresAccount(), signal);
  await restored.start();
  await until(() => !existsSync(signal));

  const { INTERNAL_AUTH_SECRET = '', APP_URL = '' } = first.stack.env('identity');
  const { KEYS_ENCRYPTION_KEY = '' } = first.stack.env('keys');
  const second = await startOwnStack({
    database: { adminUrl: restored.adminUrl, name: 'tessera' },
    env: { INTERNAL_AUTH_SECRET, APP_URL, KEYS_ENCRYPTION_KEY },
  });
  cleanup.defer(() => second.close());
  const client = createClient(second.url);
  const login = (providerId: string) =>
    client.post('/api/auth/login', { provider: 'email', providerId, providerData: { password: PASSWORD } });
  expect((await login(early.email)).status).toBe(200);
  expect((await login(late.email)).status).toBe(401);
  const { accessToken } = dataOf(await login(between.email));
  expect(dataOf(await client.get(path, accessToken)).name).toBe('Kept');
  expect(await settledInvariants(second.adminDatabaseUrl, patienceMs)).toStrictEqual([]);
  const { rows } = await withClient(second.adminDatabaseUrl, (admin) => admin.query('SELECT count(*)::int AS n FROM identity.users'));
  expect(rows).toStrictEqual([{ n: 2 }]);
});

/** A setting without quotes. */
function settingLine(name: string): string {
  return new RegExp(`^${name} = (\\w+)$`, 'm').exec(page)?.[1] ?? '';
}

test('the page names the tools that are run here', () => {
  for (const word of ['pg_basebackup', 'recovery.signal', 'recovery_target_time']) expect(page).toContain(word);
});
