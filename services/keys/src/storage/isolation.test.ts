import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { pivotsOf } from '@tessera/kernel/postgres';
import { startTestStack } from '../testing/service.ts';
import * as entities from './entities.ts';

const pivots = ['account_project_api_keys', 'organization_project_api_keys', 'project_user_api_keys'] as const;

/** Attacks as the restricted role, past our own code: what the database lets through. */
const mine: Record<string, { organization: string; account: string; project: string; key: string }> = {};

const stack = await startTestStack();
for (const tenant of ['organizationProject', 'accountProject'] as const) {
  const project = await stack.project(tenant);
  for (const user of [false, true]) {
    const body = user ? { scope: project.userScope, name: 'k' } : { scope: project.scope, name: 'k', roleId: project.roleId };
    const { data, text } = await stack.request('POST', '/api/api-keys', { token: project.token, body });
    expect(Boolean(data['id'])).toStrictEqualFor(text, true);
    const isOrganization = tenant === 'organizationProject';
    mine[`${tenant}${user ? 'User' : ''}`] = {
      organization: isOrganization ? project.parentId : '',
      account: isOrganization ? '' : project.parentId,
      project: project.projectId,
      key: String(data['id']),
    };
  }
}
const login = await stack.database.connect(stack.database.urls.keys);
await login.query('SET search_path = keys');
afterAll(() => stack.stop());

type Settings = { organization?: string; account?: string; project?: string };

async function asRestricted<Result>(settings: Settings, work: () => Promise<Result>): Promise<Result> {
  await login.query('BEGIN');
  try {
    await login.query('SET LOCAL ROLE tenant_app_restricted_keys');
    for (const [name, value] of Object.entries(settings))
      await login.query('SELECT set_config($1, $2, true)', [`app.current_${name}_id`, value]);
    return await work();
  } finally {
    await login.query('ROLLBACK');
  }
}

function visible(table: string, settings: Settings) {
  return asRestricted(settings, async () =>
    (await login.query(`SELECT api_key_id FROM ${table}`)).rows.map(({ api_key_id }) => api_key_id),
  );
}

const home: Record<(typeof pivots)[number], readonly string[]> = {
  account_project_api_keys: ['accountProject'],
  organization_project_api_keys: ['organizationProject'],
  project_user_api_keys: ['accountProjectUser', 'organizationProjectUser'],
};

for (const pivot of pivots)
  for (const name of home[pivot])
    describe(`${pivot}, ${name}`, () => {
      const own = () => mine[name] ?? { organization: '', account: '', project: '', key: '' };
      const settingsOf = ({ organization, account, project }: ReturnType<typeof own>) => ({ organization, account, project });

      test('the right settings show exactly the rows of their tenant', async () =>
        expect(await visible(pivot, settingsOf(own()))).toStrictEqual([own().key]));

      test('a setting that is missing, empty, wrong or another tenant’s shows no row', async () => {
        const right = settingsOf(own());
        const parent = right.organization === '' ? 'account' : 'organization';
        const elsewhere = Object.values(mine).find(({ project }) => project !== right.project);
        const attempts: Settings[] = [
          {},
          { organization: '', account: '', project: '' },
          { project: right.project },
          { [parent]: right[parent] },
          { ...right, [parent]: '' },
          { ...right, project: '' },
          { ...right, [parent]: newId() },
          { ...right, project: newId() },
          { organization: elsewhere?.organization ?? '', account: elsewhere?.account ?? '', project: right.project },
          { ...right, project: elsewhere?.project ?? '' },
          { organization: right.account, account: right.organization, project: right.project },
        ];
        for (const settings of attempts) expect(await visible(pivot, settings)).toStrictEqualFor(settings, []);
      });

      test('no row can be inserted, moved or deleted across tenants', async () => {
        const { key, project } = own();
        const outside = { organization: newId(), account: newId(), project: newId() };
        const changed = await asRestricted(
          outside,
          async () => (await login.query(`UPDATE ${pivot} SET project_id = $1`, [outside.project])).rowCount,
        );
        const removed = await asRestricted(outside, async () => (await login.query(`DELETE FROM ${pivot}`)).rowCount);
        expect([changed, removed]).toStrictEqual([0, 0]);
        const move = () => login.query(`UPDATE ${pivot} SET project_id = $1 WHERE api_key_id = $2`, [outside.project, key]);
        await expect(asRestricted(settingsOf(own()), move)).rejects.toMatchObject({ code: '42501' });
        const parent = own().organization === '' ? 'account' : 'organization';
        const columns = pivot === 'project_user_api_keys' ? ', user_id' : '';
        const plant = () =>
          login.query(`INSERT INTO ${pivot} (api_key_id, ${parent}_id, project_id${columns}) VALUES ($1, $2, $3${columns && ', $4'})`, [
            key,
            own()[parent],
            project,
            ...(columns === '' ? [] : [newId()]),
          ]);
        await expect(asRestricted(outside, plant)).rejects.toMatchObject({ code: '42501' });
      });

      test('the view placed_api_keys is under the same policy', async () => {
        const read = async () => (await login.query('SELECT id FROM placed_api_keys')).rows.map(({ id }) => id);
        expect(await asRestricted({ organization: newId(), project: newId() }, read)).toStrictEqual([]);
        expect(await asRestricted(settingsOf(own()), read)).toContain(own().key);
      });
    });

describe('the restricted role', () => {
  test('the restricted role reads no signing key, no sealed secret and no audit row', async () => {
    for (const table of ['signing_keys', 'sealed_secrets', 'signing_key_audit_logs', 'audit_log', 'outbox', 'retired_scopes'])
      expect(await asRestricted({}, () => login.query(`SELECT * FROM ${table}`)).catch((error: unknown) => error)).toStrictEqualFor(
        table,
        expect.objectContaining({ code: '42501' }),
      );
  });

  test('the login of another service can read no table of keys and cannot switch to its restricted role', async () => {
    const stranger = await stack.database.connect(stack.database.urls.rbac);
    for (const table of ['signing_keys', 'api_keys', 'placed_api_keys', ...pivots])
      expect(await stranger.query(`SELECT * FROM keys.${table}`).catch((error: unknown) => error)).toStrictEqualFor(
        table,
        expect.objectContaining({ code: '42501' }),
      );
    await expect(stranger.query('SET ROLE tenant_app_restricted_keys')).rejects.toMatchObject({ code: '42501' });
  });

  test('every table with a tenant column is a pivot with policies', async () => {
    const { rows } = await login.query(`
      SELECT DISTINCT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
      WHERE c.relnamespace = 'keys'::regnamespace AND c.relkind = 'r' AND a.attname IN ('organization_id', 'account_id', 'project_id') ORDER BY 1`);
    const all = [...pivots, 'project_grants'].sort();
    expect(rows.map(({ relname }) => relname)).toStrictEqual(all);
    expect(pivotsOf(entities).sort()).toStrictEqual(all);
  });
});
