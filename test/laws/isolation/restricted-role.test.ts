/**
 * All 21 pivots of the running system, as the restricted role, with the settings of their tenant,
 * of another, of none, and with invalid ids. The services' own isolation tests check exact rows;
 * this one attacks every table in the same way.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { inScope } from '../../support/client.ts';
import { openStack } from '../../support/shared-stack.ts';
import { sharedStack } from '../../support/stack.ts';
import { withAdmin } from '../../support/stolen-keys.ts';
import { createProject, createWorld, dataOf, type Person, type World } from '../../support/world.ts';
import { pivots } from './catalogue.ts';

type Settings = Readonly<Record<'organization' | 'account' | 'project', string>>;
type Row = Readonly<Record<string, unknown>>;
const tenantColumns = ['organization_id', 'account_id', 'project_id'] as const;
function settingOf(column: (typeof tenantColumns)[number]) {
  return column.replace('_id', '') as keyof Settings;
}
const nowhere: Settings = { organization: '', account: '', project: '' };

/** What a tenant may set: each of its scopes. */
const scopesOf = new Map<string, readonly Settings[]>();
const logins = new Map<string, pg.Client>();
/** Every row of every pivot, as it really is. */
const rows = new Map<string, readonly Row[]>();

/** Adds the rows that `createWorld` leaves out, so that every pivot has one. */
async function populate(world: World): Promise<readonly Settings[]> {
  const { owner, organization, project } = world;
  const post = async (path: string, body: object, { client, token }: Person = owner) => dataOf(await client.post(path, body, token));
  const own = await createProject(owner, owner.account);
  const named = { name: 'Isolated', color: 'red' };
  const accountTag = await post('/api/tags', { scope: owner.account, ...named });
  for (const scope of [organization, project]) await post('/api/tags', { scope, ...named });
  const [, ownId = ''] = own.id.split(':');
  const [, projectId = ''] = project.id.split(':');
  const tag = async (id: string, scope: object, tagId: unknown) =>
    dataOf(await owner.client.patch(`/api/projects/${id}`, { scope, tagIds: [tagId] }, owner.token));
  await tag(ownId, owner.account, accountTag.id);
  await tag(projectId, organization, world.ids.Tag);
  const { items } = dataOf(await owner.client.get(`/api/resources?${inScope(project, 'search=Tag&limit=100')}`, owner.token));
  const permission = await post('/api/permissions', { scope: project, name: 'p', action: 'Query', resourceId: items[0].id });
  const group = await post('/api/groups', { scope: project, name: 'g', permissionIds: [permission.id] });
  const role = await post('/api/roles', { scope: project, name: 'r', groupIds: [group.id] });
  const user = await post('/api/users', { scope: project, name: 'Project User', roleIds: [role.id] });
  const accountRole = await post('/api/roles', { scope: own, name: 'r' });
  await post('/api/api-keys', { scope: own, name: 'k', roleId: accountRole.id });
  await post('/api/api-keys', { scope: { tenant: `${project.tenant}User`, id: `${project.id}:${user.id}` }, name: 'k' });
  return [
    { ...nowhere, organization: organization.id },
    { ...nowhere, account: owner.account.id },
    { ...nowhere, organization: organization.id, project: projectId },
    { ...nowhere, account: owner.account.id, project: ownId },
  ];
}

const stack = await openStack();
const worlds = [await createWorld(stack), await createWorld(stack)];
for (const [index, world] of worlds.entries()) scopesOf.set(index === 0 ? 'mine' : 'theirs', await populate(world));
const shared = await sharedStack();
await withAdmin(shared, async (admin) => {
  const generated = await admin.query<{ name: string }>('SELECT DISTINCT attname AS name FROM pg_attribute WHERE attgenerated <> $1', ['']);
  const computed = new Set(generated.rows.map(({ name }) => name));
  const written = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([name]) => !computed.has(name)));
  for (const pivot of pivots) rows.set(pivot, (await admin.query<Row>(`SELECT * FROM ${pivot}`)).rows.map(written));
});
for (const service of ['tenancy', 'rbac', 'keys'] as const) {
  const client = new pg.Client({ connectionString: shared.databaseUrls[service] });
  await client.connect();
  logins.set(service, client);
}
afterAll(() => Promise.all([...logins.values()].map((client) => client.end())));

/** Runs one statement as the restricted role of the pivot's service and rolls it back. */
async function as(
  pivot: string,
  settings: Partial<Settings> | { readonly tenant_ids: string },
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const [service = ''] = pivot.split('.');
  const client = logins.get(service);
  assert.ok(client);
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL ROLE tenant_app_restricted_${service}`);
    const set = Object.entries(settings).map(([name], index) => `set_config('app.current_${name}_id', $${index + 1}, true)`);
    if (set.length > 0) await client.query(`SELECT ${set.join(', ')}`, Object.values(settings));
    return await client.query<Row>(text, [...values]);
  } finally {
    await client.query('ROLLBACK');
  }
}

function columnsOf(row: Row) {
  return tenantColumns.filter((column) => row[column] !== undefined && row[column] !== null);
}
/** True when the settings name the row's own tenant. */
function covers(settings: Settings, row: Row, columns: readonly (typeof tenantColumns)[number][]): boolean {
  return columns.every((column) => settings[settingOf(column)] === row[column]);
}

const [a, b] = [randomUUID(), randomUUID()];
const hostile = ["'; --", "' OR '1'='1", 'not-a-uuid', `${a},${b}`, `${a} ${b}`, `${a}', '${b}`, 'NULL', '%', '*', ' ', '\\', '{}'];
const refusedText = new Set(['22P02', '22021', '42501']);

describe('every pivot, as the restricted role [spec:isolation.2 spec:isolation.3]', () => {
  for (const pivot of pivots) {
    const all = () => rows.get(pivot) ?? [];
    const mine = () => scopesOf.get('mine') ?? [];
    const theirs = () => scopesOf.get('theirs') ?? [];
    const belonging = (settings: readonly Settings[]) =>
      all().filter((row) =>
        settings.some((own) => {
          const named = columnsOf(row).filter((column) => own[settingOf(column)] !== '');
          return named.length > 0 && covers(own, row, named);
        }),
      );

    test(`${pivot}: shows under each tenant’s settings nothing but that tenant’s rows`, async () => {
      // The test made no row in both tenants.
      expect(belonging(mine()).length).toBeGreaterThan(0);
      expect(belonging(theirs()).length).toBeGreaterThan(0);
      let seen = 0;
      for (const settings of [...mine(), ...theirs()]) {
        const { rows: found } = await as(pivot, settings, `SELECT * FROM ${pivot}`);
        for (const row of found) {
          const named = columnsOf(row).filter((column) => settings[settingOf(column)] !== '');
          expect(named.length > 0 && covers(settings, row, named)).toStrictEqualFor({ settings, row }, true);
        }
        seen += found.length;
      }
      // The settings of the row's own tenant show rows, so the loop above compares something.
      expect(seen).toBeGreaterThan(0);
    });

    test(`${pivot}: shows nothing without settings, with empty ones, invented ones, or one tenant’s project under another’s parent`, async () => {
      const [first, second] = [mine(), theirs()];
      const crossed = first.flatMap((own) => second.map((other): Settings => ({ ...own, project: other.project })));
      const nobodys: readonly Partial<Settings>[] = [{}, nowhere, { organization: a, account: a, project: a }];
      const halfForeign = crossed.filter(({ organization, account, project }) => project !== '' && organization + account !== '');
      for (const settings of [...nobodys, ...halfForeign]) {
        const { rows: found } = await as(pivot, settings, `SELECT * FROM ${pivot}`);
        const stranger = found.filter(
          (row) =>
            !first.some((own) =>
              covers(
                own,
                row,
                columnsOf(row).filter((column) => column !== 'project_id'),
              ),
            ),
        );
        // A project's pivots are keyed by the project alone; the pipeline has checked its owner
        // before (rbac's tenants).
        const isByProject = found.every((row) => columnsOf(row).join() === 'project_id');
        expect(stranger.length === 0 || isByProject).toStrictEqualFor(
          `${JSON.stringify(settings)} shows ${JSON.stringify(stranger[0])}`,
          true,
        );
        if (nobodys.includes(settings)) expect(found.length).toStrictEqualFor(settings, 0);
      }
    });

    test(`${pivot}: takes no text for a tenant that is no id`, async () => {
      for (const text of hostile)
        for (const statement of [`SELECT * FROM ${pivot}`, `DELETE FROM ${pivot}`]) {
          const outcome = await as(pivot, { organization: text, account: text, project: text }, statement).then(
            ({ rowCount }) => rowCount,
            (error: { code?: string }) => (refusedText.has(error.code ?? '') ? 0 : error.code),
          );
          expect(outcome).toStrictEqualFor(`${statement} with ${text}`, 0);
        }
    });

    test(`${pivot}: shows a list of tenants their rows only where it is open to lists, and refuses writes by a list`, async () => {
      const isOpen = pivot.startsWith('rbac.');
      const mineAlone = mine().flatMap((settings) => Object.values(settings).filter((id) => id !== ''));
      const strangers = belonging(theirs()).map((row) => columnsOf(row).map((column) => row[column]));
      for (const list of [mineAlone.join(','), [...mineAlone, randomUUID()].join(','), randomUUID(), '']) {
        const { rows: found } = await as(pivot, { tenant_ids: list }, `SELECT * FROM ${pivot}`);
        if (!isOpen || !list.includes(mineAlone[0] ?? '-')) expect(found.length).toStrictEqualFor(list, 0);
        for (const row of found) {
          const tenant = columnsOf(row).map((column) => row[column]);
          expect(!strangers.some((stranger) => stranger.join() === tenant.join())).toStrictEqualFor(row, true);
        }
        for (const text of [
          `DELETE FROM ${pivot}`,
          `UPDATE ${pivot} SET ${columnsOf(all()[0] ?? {})[0]} = ${columnsOf(all()[0] ?? {})[0]}`,
        ])
          expect((await as(pivot, { tenant_ids: list }, text)).rowCount).toStrictEqualFor(text, 0);
      }
    });

    test(`${pivot}: refuses to change, delete, take over or insert a row of another tenant`, async () => {
      const [column = 'project_id'] = columnsOf(all()[0] ?? {});
      for (const settings of mine())
        for (const row of belonging(theirs())) {
          const where = columnsOf(row)
            .map((name, index) => `${name} = $${index + 1}`)
            .join(' AND ');
          const keys = columnsOf(row).map((name) => row[name]);
          const changed = await as(pivot, settings, `UPDATE ${pivot} SET ${column} = ${column} WHERE ${where}`, keys);
          const removed = await as(pivot, settings, `DELETE FROM ${pivot} WHERE ${where}`, keys);
          expect([changed.rowCount, removed.rowCount]).toStrictEqualFor(settings, [0, 0]);
          const names = Object.keys(row);
          const places = names.map((_, index) => `$${index + 1}`);
          const insert = `INSERT INTO ${pivot} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')})`;
          expect(await as(pivot, settings, insert, Object.values(row)).catch((error: unknown) => error)).toStrictEqualFor(
            settings,
            expect.objectContaining({ code: '42501' }),
          );
        }
    });
  }
});
