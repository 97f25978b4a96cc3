/**
 * Pages of the audit log at ten million rows of a thousand tenants: fills the logs of its own
 * stack, asks through the gateway, and prints p50, p95 and p99 of each question.
 *
 *   node tools/run.mjs test/load/audit-log/main.ts [rows] [tenants]
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { createClient, inScope } from '../../system/client.ts';
import { waitForMail } from '../../system/mail.ts';
import { startOwnStack } from '../../system/stack.ts';

const [rows = 10_000_000, tenants = 1_000] = process.argv.slice(2).map(Number);
const services = ['identity', 'tenancy', 'rbac', 'keys'];
const rowsAtOnce = 250_000;
const questions = 200;

await using stack = await startOwnStack({ profile: 'fast' }).then((own) => ({ ...own, [Symbol.asyncDispose]: own.close }));
const client = createClient(stack.url, 'audit load');
const email = 'audit.load@example.com';
const credentials = { provider: 'email', providerId: email, providerData: { password: 'Correct-Horse-42' } };
const { account } = (await client.post('/api/auth/register', { name: 'Audit Load', type: 'organization', ...credentials })).body.data;
await client.post('/api/auth/verify-email', { token: (await waitForMail(stack.dataDir, email)).data.token });
const login = async (): Promise<string> => (await client.post('/api/auth/login', credentials)).body.data.accessToken;
const made = { scope: { tenant: 'account', id: account.id }, name: 'Audited' };
const organization = { tenant: 'organization', id: (await client.post('/api/organizations', made, await login())).body.data.id };
const admin = new pg.Client({ connectionString: stack.adminDatabaseUrl });
await admin.connect();
// The server of a run that failed ends before its connection does.
admin.on('error', () => undefined);

/** Twelve months, as after a year: a new database has one partition for all that was before. */
async function makeMonths(service: string): Promise<void> {
  for (const table of ['audit_log', 'audit_seals']) {
    await admin.query(`DROP TABLE ${service}.${table}_before`);
    for (let month = 12; month >= 1; month -= 1)
      await admin.query(
        `DO $$ BEGIN EXECUTE format('CREATE TABLE ${service}.${table}_ago_${month} PARTITION OF ${service}.${table} FOR VALUES FROM (%L) TO (%L)',
           date_trunc('month', now()) - ${month} * interval '1 month', date_trunc('month', now()) - ${month - 1} * interval '1 month'); END $$`,
      );
  }
}

/** One row in ten is the measured tenant's, which is the largest; one in a thousand is refused. */
async function fill(service: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += rowsAtOnce)
    await admin.query(
      `INSERT INTO ${service}.audit_log (at, operation, action, outcome, actor_id, actor_type, scope_tenant, scope_id, target_type, target_id,
         ip_address, user_agent, request_id, detail, changes)
       SELECT now() - random() * interval '330 days', 'updateRole', 'thing' || n % 40 || '.updated', CASE WHEN n % 1000 = 0 THEN 'refused' ELSE 'ok' END,
         ('0190a000-0000-7000-8000-' || lpad(to_hex(t * 20 + n % 20), 12, '0'))::uuid, 'session', 'organization',
         CASE WHEN n % 10 = 0 THEN $1 ELSE '0190a000-0000-7000-8000-' || lpad(to_hex(t), 12, '0') END, 'Role',
         '0190a000-0000-7000-8000-' || lpad(to_hex(t * 500 + n % 500), 12, '0'), '203.0.113.9', 'Mozilla/5.0', md5(n::text), '{}',
         '[{"field": "name", "before": "Old", "after": "New"}]'
       FROM (SELECT n, (random() * ${tenants})::integer AS t FROM generate_series(1::bigint, $2::bigint) AS n) AS drawn`,
      [organization.id, Math.min(rowsAtOnce, count - done)],
    );
}

/** Filled without its indexes and indexed at the end, which takes a tenth of the time. */
async function withoutIndexes(service: string, work: () => Promise<void>): Promise<void> {
  const { rows: found } = await admin.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE schemaname = $1 AND tablename = 'audit_log' AND indexname NOT LIKE '%pkey'`,
    [service],
  );
  for (const { name } of found) await admin.query(`DROP INDEX ${service}.${name}`);
  await work();
  for (const { definition } of found) await admin.query(definition.replace(' ON ONLY ', ' ON '));
}

const startedAt = performance.now();
await admin.query(`SET maintenance_work_mem = '512MB'`);
for (const service of services) {
  await makeMonths(service);
  await withoutIndexes(service, () => fill(service, Math.ceil(rows / services.length)));
  await admin.query(`ANALYZE ${service}.audit_log`);
  console.log(`${service}: filled after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

const token = await login();
type Page = {
  readonly items: readonly { readonly at: string; readonly actor: { readonly id: string }; readonly target: { readonly id: string } }[];
  readonly nextCursor: string;
};
async function ask(more: string, path = '/api/audit-events'): Promise<{ page: Page; ms: number }> {
  const before = performance.now();
  const query = path.startsWith('/api/me') ? more : inScope(organization, more);
  const { status, body } = await client.get(`${path}?${query}`, token);
  if (status !== 200) throw new Error(`${more}: ${status} ${JSON.stringify(body)}`);
  return { page: body.data, ms: performance.now() - before };
}

const { page } = await ask('limit=50');
const some = page.items.map(({ actor, target }) => ({ actor: actor.id, target: target.id }));
let cursor = page.nextCursor;
const cursors: string[] = [];
for (let deep = 0; deep < questions; deep += 1) {
  cursors.push(cursor);
  cursor = (await ask(`limit=50&cursor=${encodeURIComponent(cursor)}`)).page.nextCursor;
}
const long = (days: number) => encodeURIComponent(new Date(Date.now() - days * 86_400_000).toISOString());

const kinds: readonly (readonly [string, (n: number) => string, string?])[] = [
  ['the first page', () => 'limit=50'],
  ['a page in the middle', (n) => `limit=50&to=${long(30 + n)}`],
  ['the next page by cursor', (n) => `limit=50&cursor=${encodeURIComponent(cursors[n] ?? '')}`],
  ['one actor', (n) => `limit=50&actorId=${some[n % some.length]?.actor}`],
  ['one target', (n) => `limit=50&targetType=Role&targetId=${some[n % some.length]?.target}`],
  ['one action', (n) => `limit=50&action=thing${n % 40}.updated`],
  ['an action that never happened', () => 'limit=50&action=role.created'],
  ['refusals only (1 in 1,000)', () => 'limit=50&outcome=refused'],
  ['without projects', () => 'limit=50&includeProjects=false'],
  ['one’s own', () => 'limit=50', '/api/me/audit-events'],
];
console.log(
  `\n| question (${rows} rows, ${tenants} tenants, ${Math.round(rows / 10)} of the asked one) | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|`,
);
for (const [name, question, path] of kinds) {
  await ask(question(0), path);
  const times: number[] = [];
  for (let n = 0; n < questions; n += 1) times.push((await ask(question(n), path)).ms);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (questions - 1))]?.toFixed(1);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |`);
}

const before = process.memoryUsage().rss;
const startedExport = performance.now();
const answer = await fetch(`${stack.url}/api/audit-events/export?${inScope(organization, `format=ndjson&from=${long(15)}`)}`, {
  headers: { authorization: `Bearer ${token}` },
});
let [bytes, lines] = [0, 0];
for await (const chunk of answer.body ?? []) {
  bytes += chunk.length;
  lines += chunk.reduce((sum: number, byte: number) => sum + Number(byte === 10), 0);
}
const seconds = (performance.now() - startedExport) / 1_000;
console.log(
  `\nexport: ${lines} rows, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s (${Math.round(lines / seconds)} rows/s), client ${((process.memoryUsage().rss - before) / 1e6).toFixed(0)} MB more`,
);
await admin.end();
