/** What commits has its record and its events, and what does not commit has none. */
import { afterAll, expect, test } from '@jest/globals';
import { note, noteApplied, openSides } from '../events/fixture.ts';
import { sql } from '../postgres/index.ts';
import type { AuditContext } from './audit.ts';
import { commitUnit, type Unit } from './unit.ts';

const { tenancy: db, close } = await openSides();
afterAll(close);

const context: AuditContext = {
  actor: { kind: 'anonymous' },
  scope: undefined,
  now: new Date(),
  request: {
    id: 'request',
    transport: 'grpc',
    ipAddress: '',
    userAgent: '',
    language: 'en',
    bearerToken: undefined,
    cookies: {},
    origin: undefined,
    consistencyToken: undefined,
    noCache: false,
  },
};
const commit = (work: (unit: Unit) => Promise<void>) => commitUnit((run) => db.transaction(run), context, work);

/** How many rows, events and records a change with this key has left. */
async function traces(key: string): Promise<readonly number[]> {
  const counts = await Promise.all([
    db.query(sql('SELECT count(*) AS n FROM applied WHERE key = $1'), [key]),
    db.query(sql('SELECT count(DISTINCT id) AS n FROM outbox WHERE key = $1'), [key]),
    db.query(sql('SELECT count(*) AS n FROM audit_log WHERE operation = $1'), [key]),
  ]);
  return counts.map(([row]) => Number(Object(row).n));
}

function write({ tx, emit, audit }: Unit, key: string): Promise<undefined> {
  emit(note(key, 'a'));
  audit({ operation: key, action: 'note.made', outcome: 'ok' });
  return noteApplied(tx, key, 'a');
}

test('rows, events and records of a change commit together', async () => {
  const { eventIds } = await commit(async (unit) => {
    await write(unit, 'whole');
    unit.audit({ operation: 'whole', action: 'note.read', outcome: 'ok' });
  });
  expect(eventIds).toHaveLength(1);
  expect(await traces('whole')).toStrictEqual([1, 1, 2]);
});

test('a fault after the writes leaves neither row, event nor record', async () => {
  const failing = commit(async (unit) => {
    await write(unit, 'late');
    throw new Error('late');
  });
  await expect(failing).rejects.toThrow('late');
  expect(await traces('late')).toStrictEqual([0, 0, 0]);
});

test('a record that cannot be written takes the rows and the events with it', async () => {
  const failing = commit(async (unit) => {
    await write(unit, 'unrecorded');
    unit.audit({ operation: 'unrecorded', action: '\0', outcome: 'ok' });
  });
  await expect(failing).rejects.toThrow();
  expect(await traces('unrecorded')).toStrictEqual([0, 0, 0]);
});

test('an event that cannot be written takes the rows and the records with it', async () => {
  const failing = commit(async (unit) => {
    await write(unit, 'unsaid');
    unit.emit(note('\0', 'a'));
  });
  await expect(failing).rejects.toThrow();
  expect(await traces('unsaid')).toStrictEqual([0, 0, 0]);
});
