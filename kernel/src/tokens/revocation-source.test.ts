import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '../ids/index.ts';
import { createFixture } from '../postgres/fixture.ts';
import { type Database, sql } from '../postgres/index.ts';
import { createRevocationSource } from './index.ts';

const fixture = await createFixture(`CREATE TABLE revocations (kind text NOT NULL, value text NOT NULL, before timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(), PRIMARY KEY (kind, value));
  CREATE TABLE scope_revocations (value text PRIMARY KEY, before timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id())`);
const clock = () => new Date();
const source = createRevocationSource({
  service: 'rbac',
  database: fixture.db,
  clock,
  transactionColumn: 'transaction_id',
  hasScopes: true,
});
afterAll(() => fixture.close());

const insert = sql(`INSERT INTO revocations (kind, value, before, expires_at) VALUES ('jti', $1, now(), now() + $2::interval)`);
async function revoke(db: Pick<Database, 'query'>, lifetime = '1 hour'): Promise<string> {
  const value = newId();
  await db.query(insert, [value, lifetime]);
  return value;
}
async function pull(cursor: string) {
  const page = await source.list({ cursor });
  return { cursor: page.cursor, values: page.revocations.map(({ value }) => value) };
}

describe('createRevocationSource', () => {
  test('lists all revocations in force for an empty cursor, with ISO times', async () => {
    const value = await revoke(fixture.db);
    const expired = await revoke(fixture.db, '-1 second');
    const { revocations } = await source.list({ cursor: '' });
    const found = revocations.find((revocation) => revocation.value === value);
    assert.equal(found?.kind, 'jti');
    for (const time of [found?.before, found?.expiresAt]) expect(time).toBe(new Date(String(time)).toISOString());
    expect(revocations.every((revocation) => revocation.value !== expired)).toBe(true);
  });

  test('lists a revocation whose transaction was open at the pull before', async () => {
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const { promise: written, resolve: write } = Promise.withResolvers<string>();
    const transaction = fixture.db.transaction(async (tx) => {
      write(await revoke(tx));
      await committed;
    });
    const value = await written;
    const later = await revoke(fixture.db);
    const first = await pull('');
    expect(first.values).toContain(later);
    expect(first.values).not.toContain(value);
    commit();
    await transaction;
    expect((await pull(first.cursor)).values).toContain(value);
  });

  test('lists the scopes whose tokens are refused, apart', async () => {
    const value = `${newId()}:${newId()}`;
    await fixture.db.query(sql(`INSERT INTO scope_revocations (value, before, expires_at) VALUES ($1, now(), now() + interval '1 hour')`), [
      value,
    ]);
    const page = await source.list({ cursor: '' });
    const found = page.scopes.find((entry) => entry.value === value);
    expect(found?.before).toBe(new Date(String(found?.before)).toISOString());
    expect(page.revocations.some((entry) => entry.value === value)).toBe(false);
  });

  test('starts over for a cursor that is newer than the database', async () => {
    const value = await revoke(fixture.db);
    const page = await pull('9000000000000000000');
    expect(page.values).toContain(value);
    expect(BigInt(page.cursor)).toBeLessThan(9_000_000_000_000_000_000n);
  });

  test('refuses a cursor that is no number', () =>
    expect(source.list({ cursor: "0' OR '1" })).rejects.toMatchObject({ kind: 'bad-input' }));
});
