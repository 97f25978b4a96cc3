/** A sign-in reads as much for an unknown address as for a known one, also among deleted people. */
import { afterAll, expect, test } from '@jest/globals';
import { bind, createDatabase, type Runnable, sql } from '@tessera/kernel/postgres';
import { createTestDatabase } from '../../../../../test/support/database.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import { findCredentialsOnDevice } from './authentication-methods.ts';

const gone = 2_000;
const testDatabase = await createTestDatabase({ migrated: ['identity'] });
const db = createDatabase({ url: testDatabase.urls.identity, schema: 'identity', rlsEnabled: true });
// Those who are gone came first.
await db.query(
  sql(`INSERT INTO users (id, name, metadata, created_at, updated_at, deleted_at)
         SELECT gen_random_uuid(), 'person ' || i, '{}', now(), now(), CASE WHEN i <= $1 THEN now() END FROM generate_series(1, $1 + 20) i`),
  [gone],
);
await db.query(
  sql(`INSERT INTO authentication_methods (id, user_id, provider, provider_id, provider_data, is_verified, is_primary, created_at, updated_at)
         SELECT gen_random_uuid(), id, 'email', name, '{"passwordHash": "a hash"}', true, true, now(), now()
         FROM users ORDER BY deleted_at NULLS LAST`),
);
await db.query(sql('ANALYZE users, authentication_methods, sessions'));
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
});

function find(reader: Reader, address: string) {
  return findCredentialsOnDevice(reader, 'email', address, Buffer.alloc(32));
}

type Node = { readonly 'Actual Rows': number; readonly 'Rows Removed by Filter'?: number; readonly Plans?: readonly Node[] };
function mostReadBy(node: Node): number {
  return Math.max(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), ...(node.Plans ?? []).map(mostReadBy));
}

test('findCredentialsOnDevice finds only people who are not deleted', async () => {
  const known = await find(db, `person ${gone + 7}`);
  expect([known?.userName, known?.passwordHash]).toStrictEqual([`person ${gone + 7}`, 'a hash']);
  for (const address of ['person 1', 'person 7', 'nobody', '']) expect(await find(db, address)).toBeUndefined();
});

test('findCredentialsOnDevice reads one row for an unknown address, and none of deleted people', async () => {
  for (const address of [`person ${gone + 7}`, 'person 7', 'nobody']) {
    const read: number[] = [];
    const explaining: Reader = {
      query: async (...call: readonly [Runnable, unknown?]) => {
        const { text: asked, values } = bind(...call);
        const text = sql(`EXPLAIN (ANALYZE, FORMAT JSON) ${asked}`);
        const [explained] = await db.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Node }] }>(text, values);
        if (explained) {
          const { Plan: plan } = explained['QUERY PLAN'][0];
          expect(plan['Actual Rows']).toStrictEqualFor(address, 1);
          read.push(mostReadBy(plan));
        }
        return [];
      },
    };
    await find(explaining, address);
    expect(read).toStrictEqualFor(address, [1]);
  }
});
