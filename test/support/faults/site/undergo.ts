/** One fault under traffic: what was answered meanwhile, and the ledger compared afterwards. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../../../../tools/postgres/bootstrap.ts';
import { answersReady } from '../../../../tools/stack/service-process.ts';
import { until } from '../../until.ts';
import { settledInvariants } from '../invariants.ts';
import { everyProcess, type Site } from './site.ts';
import type { Tally, Traffic } from './traffic.ts';

export type Result = Tally & {
  readonly name: string;
  readonly lost: readonly string[];
  readonly broken: readonly string[];
  /** From the end of the fault to the last request that failed. */
  readonly againMs: number;
};

export type UnderTraffic = Pick<Site, 'adminUrl' | 'replicasOf'>;

const quietMs = 1_000;
const settledWithinMs = 90_000;
const debts = ['identity', 'tenancy', 'rbac', 'keys'].map((schema) => `SELECT id FROM ${schema}.outbox WHERE delivered_at IS NULL`);

/** `inflict` makes the fault, waits, and takes it back. */
export async function undergo(name: string, site: UnderTraffic, traffic: Traffic, inflict: () => Promise<void>): Promise<Result> {
  traffic.start();
  let endedAt = performance.now();
  try {
    await sleep(quietMs);
    await inflict();
    endedAt = performance.now();
    await traffic.steady();
  } finally {
    await traffic.stop();
  }
  const areReady = async () => (await Promise.all(everyProcess(site).map(({ url }) => answersReady(url)))).every(Boolean);
  await until(areReady, settledWithinMs);
  const adminUrl = site.adminUrl();
  const isOwing = () => withClient(adminUrl, async (client) => (await client.query(debts.join(' UNION ALL '))).rows.length > 0);
  await until(async () => !(await isOwing()), settledWithinMs);
  // Changes that were cut off finish by themselves.
  const broken = await settledInvariants(adminUrl, settledWithinMs);
  const againMs = Math.max(0, Math.round(traffic.tally.lastFailureAt - endedAt));
  return { ...traffic.tally, name, lost: await traffic.ledger.compare(adminUrl), broken, againMs };
}

export const tableHead = [
  '| fault | requests | writes acknowledged | lost | failed | slowest answer, ms | serving again after, ms |',
  '|---|---|---|---|---|---|---|',
];

export function tableRow({ name, requests, acknowledged, lost, failed, slowestMs, againMs }: Result): string {
  const how = [...failed].map(([why, count]) => `${count} × ${why}`).join(', ');
  return `| ${name} | ${requests} | ${acknowledged} | ${lost.length} | ${how || '0'} | ${Math.round(slowestMs)} | ${how === '' ? '-' : againMs} |`;
}

/** Where and when a table was measured. */
export function measuredHere(): string {
  return `Measured on ${new Date().toISOString().slice(0, 10)} with ${cpus().length} cores, shared with other work.`;
}
