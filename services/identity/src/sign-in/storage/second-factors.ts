import { newId } from '@tessera/kernel/ids';
import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { changedAt, query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';
import type { FactorKind } from '../../ground/tables/second-factors.ts';

export type { FactorKind } from '../../ground/tables/second-factors.ts';

/** A second factor, without secrets. */
export type SecondFactor = {
  readonly id: string;
  readonly kind: FactorKind;
  readonly name: string;
  readonly isConfirmed: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastUsedAt: string | null;
};
const columns = ['id', 'kind', 'name', 'isConfirmed', 'createdAt', 'updatedAt', 'lastUsedAt'] as const;

function ofPerson(userId: string) {
  return query.selectFrom('second_factors').where('userId', '=', userId);
}

/** Oldest first; `remaining` counts the codes of recoveryCodes and is null for others. */
export async function listFactors(reader: Reader, userId: string): Promise<(SecondFactor & { remaining: number | null })[]> {
  const rows = await reader.query(
    ofPerson(userId)
      .select(columns)
      .select(({ selectFrom }) =>
        selectFrom('recovery_codes as c')
          .whereRef('c.factorId', '=', 'second_factors.id')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('remaining'),
      )
      .orderBy('createdAt')
      .orderBy('id'),
  );
  return rows.map(({ remaining, ...factor }) => ({ ...factor, remaining: factor.kind === 'recoveryCodes' ? (remaining ?? 0) : null }));
}

/** The kinds of confirmed factors; a sign-in needs one of them when there are any. */
export async function confirmedKinds(reader: Reader, userId: string): Promise<FactorKind[]> {
  const rows = await reader.query(ofPerson(userId).where('isConfirmed', '=', true).select('kind').distinct());
  return rows.map(({ kind }) => kind);
}

export async function confirmedIds(reader: Reader, userId: string): Promise<string[]> {
  return (await reader.query(ofPerson(userId).where('isConfirmed', '=', true).select('id'))).map(({ id }) => id);
}

/** People who exist and have confirmed no factor, in no particular order. */
export async function filterWithoutFactor(reader: Reader, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const rows = await reader.query(
    query
      .selectFrom('users as u')
      .where('u.id', '=', ({ fn, val }) => fn.any(val(userIds)))
      .where('u.deletedAt', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('second_factors as f').whereRef('f.userId', '=', 'u.id').where('f.isConfirmed', '=', true).select('f.id'))),
      )
      .select('u.id'),
  );
  return rows.map(({ id }) => id);
}

export type Totp = { readonly id: string; readonly isConfirmed: boolean; readonly lastStep: number | null } & SealedSecret;
export type SealedSecret = { readonly secret: Buffer; readonly sealedWith: string };

const findTotpQuery = statement('identity_find_totp', ({ userId }: Params<{ userId: string }>) =>
  query
    .selectFrom('second_factors')
    .where('userId', '=', userId)
    .where('kind', '=', 'totp')
    .select(['id', 'isConfirmed', 'lastStep', 'secret', 'sealedWith']),
);

export async function findTotp(reader: Reader, userId: string): Promise<Totp | undefined> {
  const [found] = await reader.query(findTotpQuery, { userId });
  if (found === undefined || found.secret === null || found.sealedWith === null) return undefined;
  return { ...found, secret: found.secret, sealedWith: found.sealedWith };
}

/** Those that another key has encrypted, by id; locked, without those that are locked already. */
export async function lockTotpsSealedBefore(
  tx: Transaction,
  keyId: string,
  after: string | undefined,
  most: number,
): Promise<(SealedSecret & { readonly id: string })[]> {
  const sealed = query.selectFrom('second_factors').where('kind', '=', 'totp').where('sealedWith', '<>', keyId);
  const rows = await tx.query(
    (after === undefined ? sealed : sealed.where('id', '>', after))
      .select(['id', 'secret', 'sealedWith'])
      .orderBy('id')
      .limit(most)
      .forUpdate()
      .skipLocked(),
  );
  return rows.flatMap(({ id, secret, sealedWith }) => (secret === null || sealedWith === null ? [] : [{ id, secret, sealedWith }]));
}

export async function replaceTotpSecret(tx: Transaction, id: string, sealed: SealedSecret): Promise<void> {
  await tx.execute(query.updateTable('second_factors').set(sealed).where('id', '=', id));
}

type New = { readonly id: string; readonly userId: string; readonly name: string };

async function insertFactor(
  tx: Transaction,
  values: New & { readonly kind: FactorKind; readonly isConfirmed: boolean },
  now: Date,
  more: object,
) {
  const at = now.toISOString();
  const inserted = await tx.one(
    query
      .insertInto('second_factors')
      .values({ ...values, ...more, createdAt: at, updatedAt: at })
      .returning(columns),
  );
  if (inserted === undefined) throw new Error('an insert returned no row');
  return inserted;
}

/** Replaces a secret that was never confirmed. Call it under the person's lock. */
export async function insertTotp(tx: Transaction, factor: New & SealedSecret, now: Date): Promise<SecondFactor> {
  const { id, userId, name, ...sealed } = factor;
  await tx.execute(
    query.deleteFrom('second_factors').where('userId', '=', userId).where('kind', '=', 'totp').where('isConfirmed', '=', false),
  );
  return insertFactor(tx, { id, userId, name, kind: 'totp', isConfirmed: false }, now, sealed);
}

const useTotpQuery = statement('identity_use_totp', ({ id, step, at }: Params<{ id: string; step: number; at: string }>) =>
  query
    .updateTable('second_factors')
    .set({ lastStep: step, lastUsedAt: at, updatedAt: at, isConfirmed: true })
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('lastStep', 'is', null), eb('lastStep', '<', step)]))
    .returning(columns),
);

/** Compare-and-set: false when this step, or a later one, was used before. Confirms the factor. */
export async function useTotpStep(tx: Transaction, id: string, step: number, now: Date): Promise<SecondFactor | undefined> {
  return tx.one(useTotpQuery, { id, step, at: now.toISOString() });
}

export type Passkey = {
  readonly id: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isSynced: boolean;
};
const passkeyColumns = ['id', 'userId', 'credentialId', 'publicKey', 'counter', 'transports', 'isSynced'] as const;
type PasskeyRow = { readonly [Name in keyof Passkey]: Passkey[Name] | null };

function toPasskey({ id, userId, credentialId, publicKey, counter, transports, isSynced }: PasskeyRow): Passkey[] {
  if (id === null || userId === null || credentialId === null || publicKey === null) return [];
  return [{ id, userId, credentialId, publicKey, counter: counter ?? 0, transports: transports ?? [], isSynced: isSynced === true }];
}

const findPasskeyQuery = statement('identity_find_passkey', ({ credentialId }: Params<{ credentialId: string }>) =>
  query
    .selectFrom('second_factors')
    .where('credentialId', '=', credentialId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('users as u').whereRef('u.id', '=', 'second_factors.userId').where('u.deletedAt', 'is', null).select('u.id')),
    )
    .select(passkeyColumns),
);

/** Of a person who is not deleted. */
export async function findPasskey(reader: Reader, credentialId: string): Promise<Passkey | undefined> {
  return (await reader.query(findPasskeyQuery, { credentialId })).flatMap(toPasskey)[0];
}

export async function listPasskeys(reader: Reader, userId: string): Promise<Passkey[]> {
  return (await reader.query(ofPerson(userId).where('kind', '=', 'passkey').select(passkeyColumns))).flatMap(toPasskey);
}

/** Unique violation: `second_factors_credential`. */
export async function insertPasskey(
  tx: Transaction,
  { name, id, userId, transports, ...passkey }: Passkey & New,
  now: Date,
): Promise<SecondFactor> {
  const credential = { ...passkey, transports: JSON.stringify(transports) };
  return insertFactor(tx, { id, userId, name, kind: 'passkey', isConfirmed: true }, now, credential);
}

type Use = { id: string; counter: number; newCounter: number; at: string };
const usePasskeyQuery = statement('identity_use_passkey', ({ id, counter, newCounter, at }: Params<Use>) =>
  query.updateTable('second_factors').set({ counter: newCounter, lastUsedAt: at }).where('id', '=', id).where('counter', '=', counter),
);

/** Compare-and-set: false when the same signature was used before, or the passkey was removed. */
export async function usePasskey(tx: Transaction, { id, counter }: Passkey, newCounter: number, now: Date): Promise<boolean> {
  return (await tx.execute(usePasskeyQuery, { id, counter, newCounter, at: now.toISOString() })) === 1;
}

/** Locked until the commit. Undefined when the person has no such factor. */
export function lockFactor(tx: Transaction, userId: string, id: string): Promise<SecondFactor | undefined> {
  return tx.one(ofPerson(userId).where('id', '=', id).select(columns).forUpdate());
}

export async function renameFactor(
  tx: Transaction,
  userId: string,
  id: string,
  name: string,
  now: Date,
): Promise<SecondFactor | undefined> {
  return tx.one(
    query
      .updateTable('second_factors')
      .set({ name, updatedAt: changedAt(now) })
      .where('id', '=', id)
      .where('userId', '=', userId)
      .where('kind', '<>', 'recoveryCodes')
      .returning(columns),
  );
}

/** Recovery codes go with the last factor. Call it under the person's lock. */
export async function deleteFactor(tx: Transaction, userId: string, id: string): Promise<SecondFactor | undefined> {
  const ofThem = query.deleteFrom('second_factors').where('userId', '=', userId);
  const removed = await tx.one(ofThem.where('id', '=', id).where('kind', '<>', 'recoveryCodes').returning(columns));
  const left = await confirmedKinds(tx, userId);
  if (removed !== undefined && left.every((kind) => kind === 'recoveryCodes')) await tx.execute(ofThem.where('kind', '=', 'recoveryCodes'));
  return removed;
}

/** Every factor and recovery code of a person. Returns the kinds that went. */
export async function deleteFactorsOf(tx: Transaction, userId: string): Promise<FactorKind[]> {
  const removed = await tx.query(query.deleteFrom('second_factors').where('userId', '=', userId).returning('kind'));
  return removed.map(({ kind }) => kind).toSorted();
}

/** The old codes end. Call it under the person's lock. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string, hashes: readonly Buffer[], now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('second_factors').where('userId', '=', userId).where('kind', '=', 'recoveryCodes'));
  const { id } = await insertFactor(tx, { id: newId(), userId, name: '', kind: 'recoveryCodes', isConfirmed: true }, now, {});
  await tx.execute(query.insertInto('recovery_codes').values(hashes.map((hash) => ({ hash, factorId: id }))));
}

/** Deletes the code: of all requests that send it at once, one is accepted. */
export async function useRecoveryCode(tx: Transaction, userId: string, hash: Buffer, now: Date): Promise<boolean> {
  const used = await tx.one(
    query
      .deleteFrom('recovery_codes as c')
      .using('second_factors as f')
      .whereRef('f.id', '=', 'c.factorId')
      .where('f.userId', '=', userId)
      .where('c.hash', '=', hash)
      .returning('c.factorId'),
  );
  if (used === undefined) return false;
  await tx.execute(query.updateTable('second_factors').set({ lastUsedAt: now.toISOString() }).where('id', '=', used.factorId));
  return true;
}
