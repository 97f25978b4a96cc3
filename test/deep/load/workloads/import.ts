import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import type { Stack } from '../../../../tools/stack/stack.ts';
import { signIn, type Tenant } from '../../../support/load/tenant.ts';
import { cpuSeconds, endWithParent } from '../processes.ts';
import type { Result } from '../report.ts';
import type { Workload } from '../workload.ts';

const promise = { atLeast: 10_000 } as const;
const perBatch = 500;
const command = fileURLToPath(new URL('../command.ts', import.meta.url));

export const imports: Workload = {
  name: 'import',
  about: '`tessera import` of people with hashes of bcrypt, until it ends, and until every service has their accounts',
  run: async ({ isQuick, stack, tenant, processes }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-bench-import-'));
    try {
      return await withClient(stack.adminDatabaseUrl ?? '', async (admin) => {
        await admin.query('INSERT INTO identity.platform_administrators (user_id) VALUES ($1) ON CONFLICT DO NOTHING', [
          tenant.owner.userId,
        ]);
        Object.assign(tenant.owner, await signIn(tenant.client, tenant.owner.email));
        const ofServer = processes('gateway', 'identity', 'tenancy', 'rbac', 'postgres');
        // The first people make connections and compile what follows.
        await measure({ admin, folder, stack, tenant, name: 'warm', people: perBatch, ofServer });
        return await measure({ admin, folder, stack, tenant, name: 'people', people: isQuick ? 2_500 : 25_000, ofServer });
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

type Measuring = {
  readonly admin: pg.ClientBase;
  readonly folder: string;
  readonly stack: Stack;
  readonly tenant: Tenant;
  readonly name: string;
  readonly people: number;
  readonly ofServer: Readonly<Record<string, number>>;
};

async function measure({ admin, folder, stack, tenant, name, people, ofServer }: Measuring): Promise<readonly Result[]> {
  const file = join(folder, `${name}.csv`);
  const hash = '$2b$10$Z6hUTEEeoJXN5/AmSm/4.eZ75RYgFVriQM9LPhNEC7kbAbS/VAaJ2';
  const rows = Array.from(
    { length: people },
    (_, index) => `${name}.${index}@import.example,Person ${index},${name}-${index},true,${hash},bcrypt,"{""plan"": ""pro""}"\n`,
  );
  writeFileSync(file, ['email,name,externalId,emailVerified,passwordHash,hashAlgorithm,metadata\n', ...rows].join(''));
  const known = await accountsIn(admin);
  const cpu = () => Object.values(ofServer).map(cpuSeconds);
  const before = cpu();
  const startedAt = performance.now();
  const { created } = await runImport(file, stack, tenant, people);
  const commandSeconds = (performance.now() - startedAt) / 1_000;
  const arrived = await untilArrived(admin, known + created);
  const wholeSeconds = (performance.now() - startedAt) / 1_000;
  const after = cpu();
  const cpuMsPerRequest = Object.fromEntries(
    Object.keys(ofServer).map((service, index) => [service, (((after[index] ?? 0) - (before[index] ?? 0)) * 1_000) / people]),
  );
  const common = { unit: 'people a minute', promise, failures: people - created };
  return [
    {
      ...common,
      workload: 'tessera import',
      measured: (created / commandSeconds) * 60,
      cpuMsPerRequest,
      note: `${people.toLocaleString('en')} people of a CSV file, ${perBatch} at a time, in ${commandSeconds.toFixed(1)} s; CPU is for one person`,
    },
    {
      ...common,
      workload: 'tessera import, until every service has the accounts',
      measured: (created / wholeSeconds) * 60,
      failures: common.failures + known + created - arrived,
    },
  ];
}

/** Says every five seconds how far the state beside the file is. */
async function runImport(file: string, stack: Stack, tenant: Tenant, people: number): Promise<{ readonly created: number }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', endWithParent, command, 'import', file, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), TESSERA_URL: stack.url, TESSERA_TOKEN: tenant.owner.token },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const progress = setInterval(() => console.log(`  ${rowsDone(file).toLocaleString('en')} of ${people.toLocaleString('en')}`), 5_000);
  const [code] = await once(child, 'close').finally(() => clearInterval(progress));
  if (code !== 0) throw new Error(`tessera import ended with ${code}`);
  return JSON.parse(out);
}

function rowsDone(file: string): number {
  try {
    return JSON.parse(readFileSync(`${file}.tessera-import.json`, 'utf8')).rows;
  } catch {
    return 0; // not begun, or over
  }
}

/** Of rbac, which is told last: identity tells tenancy, and tenancy tells rbac. */
async function accountsIn(admin: pg.ClientBase): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM rbac.role_assignments WHERE tenant = 'account'`,
  );
  return rows[0]?.count ?? 0;
}

async function untilArrived(admin: pg.ClientBase, wanted: number): Promise<number> {
  const endsAt = performance.now() + 120_000;
  for (let arrived = await accountsIn(admin); ; arrived = await accountsIn(admin)) {
    if (arrived >= wanted || performance.now() > endsAt) return arrived;
    await sleep(50);
  }
}
