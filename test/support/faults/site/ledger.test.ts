/** The comparison that the faults rest on finds what is lost, changed, doubled or not audited. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { databaseServices } from '../../../../tools/services.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { Ledger } from './ledger.ts';

let database: TestDatabase;
let query: (text: string, values: unknown[]) => Promise<unknown>;
beforeAll(async () => {
  database = await createTestDatabase({ migrated: databaseServices });
  const client = await database.connect();
  query = (text, values) => client.query(text, values);
});
afterAll(() => database.drop());

/** A tag and the audit row of its creation, as the service keeps them. */
async function keepTag(name: string): Promise<string> {
  const id = randomUUID();
  await query('INSERT INTO rbac.tags (id, name, color) VALUES ($1, $2, $3)', [id, name, 'red']);
  await query('INSERT INTO rbac.organization_tags VALUES ($1, $2)', [randomUUID(), id]);
  await audit(id);
  return id;
}

async function audit(id: string): Promise<void> {
  await query(`INSERT INTO rbac.audit_log (operation, action, outcome, target_id) VALUES ('createTag', 'tag.created', 'ok', $1)`, [id]);
}

test('what was acknowledged and is there is no fault', async () => {
  const ledger = new Ledger();
  const [name, renamed] = [randomUUID(), randomUUID()];
  const entry = ledger.note('tag', await keepTag(name), name);
  expect(await ledger.compare(database.adminUrl)).toStrictEqual([]);
  // A change that failed may have been kept or not.
  await expect(ledger.change(entry, renamed, () => Promise.reject(new Error('503')))).rejects.toThrow('503');
  expect(await ledger.compare(database.adminUrl)).toStrictEqual([]);
  await query('UPDATE rbac.tags SET name = $2 WHERE id = $1', [entry.id, renamed]);
  expect(await ledger.compare(database.adminUrl)).toStrictEqual([]);
});

test('a write that is lost is found: a row, a change, a deletion, an audit row', async () => {
  const ledger = new Ledger();
  const [gone, name, renamed] = [randomUUID(), randomUUID(), randomUUID()];
  ledger.note('tag', gone, name);
  const changed = ledger.note('tag', await keepTag(name), name);
  await ledger.change(changed, renamed, async () => audit(changed.id));
  const deleted = ledger.note('tag', await keepTag(name), name);
  await ledger.change(deleted, undefined, async () => undefined);
  const faults = await ledger.compare(database.adminUrl);
  expect(faults.filter((fault) => !fault.includes('made twice'))).toStrictEqual([
    `tag ${gone}: acknowledged ${name}, kept nothing`,
    `tag ${changed.id}: acknowledged ${renamed}, kept ${name}`,
    `tag ${deleted.id}: acknowledged nothing, kept ${name}`,
    `tag ${gone}: 1 writes acknowledged, 0 in the audit log`,
    `tag ${deleted.id}: 2 writes acknowledged, 1 in the audit log`,
  ]);
});

test('a request that was carried out twice is found', async () => {
  const ledger = new Ledger();
  const name = randomUUID();
  const ids = [await keepTag(name), await keepTag(name)];
  ledger.note('tag', ids[0] ?? '', name);
  expect(await ledger.compare(database.adminUrl)).toContainEqual(`tag ${ids.toSorted()[0]}: made twice from one request (${name})`);
});
