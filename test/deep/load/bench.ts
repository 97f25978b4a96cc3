/** What all workloads share: a stack without rate limits, an organization, the pace of the run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../tools/stack/environment.ts';
import { type Stack, type StackOptions, startStack } from '../../../tools/stack/stack.ts';
import { createTenant, type Tenant } from '../../support/load/tenant.ts';
import type { Processes } from './processes.ts';
import type { Pace } from './race.ts';

export type Bench = {
  readonly isQuick: boolean;
  /** What reads run beside: a commit, or a folder with its packages; else the last release. */
  readonly beside: string | undefined;
  readonly pace: Pace;
  readonly stack: Stack;
  /** One verified owner of one organization with one project. */
  readonly tenant: Tenant;
  /** Process ids of these services and of Postgres, for counting CPU. */
  processes(...names: readonly string[]): Processes;
  /** Everything given here is stopped with the bench, the last one first. */
  defer(stop: () => unknown): void;
};

const environment: Environment = {
  NODE_ENV: 'production',
  SECURITY_ENABLE_RATE_LIMIT: 'false',
  METRICS_ENABLED: 'true',
};

/** A separate stack in a new folder that logs as in production. */
export async function startBenchStack(options: Partial<StackOptions> = {}): Promise<Stack> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-bench-'));
  const stack = await startStack({ dataDir, profile: 'durable', ...options, env: { ...environment, ...options.env } });
  const stop = async () => {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...stack, stop, [Symbol.asyncDispose]: stop };
}

export function postgresPid({ dataDir }: Stack): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

export function processesOf(stack: Stack, names: readonly string[]): Processes {
  return Object.fromEntries(names.map((name) => [name, name === 'postgres' ? postgresPid(stack) : (stack.processes[name]?.pid ?? 0)]));
}

export async function openBench(isQuick: boolean, beside: string | undefined): Promise<Bench & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const stack = parts.use(await startBenchStack());
  const tenant = await createTenant(stack, 'bench');
  const owned = parts.move();
  return {
    isQuick,
    beside,
    pace: isQuick ? { rounds: 3, seconds: 0.5, warmSeconds: 0.4 } : { rounds: 5, seconds: 1.5, warmSeconds: 1.5 },
    stack,
    tenant,
    processes: (...names) => processesOf(stack, names),
    defer: (stop) => owned.defer(async () => void (await stop())),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
