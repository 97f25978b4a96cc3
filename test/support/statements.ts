/** Counts the statements of each service, without BEGIN and COMMIT, from Postgres' log. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../tools/postgres/bootstrap.ts';
import type { Stack } from '../../tools/stack/stack.ts';
import { until } from './until.ts';

type Counted = Pick<Stack, 'adminDatabaseUrl' | 'dataDir'>;

export type Statements = {
  /** Statements that read or write, over all services. */
  readonly queries: number;
  readonly byService: Readonly<Record<string, number>>;
  readonly texts: readonly string[];
};

const line = /tessera_(\w+)@\S+ LOG: {2}(?:statement|execute [^:]*): (.*)/;
function isEnvelope(text: string): boolean {
  return /^(BEGIN|COMMIT|ROLLBACK|SELECT set_config\('transaction_read_only')/.test(text);
}
/** Statements of background work, which no request causes. */
function isBackground(text: string): boolean {
  return /outbox|inbox|closing_at (IS NOT NULL|<)|revocations|pg_snapshot_xmin|r\.kind, r\.value|pg_notify|LISTEN|jobs|pg_try_advisory|SELECT 1$|tenants_changed|FROM tenants WHERE changed_at|FROM openid_visits|INSERT INTO decision_counts|lease_webhook_deliveries|(webhooks|domains|directory_users) .*\b(voucher_asked_at|asked_at|making_since) </i.test(
    text.replaceAll('"', ''),
  );
}

async function setLogging(stack: Counted, setting: 'all' | 'none'): Promise<void> {
  await withClient(stack.adminDatabaseUrl ?? '', async (client) => {
    await client.query(`ALTER SYSTEM SET log_statement = '${setting}'`);
    await client.query('SELECT pg_reload_conf()');
    // When this session sees the new setting, so do all others before their next statement.
    await until(async () => (await client.query('SHOW log_statement')).rows[0].log_statement === setting);
  });
}

export async function countStatements(stack: Counted, run: () => Promise<unknown>): Promise<Statements> {
  const [counted] = await countEach(stack, [run]);
  if (counted === undefined) throw new Error('nothing was counted');
  return counted;
}

/** How many statements one request costs: the mean of ten. */
export async function queriesOf(stack: Counted, shot: () => Promise<unknown>): Promise<number> {
  const { queries } = await countStatements(stack, async () => {
    for (let asked = 0; asked < 10; asked += 1) await shot();
  });
  return queries / 10;
}

/** One count for each, in their order. */
export async function countEach(stack: Counted, runs: readonly (() => Promise<unknown>)[]): Promise<readonly Statements[]> {
  const logFile = join(stack.dataDir, 'postgres', 'postgres.log');
  await setLogging(stack, 'all');
  try {
    const counts: Statements[] = [];
    for (const run of runs) counts.push(await countOne(logFile, run));
    return counts;
  } finally {
    await setLogging(stack, 'none');
  }
}

async function countOne(logFile: string, run: () => Promise<unknown>): Promise<Statements> {
  const from = statSync(logFile).size;
  await run();
  await sleep(30);
  const found = readFileSync(logFile)
    .subarray(from)
    .toString('utf8')
    .split('\n')
    .flatMap((text) => {
      const [, service = '', statement = ''] = line.exec(text) ?? [];
      return service === '' || isEnvelope(statement) || isBackground(statement) ? [] : [{ service, statement }];
    });
  const byService: Record<string, number> = {};
  for (const { service } of found) byService[service] = (byService[service] ?? 0) + 1;
  return { queries: found.length, byService, texts: found.map(({ service, statement }) => `${service}: ${statement.slice(0, 160)}`) };
}
