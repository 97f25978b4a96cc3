/** Codes by mail that show that an address belongs to an account. A new one replaces the last. */
import type { Transaction } from '@tessera/kernel/postgres';
import { query } from '../../ground/storage/query.ts';
import type { Reader } from '../../ground/storage/reader.ts';

export type AddressCode = { readonly methodId: string; readonly sessionId: string; readonly hash: Uint8Array };

export async function replaceAddressCode(
  tx: Transaction,
  { methodId: authenticationMethodId, sessionId, hash }: AddressCode,
  expiresAt: Date,
  now: Date,
): Promise<void> {
  const values = { sessionId, hash, createdAt: now.toISOString(), expiresAt: expiresAt.toISOString() };
  await tx.execute(
    query
      .insertInto('address_codes')
      .values({ authenticationMethodId, ...values })
      .onConflict((conflict) => conflict.column('authenticationMethodId').doUpdateSet(values)),
  );
}

/** The code of a method, if this session requested it and it has not expired. */
export async function findAddressCode(
  reader: Reader,
  { methodId, sessionId }: Omit<AddressCode, 'hash'>,
  now: Date,
): Promise<Uint8Array | undefined> {
  const codes = query.selectFrom('address_codes').where('authenticationMethodId', '=', methodId).where('sessionId', '=', sessionId);
  return (await reader.query(codes.where('expiresAt', '>', now.toISOString()).select('hash')))[0]?.hash;
}

/** Compare-and-delete: of all requests that send a code at once, one is accepted. */
export async function useAddressCode(tx: Transaction, { methodId, sessionId, hash }: AddressCode, now: Date): Promise<boolean> {
  const used = query
    .deleteFrom('address_codes')
    .where('authenticationMethodId', '=', methodId)
    .where('sessionId', '=', sessionId)
    .where('hash', '=', hash)
    .where('expiresAt', '>', now.toISOString());
  return (await tx.execute(used)) === 1;
}

export async function deleteExpiredAddressCodes(tx: Transaction, now: Date): Promise<void> {
  await tx.execute(query.deleteFrom('address_codes').where('expiresAt', '<', now.toISOString()));
}
