import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { newId } from '@tessera/kernel/ids';
import type { Database } from '@tessera/kernel/postgres';
import { createCredentials } from './credentials.ts';

/** A database with these keys, which answers when it is let. */
function databaseOf(rows: Map<string, { id: string; clientId: string; revokedAt: string | null }>) {
  const state = { queries: 0, gate: async () => {} };
  const query = async (_statement: unknown, [clientIds]: readonly [readonly string[]]) => {
    state.queries += 1;
    const found = clientIds.flatMap((clientId) => structuredClone(rows.get(clientId)) ?? []);
    await state.gate();
    return found;
  };
  // The only method that credentials are read by.
  return { state, database: { query } as unknown as Database };
}

function oneKey() {
  const key = { id: newId(), clientId: newId(), revokedAt: null as string | null };
  return { key, ...databaseOf(new Map([[key.clientId, key]])) };
}

it('asks once for all who come together, and again after half a second: for a key and for none alike', async () => {
  const { key, state, database } = oneKey();
  const clock = { ms: 1 };
  const credentials = createCredentials(database, { now: () => clock.ms });
  for (const clientId of [key.clientId, newId()]) {
    state.queries = 0;
    await Promise.all(Array.from({ length: 20 }, () => credentials.find(clientId)));
    await credentials.find(clientId);
    clock.ms += 500;
    await credentials.find(clientId);
    assert.equal(state.queries, 1);
    clock.ms += 1;
    await credentials.find(clientId);
    assert.equal(state.queries, 2);
  }
});

it('without any notice knows a change within half a second', async () => {
  const { key, database } = oneKey();
  const clock = { ms: 1 };
  const credentials = createCredentials(database, { now: () => clock.ms });
  await credentials.find(key.clientId);
  key.revokedAt = 'now';
  clock.ms += 501;
  assert.equal((await credentials.find(key.clientId))?.revokedAt, 'now');
});

it('told of a change answers from the database at once, also when an older answer is still on its way', async () => {
  const { key, state, database } = oneKey();
  const credentials = createCredentials(database);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = () => promise;
  const early = credentials.find(key.clientId);
  await turn();
  assert.equal(state.queries, 1);
  key.revokedAt = 'now';
  credentials.forget(key.id);
  const late = credentials.find(key.clientId);
  resolve();
  await early;
  assert.equal((await late)?.revokedAt, 'now');
  assert.equal((await credentials.find(key.clientId))?.revokedAt, 'now');
});

it('a failure is not kept', async () => {
  const { key, state, database } = oneKey();
  const credentials = createCredentials(database);
  state.gate = () => Promise.reject(new Error('down'));
  await assert.rejects(credentials.find(key.clientId));
  state.gate = async () => {};
  assert.equal((await credentials.find(key.clientId))?.id, key.id);
});
