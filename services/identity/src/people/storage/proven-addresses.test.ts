/**
 * Migrations 115 and 123 run on a database of before decision 15: what they report, and what the
 * operator does about it with the statements of docs/operating.md.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { migrate } from '@tessera/kernel/migrations';
import { createDatabase, sql } from '@tessera/kernel/postgres';
import { createTestDatabase } from '../../../../../test/support/database.ts';
import { findAccountOf } from '../address-owner.ts';
import { countDisputedAddresses, findProvers } from './proven-addresses.ts';

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
const testDatabase = await createTestDatabase();
function migrateTo(last: string) {
  const to = join(folder, last);
  cpSync(migrations, to, { recursive: true, filter: (path) => !/^\d{3}_/.test(basename(path)) || basename(path).slice(0, 3) <= last });
  return migrate({ url: testDatabase.urls.identity, schema: 'identity', folder: to });
}
await migrateTo('114');
const db = createDatabase({ url: testDatabase.urls.identity, schema: 'identity', rlsEnabled: true });
afterAll(async () => {
  await db.close();
  await testDatabase.drop();
  rmSync(folder, { recursive: true });
});

type Method = { readonly provider: 'email' | 'codehost'; readonly email: string; readonly isVerified: boolean };
async function person(...methods: readonly Method[]): Promise<string> {
  const id = newId();
  await db.query(sql(`INSERT INTO users (id, name, metadata, created_at, updated_at) VALUES ($1, 'Ada', '{}', now(), now())`), [id]);
  for (const [place, { provider, email, isVerified }] of methods.entries())
    await db.query(
      sql(`INSERT INTO authentication_methods (id, user_id, provider, provider_id, email, is_verified, is_primary, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, now(), now())`),
      [newId(), id, provider, provider === 'email' ? email : newId(), email, isVerified, place === 0],
    );
  return id;
}
const mailbox = (email: string, isVerified = true): Method => ({ provider: 'email', email, isVerified });
const codehost = (email: string, isVerified = true): Method => ({ provider: 'codehost', email, isVerified });

// As the code before could leave them [A9].
const owner = await person(codehost('pair@example.com'));
const stranger = await person(mailbox('pair@example.com'));
const third = await person(codehost('three@example.com'));
const [fourth, fifth] = [await person(mailbox('three@example.com')), await person(codehost('three@example.com'))];
const both = await person(mailbox('both@example.com'), codehost('both@example.com'));
const [waiting, prover] = [await person(mailbox('waits@example.com', false)), await person(codehost('waits@example.com'))];
const gone = await person(mailbox('gone@example.com'));
const heir = await person(codehost('gone@example.com'));
await db.query(sql('UPDATE users SET deleted_at = now() WHERE id = $1'), [gone]);
const respelt = await person(mailbox('respelt@xn--bcher-kva.example'));
const ownTwice = await person(mailbox('own@xn--bcher-kva.example'), codehost('own@bücher.example'));
const [oneOfTwo, otherOfTwo] = [await person(mailbox('two@bücher.example')), await person(mailbox('two@xn--bcher-kva.example'))];
// Neither is the form, and both become it.
const mixed = ['mixed@xn--tda.ö.example', 'mixed@ü.xn--nda.example'] as const;
const [oneMixed, otherMixed] = [await person(mailbox(mixed[0])), await person(mailbox(mixed[1]))];
const ownMixed = await person(mailbox('own-mixed@xn--tda.ö.example'), codehost('own-mixed@ü.xn--nda.example'));

/** The statement of the chapter "Addresses of two people" that begins like this. */
function statementOf(begin: string): string {
  const page = readFileSync(new URL('../../../../../docs/operating.md', import.meta.url), 'utf8');
  const [, chapter = ''] = page.split('### Addresses of two people');
  const found = [...(chapter.split('\n## ')[0]?.matchAll(/```sql\n(.*?)```/gs) ?? [])].find(([, text]) => text?.startsWith(begin));
  if (found?.[1] === undefined) throw new Error(`docs/operating.md has no statement ${begin}`);
  return found[1];
}
const provers = async (address: string) => (await findProvers(db, address)).map(({ userId }) => userId).toSorted();

test('migration 115 marks addresses of several people, refuses nothing, and gives every other to the person who proved it', async () => {
  expect(await migrateTo('115')).toStrictEqual(['115_proven_addresses']);
  await migrateTo('999');
  expect(await countDisputedAddresses(db)).toBe(4);
  expect(await findAccountOf(db, 'pair@example.com')).toBe('disputed');
  expect(await findAccountOf(db, 'three@example.com')).toBe('disputed');
  expect(await provers('both@example.com')).toStrictEqual([both]);
  expect(await provers('waits@example.com')).toStrictEqual([prover]);
  expect(await findAccountOf(db, 'waits@example.com')).toMatchObject({ userId: prover, isProven: true });
  expect(await provers('gone@example.com')).toStrictEqual([heir]);
  const held = sql('SELECT user_id AS "userId" FROM authentication_methods WHERE is_verified AND held_at IS NULL');
  expect(await db.query(held)).toStrictEqual([]);
  const unheld = sql('SELECT user_id AS "userId" FROM authentication_methods WHERE held_at IS NULL');
  expect(await db.query(unheld)).toStrictEqual([{ userId: waiting }]);
});

test('while two dispute an address nobody else proves it, and both keep their ways to sign in', async () => {
  await expect(person(codehost('pair@example.com'))).rejects.toMatchObject({ constraint: 'proven_addresses_one_person' });
  const methods = sql('SELECT FROM authentication_methods WHERE user_id = ANY ($1) AND is_verified');
  expect(await db.query(methods, [[owner, stranger]])).toHaveLength(2);
});

test('the database knows both spellings of a domain, whoever writes them, and takes nothing else for one', async () => {
  for (const [spelling, form] of [
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ada@xn--strae-oqa.sub.xn--p1ai', 'ada@straße.sub.рф'],
    ['xn--a@xn--ihqwcrb4cv8a8dqg056pqjye.example', 'xn--a@他们为什么不说中文.example'],
    ['ada@xn--egbpdaj6bu4bxfgehfvwxn.example', 'ada@ليهمابتكلموشعربي؟.example'],
    ['ada@xn--ls8h.example', 'ada@💩.example'],
    ...['a@xn--a-.example', 'a@xn--.example', 'a@xn--zzzzzzz9999.example', 'a@xn--99999999999.example', 'a@example', 'xn--p1ai', ''].map(
      (stays) => [stays, stays] as const,
    ),
  ] as const)
    expect(await db.query(sql('SELECT address_form($1) AS form'), [spelling])).toStrictEqual([{ form }]);
  await person(codehost('one@xn--bcher-kva.example'));
  for (const spelling of ['one@xn--bcher-kva.example', 'one@bücher.example'])
    await expect(person(mailbox(spelling))).rejects.toMatchObject({ constraint: 'proven_addresses_one_person' });
});

test('migration 123 gives addresses one spelling, and marks those of which two people had proven one each', async () => {
  expect(await provers('respelt@bücher.example')).toStrictEqual([respelt]);
  expect(await findAccountOf(db, 'respelt@bücher.example')).toMatchObject({ userId: respelt, isProven: true });
  expect(await provers('own@bücher.example')).toStrictEqual([ownTwice]);
  expect(await findAccountOf(db, 'two@bücher.example')).toBe('disputed');
  expect(await provers('two@bücher.example')).toStrictEqual([oneOfTwo, otherOfTwo].toSorted());
  const identities = sql(
    `SELECT provider_id AS id FROM authentication_methods WHERE provider = 'email' AND email LIKE '%cher%' ORDER BY 1`,
  );
  expect((await db.query<{ id: string }>(identities)).map(({ id }) => id)).toStrictEqual([
    'own@bücher.example',
    'respelt@bücher.example',
    'two@bücher.example',
    'two@xn--bcher-kva.example',
  ]);
});

test('migration 123 gives one of several mixed spellings the form, and takes no way to sign in from the others', async () => {
  expect(await provers('own-mixed@ü.ö.example')).toStrictEqual([ownMixed]);
  expect(await provers('mixed@ü.ö.example')).toStrictEqual([oneMixed, otherMixed].toSorted());
  expect(await findAccountOf(db, 'mixed@ü.ö.example')).toBe('disputed');
  const identities = sql(
    `SELECT user_id AS "userId", provider_id AS id FROM authentication_methods WHERE provider = 'email' AND user_id = ANY ($1) ORDER BY authentication_methods.id`,
  );
  expect(await db.query(identities, [[oneMixed, otherMixed]])).toStrictEqual([
    { userId: oneMixed, id: 'mixed@ü.ö.example' },
    { userId: otherMixed, id: mixed[1] },
  ]);
});

test('the operator lists the pairs and decides with the statements of docs/operating.md', async () => {
  const admin = await testDatabase.connect();
  const { rows } = await admin.query<{ address: string; user_id: string; provider: string }>(statementOf('SELECT p.address'));
  expect(rows.map(({ address, user_id: id, provider }) => [address, id, provider]).toSorted()).toStrictEqual(
    [
      ['pair@example.com', owner, 'codehost'],
      ['pair@example.com', stranger, 'email'],
      ['three@example.com', third, 'codehost'],
      ['three@example.com', fourth, 'email'],
      ['three@example.com', fifth, 'codehost'],
      ['two@bücher.example', oneOfTwo, 'email'],
      ['two@bücher.example', otherOfTwo, 'email'],
      ['mixed@ü.ö.example', oneMixed, 'email'],
      ['mixed@ü.ö.example', otherMixed, 'email'],
    ].toSorted(),
  );
  const takeFrom = (id: string, email: string) =>
    admin.query(statementOf('UPDATE identity.authentication_methods').replace('<the other one>', id).replace('<address>', email));
  await takeFrom(stranger, 'pair@example.com');
  expect(await findAccountOf(db, 'pair@example.com')).toMatchObject({ userId: owner, isProven: true });
  await takeFrom(fourth, 'three@example.com');
  expect(await findAccountOf(db, 'three@example.com')).toBe('disputed');
  await takeFrom(third, 'three@example.com');
  expect(await findAccountOf(db, 'three@example.com')).toMatchObject({ userId: fifth, isProven: true });
  await takeFrom(otherOfTwo, 'two@bücher.example');
  expect(await findAccountOf(db, 'two@bücher.example')).toMatchObject({ userId: oneOfTwo, isProven: true });
  await takeFrom(otherMixed, 'mixed@ü.ö.example');
  expect(await countDisputedAddresses(db)).toBe(0);
  expect((await admin.query(statementOf('SELECT p.address'))).rows).toStrictEqual([]);
});
