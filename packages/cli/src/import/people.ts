/** Sends the rows of an input, 500 at a time, and keeps account of what became of each. */
import { TesseraError } from '@tessera/client';
import { Failure } from '../failure.ts';
import { type Patience, patiently } from '../patience.ts';
import type { Counts, Journal } from './journal.ts';
import { type Entry, isEntry, type Person, type Row } from './person.ts';

/** POST /api/platform/users/import: its `data`, as it comes. */
export type Send = (users: readonly Person[]) => Promise<unknown>;

export type Importing = {
  readonly rows: AsyncIterable<Row>;
  readonly journal: Journal;
  readonly send: Send;
  readonly patience: Patience;
  /** True when it shall stop between two batches. */
  readonly isStopped: () => boolean;
  readonly onProgress: (bytes: number, counts: Counts) => void;
};

const mostPeople = 500;
/** The gateway takes a body of 1 MiB. */
const mostBytes = 900 * 1024;

const statuses = ['created', 'exists', 'skipped', 'invalid'] as const;
type Outcome = { readonly status: (typeof statuses)[number]; readonly reason?: string | undefined };

/** True when every row is done, false when it was stopped before. */
export async function importPeople({ rows, journal, isStopped, onProgress, ...how }: Importing): Promise<boolean> {
  const done = journal.state.rows;
  let [seen, size, bytes] = [0, 0, 0];
  let batch: Row[] = [];
  const flush = async () => {
    if (batch.length > 0) await take(batch, journal, how);
    onProgress(bytes, journal.state.counts);
    [batch, size] = [[], 0];
  };
  for await (const row of rows) {
    seen += 1;
    if (seen <= done) continue;
    const length = 'person' in row.found ? Buffer.byteLength(JSON.stringify(row.found.person)) : 0;
    if (batch.length === mostPeople || size + length > mostBytes) await flush();
    if (isStopped()) return false;
    batch.push(row);
    [size, bytes] = [size + length, row.bytes];
  }
  if (seen < done) throw new Failure(`The state knows ${done} rows, and there are ${seen}. Begin anew with --restart.`);
  await flush();
  journal.finish();
  return true;
}

async function take(batch: readonly Row[], journal: Journal, { send, patience }: Pick<Importing, 'send' | 'patience'>): Promise<void> {
  const people = batch.flatMap(({ found }) => ('person' in found ? [found.person] : []));
  // Sent before, and it is not known whether they arrived: who has no externalId is skipped then.
  const wasSentBefore = journal.state.isUnderWay;
  if (people.length > 0) journal.begin();
  const outcomes = await sendHalving(people, (some) => patiently(() => send(some), patience));
  const counts = { ...journal.state.counts };
  const entries: Entry[] = [];
  let next = 0;
  for (const { line, found } of batch) {
    const outcome: Outcome = 'person' in found ? (outcomes[next++] ?? { status: 'invalid' }) : found.fault;
    const { email, externalId } = 'person' in found ? found.person : found.fault;
    counts[outcome.status] += 1;
    if (outcome.status === 'skipped' || outcome.status === 'invalid')
      entries.push({ line, email, externalId, ...outcome, ...('person' in found && wasSentBefore ? { wasSentBefore } : {}) });
  }
  journal.commit(batch.length, counts, entries);
}

/** A batch that is refused for what is in it is halved, so that one person fails alone. */
async function sendHalving(people: readonly Person[], send: Send): Promise<readonly Outcome[]> {
  if (people.length === 0) return [];
  try {
    return outcomesOf(await send(people), people.length);
  } catch (error) {
    if (!(error instanceof TesseraError) || ![400, 413, 422].includes(error.status)) throw error;
    if (people.length === 1)
      return [{ status: 'invalid', reason: `${error.message}${error.field === undefined ? '' : ` (${error.field})`}` }];
    const half = Math.ceil(people.length / 2);
    return [...(await sendHalving(people.slice(0, half), send)), ...(await sendHalving(people.slice(half), send))];
  }
}

/** An answer that does not say of each person what became of them is none. */
function outcomesOf(data: unknown, count: number): readonly Outcome[] {
  const items = isEntry(data) && Array.isArray(data['items']) ? data['items'].filter(isEntry) : [];
  const outcomes = new Map<number, Outcome>();
  for (const { index, status, reason } of items) {
    const known = statuses.find((each) => each === status);
    if (typeof index === 'number' && known !== undefined)
      outcomes.set(index, { status: known, ...(typeof reason === 'string' ? { reason } : {}) });
  }
  const isWhole =
    items.length === count && outcomes.size === count && Array.from({ length: count }, (_, index) => outcomes.has(index)).every(Boolean);
  if (!isWhole) throw new Failure('The answer of the server does not say of each person what became of them. Nothing more was sent.');
  return Array.from({ length: count }, (_, index) => outcomes.get(index) ?? { status: 'invalid' });
}
