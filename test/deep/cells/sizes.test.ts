/**
 * What one thing takes in Postgres, with its indexes and what is written beside it: many are made
 * through the API, and the rows that came are counted. CELLS_WRITE=1 keeps them for `npm run
 * cells`.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { withClient } from '../../../tools/postgres/bootstrap.ts';
import { databaseServices } from '../../../tools/services.ts';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import { createClient } from '../../support/client.ts';
import { createTenant, data, signIn } from '../../support/load/tenant.ts';
import { startTestStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { addMembers } from '../load/crowd.ts';

/** Removed soon after they were delivered or answered. */
const passing = /\.(?:outbox|inbox|idempotency_keys|kernel_migrations|migrations)$/;
const hash = '$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2';
/** Below this a table is mostly empty pages. */
const enoughRows = 200;
const things = 250;

type Counts = ReadonlyMap<string, number>;

async function tablesOf(admin: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await admin.query<{ name: string }>(
    // Of partitioned tables the partitions, which hold the rows.
    `SELECT relnamespace::regnamespace || '.' || relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text = ANY ($1) ORDER BY 1`,
    [databaseServices],
  );
  return rows.map(({ name }) => name).filter((name) => !passing.test(name));
}

async function countRows(admin: pg.ClientBase): Promise<Counts> {
  const names = await tablesOf(admin);
  const counts = names.map((name) => `SELECT '${name}' AS name, count(*)::int AS count FROM ${name}`);
  const { rows } = await admin.query<{ name: string; count: number }>(counts.join(' UNION ALL '));
  return new Map(rows.map(({ name, count }) => [name, count]));
}

async function bytesOfRows(admin: pg.ClientBase): Promise<ReadonlyMap<string, number>> {
  await admin.query('VACUUM (ANALYZE)');
  const counts = await countRows(admin);
  const each = new Map<string, number>();
  for (const [name, count] of counts) {
    if (count < enoughRows) continue;
    const { rows } = await admin.query<{ bytes: string }>('SELECT pg_total_relation_size($1::text::regclass) AS bytes', [name]);
    each.set(name, Number(rows[0]?.bytes ?? 0) / count);
  }
  return each;
}

test('the bytes of people, organizations, projects, customers, keys, sessions and rows of the log', async () => {
  await using stack = await startTestStack();
  const tenant = await createTenant(stack, 'sizes');
  const { client, owner, organizationId, projectId, accountId } = tenant;
  await withClient(stack.adminDatabaseUrl ?? '', async (admin) => {
    await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1)', [owner.userId]);
    Object.assign(owner, await signIn(client, owner.email));
    const post = async (path: string, body: object) => data(await client.post(path, body, owner.token));
    const project = { tenant: 'organizationProject', id: `${organizationId}:${projectId}` };
    const organizations: string[] = [];
    const isQuiet = async () => {
      const owed = databaseServices.map((schema) => `SELECT id FROM ${schema}.outbox WHERE delivered_at IS NULL`);
      return (await admin.query(owed.join(' UNION ALL '))).rows.length === 0;
    };
    /** Rows of each table for one of what `make` makes. */
    const grows = async (count: number, make: (at: number) => Promise<unknown>, times = count) => {
      await until(isQuiet, 120_000);
      const before = await countRows(admin);
      for (let at = 0; at < times; at += 1) await make(at);
      await until(isQuiet, 120_000);
      const after = await countRows(admin);
      return new Map([...after].map(([name, rows]) => [name, (rows - (before.get(name) ?? 0)) / count] as const));
    };
    const personOf = (batch: number) => (_: unknown, at: number) => ({
      email: `person.${batch}.${at}@import.example`,
      name: `Person of batch ${batch} and ${at}`,
      emailVerified: true,
      externalId: `old-${batch}-${at}`,
      passwordHash: hash,
      hashAlgorithm: 'bcrypt',
    });
    const importBatch = (batch: number) => post('/api/platform/users/import', { users: Array.from({ length: 500 }, personOf(batch)) });
    const grown = {
      person: await grows(5_000, importBatch, 10),
      membership: await grows(5_000, () => addMembers(stack, tenant, 5_000), 1),
      organization: await grows(things, async (at) => {
        const { id } = await post('/api/organizations', { scope: { tenant: 'account', id: accountId }, name: `Organization ${at}` });
        organizations.push(id);
      }),
      project: await grows(things, (at) =>
        post('/api/projects', { scope: { tenant: 'organization', id: organizationId }, name: `Project ${at}` }),
      ),
      customer: await grows(things, async (at) => {
        const scope = { tenant: 'organization', id: organizations[at] };
        const { id } = await post('/api/project-grants', { scope: project, organizationId: scope.id });
        await post(`/api/project-grants/${id}/accept`, { scope });
      }),
      // A device has one session of a person: each of these is another one.
      session: await grows(things, (at) => signIn(createClient(stack.url, `device ${at}`), owner.email)),
      apiKey: await (async () => {
        const role = await post('/api/roles', { scope: project, name: 'Keys' });
        return grows(things, () => post('/api/api-keys', { scope: project, name: randomUUID(), roleId: role.id }));
      })(),
    };
    const each = await bytesOfRows(admin);
    const isLog = (name: string) => /\.audit_(?:log|seals)/.test(name);
    const isMember = (name: string) => /\.(?:organization_users|role_assignments)$/.test(name);
    const bytes = (thing: keyof typeof grown, counts: (name: string) => boolean = () => true) =>
      Math.round([...grown[thing]].reduce((sum, [name, rows]) => sum + (counts(name) ? rows * (each.get(name) ?? 0) : 0), 0));
    const logs = [...each].filter(([name]) => isLog(name)).map(([, size]) => size);
    const { rows } = await admin.query<{ version: string }>(`SELECT current_setting('server_version') AS version`);
    const sizes = {
      measuredAt: new Date().toISOString().slice(0, 10),
      postgres: rows[0]?.version.split(' ')[0] ?? '',
      person: bytes('person'),
      membership: bytes('membership', isMember),
      organization: bytes('organization'),
      project: bytes('project'),
      customer: bytes('customer'),
      apiKey: bytes('apiKey'),
      session: bytes('session', (name) => !isLog(name)),
      // A row and its seal.
      auditRow: Math.round((2 * logs.reduce((sum, size) => sum + size, 0)) / logs.length),
    };
    console.log(
      sizes,
      Object.fromEntries(Object.entries(grown).map(([thing, map]) => [thing, [...map].filter(([, rows]) => rows > 0.5).join(' ')])),
    );
    for (const [name, size] of Object.entries(sizes)) if (typeof size === 'number') expect([name, size > 100]).toStrictEqual([name, true]);
    expect(sizes.organization).toBeGreaterThan(sizes.membership);
    if (process.env.CELLS_WRITE === '1')
      writeFileSync(join(repositoryFolder, 'tools', 'cells', 'sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
  });
});
