/** Tests of connections: the last twenty of each, for a day. */
import type { Transaction } from '@tessera/kernel/postgres';
import type { ConnectionTestStatus, TestResult } from '../../ground/domain/connection-test.ts';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type ConnectionTest = {
  readonly id: string;
  readonly connectionId: string;
  readonly status: ConnectionTestStatus;
  readonly createdBy: string | null;
  readonly createdAt: string;
  readonly openedAt: string | null;
  readonly finishedAt: string | null;
  readonly expiresAt: string;
  readonly result: TestResult | null;
};

const columns = [
  ...(['id', 'connectionId', 'status', 'createdBy', 'createdAt'] as const),
  ...(['openedAt', 'finishedAt', 'expiresAt', 'result'] as const),
] as const;
const keptMs = 86_400_000;
export const mostTests = 20;

/** The connection is locked, so that no more than twenty stay. */
export async function insertTest(
  tx: Transaction,
  { id, connectionId, createdBy }: Pick<ConnectionTest, 'id' | 'connectionId' | 'createdBy'>,
  now: Date,
): Promise<void> {
  const kept = query.selectFrom('connection_tests').where('connectionId', '=', connectionId);
  const newest = kept
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(mostTests - 1)
    .select('id');
  await tx.execute(query.deleteFrom('connection_tests').where('connectionId', '=', connectionId).where('id', 'not in', newest));
  const times = { createdAt: now.toISOString(), expiresAt: new Date(now.getTime() + keptMs).toISOString() };
  await tx.execute(query.insertInto('connection_tests').values({ id, connectionId, createdBy, status: 'waiting', ...times }));
}

/** False when it was opened before, or is gone. */
export async function openTest(tx: Transaction, id: string, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const waiting = query.updateTable('connection_tests').where('id', '=', id).where('status', '=', 'waiting').where('expiresAt', '>', at);
  return (await tx.execute(waiting.set({ status: 'opened', openedAt: at }))) === 1;
}

type Outcome = { readonly status: 'passed' | 'refused' | 'failed'; readonly result: TestResult };

/** Undefined when it is finished, or gone. */
export function finishTest(tx: Transaction, id: string, { status, result }: Outcome, now: Date): Promise<ConnectionTest | undefined> {
  const opened = query.updateTable('connection_tests').where('id', '=', id).where('status', '=', 'opened');
  const json = { result: JSON.stringify(result) as unknown as TestResult };
  return tx.one(opened.set({ status, finishedAt: now.toISOString(), ...json }).returning(columns));
}

function living(now: Date) {
  return query.selectFrom('connection_tests').where('expiresAt', '>', now.toISOString()).select(columns);
}

/** The newest first. */
export function listTests(reader: Reader, connectionId: string, now: Date): Promise<ConnectionTest[]> {
  const ofConnection = living(now).where('connectionId', '=', connectionId);
  return reader.query(ofConnection.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(mostTests));
}

/** The newest that a set-up link has begun since then. */
export async function findTestByLink(reader: Reader, connectionId: string, since: string, now: Date): Promise<ConnectionTest | undefined> {
  const byLink = living(now).where('connectionId', '=', connectionId).where('createdBy', 'is', null).where('createdAt', '>=', since);
  return (await reader.query(byLink.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1)))[0];
}

export async function findTest(reader: Reader, connectionId: string, id: string, now: Date): Promise<ConnectionTest | undefined> {
  return (await reader.query(living(now).where('connectionId', '=', connectionId).where('id', '=', id)))[0];
}

/** The settings of the connection have passed a test. */
export async function noteTested(tx: Transaction, connectionId: string, now: Date): Promise<void> {
  await tx.execute(query.updateTable('connections').set({ testedAt: now.toISOString() }).where('id', '=', connectionId));
}

export async function deleteExpiredTests(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('connection_tests').where('expiresAt', '<', now.toISOString()));
}
