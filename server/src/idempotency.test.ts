/** A creating operation that is sent twice with one Idempotency-Key happens once. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { pruneKernelTables } from '@tessera/kernel/events';
import { defineOperation } from '@tessera/kernel/operation';
import { sql } from '@tessera/kernel/postgres';
import { accountId, createFixture, createNote, type NoteDeps } from './testing/notes.ts';

const fixture = await createFixture();
afterAll(() => fixture.close());

const scope = { tenant: 'account', id: accountId };

async function post(title: string, key: string, token = 'owner') {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
  const answer = await fixture.app.inject({ method: 'POST', url: '/api/notes', headers, payload: { scope, title } });
  const { data, code, extensions } = answer.json();
  return { status: answer.statusCode, data, code, field: extensions?.field, isRepeated: answer.headers['idempotency-replayed'] === 'true' };
}

async function graphql(title: string, idempotencyKey: string) {
  const query = 'mutation($input: CreateNoteInput!) { createNote(input: $input) { id title } }';
  const headers = { authorization: 'Bearer owner' };
  const payload = { query, variables: { input: { scope, title, idempotencyKey } } };
  const answer = await fixture.app.inject({ method: 'POST', url: '/graphql', headers, payload });
  return answer.json();
}

/** How many notes, audit rows and events a title has left. */
async function traces(title: string): Promise<readonly number[]> {
  const counts = await Promise.all([
    fixture.database.query(sql('SELECT count(*) AS n FROM notes WHERE title = $1'), [title]),
    fixture.database.query(sql(`SELECT count(*) AS n FROM audit_log WHERE outcome = 'ok' AND detail->>'title' = $1`), [title]),
  ]);
  return counts.map(([row]) => Number(Object(row).n));
}

async function keysKept(): Promise<number> {
  const [row] = await fixture.database.query(sql('SELECT count(*) AS n FROM idempotency_keys'));
  return Number(Object(row).n);
}

test('the same request with the same key happens once, and every answer is the first one', async () => {
  const key = randomUUID();
  const delivered = fixture.delivered.length;
  const first = await post('once', key);
  expect([first.status, first.isRepeated]).toStrictEqual([201, false]);
  expect(await post('once', key)).toStrictEqual({ ...first, isRepeated: true });
  expect(await traces('once')).toStrictEqual([1, 1]);
  expect(fixture.delivered.length - delivered).toBe(1);
  const other = await post('once', randomUUID());
  expect(other.data.id).not.toBe(first.data.id);
});

test('another request with the same key is refused, and does nothing', async () => {
  const key = randomUUID();
  await post('this', key);
  expect(await post('that', key)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  expect((await graphql('that', key)).errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(await traces('that')).toStrictEqual([0, 0]);
});

test('REST and GraphQL are one operation: a repetition over the other is answered alike', async () => {
  const key = randomUUID();
  const { data } = await post('both', key);
  expect(await graphql('both', key)).toStrictEqual({ data: { createNote: { id: data.id, title: 'both' } } });
  expect(await traces('both')).toStrictEqual([1, 1]);
});

test('of twins at the same time one happens, and all are answered alike', async () => {
  for (const title of ['twins of one', 'twins of two', 'twins of three']) {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 12 }, () => post(title, key)));
    expect(new Set(answers.map(({ status, data }) => `${status} ${data.id}`)).size).toBe(1);
    expect(answers.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
    expect(await traces(title)).toStrictEqual([1, 1]);
  }
});

test('what was refused or broke off leaves no key, and a twin that waited goes on by itself', async () => {
  const before = await keysKept();
  const [conflict, broken] = [randomUUID(), randomUUID()];
  const refused = await Promise.all(Array.from({ length: 4 }, () => post('conflict', conflict)));
  expect(refused.map(({ status }) => status)).toStrictEqual([409, 409, 409, 409]);
  expect((await post('explode', broken)).status).toBe(500);
  expect(await keysKept()).toBe(before);
  expect((await post('after it', broken)).status).toBe(201);
});

test('a key is its caller’s: another one neither gets the answer nor learns that the key was used', async () => {
  const key = randomUUID();
  await post('mine', key);
  expect(await post('mine', key, 'nobody')).toMatchObject({ status: 403, code: 'FORBIDDEN' });
});

test('a key is 1 to 255 visible characters, else it is refused, whatever is made', async () => {
  expect((await post('one character', 'k')).status).toBe(201);
  expect((await post('one character', 'k')).isRepeated).toBe(true);
  for (const key of ['', 'with a space in it', 'ü'.repeat(20), 'a'.repeat(256)])
    expect(await post('formless', key)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'Idempotency-Key' });
  expect(await traces('formless')).toStrictEqual([0, 0]);
});

test('who reads the database learns neither the key nor the answer', async () => {
  const key = randomUUID();
  const { data } = await post('sealed answer', key);
  const rows = await fixture.database.query(sql(`SELECT encode(id || request || answer, 'escape') AS text FROM idempotency_keys`));
  const text = rows.map((row) => Object(row).text).join('\n');
  for (const secret of [key, data.id, 'sealed answer']) expect(text).not.toContain(secret);
});

test('who reads the database can’t try keys or inputs either: a secret of the deployment is in all that is made of them', async () => {
  const { secrets } = fixture;
  const key = 'invoice-7';
  const first = await post('a guess', key);
  // While the secret is rotated, what was kept by the older one is still answered.
  secrets.unshift('a newer secret of the deployment for tests');
  expect(await post('a guess', key)).toStrictEqual({ ...first, isRepeated: true });
  expect((await post('another', key)).status).toBe(422);
  // Without that secret the row fits neither the request nor the key.
  secrets.pop();
  expect((await post('a guess', key)).status).toBe(422);
});

test('after a day the key is forgotten, deleted or not', async () => {
  const key = randomUUID();
  const first = await post('a day later', key);
  await fixture.database.query(sql(`UPDATE idempotency_keys SET claimed_at = now() - interval '25 hours'`));
  const second = await post('a day later', key);
  expect([second.isRepeated, second.data.id === first.data.id]).toStrictEqual([false, false]);
  await fixture.database.query(sql(`UPDATE idempotency_keys SET claimed_at = now() - interval '25 hours'`));
  await pruneKernelTables(fixture.database, 400);
  expect(await keysKept()).toBe(0);
});

test('an operation that makes something declares a transaction, in which its key can be kept', () => {
  const declare = defineOperation<NoteDeps>();
  const base = createNote as unknown as Parameters<typeof declare>[0];
  expect(() => declare({ ...base, isolation: { none: 'because' } })).toThrow(/what answers 201 is a mutation in a transaction/);
});
