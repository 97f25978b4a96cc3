import { statement, type Transaction } from '@tessera/kernel/postgres';

// What a provider says of an address can prove it, never unprove it.
const useSql = statement(
  'identity_use_provider_method',
  `UPDATE authentication_methods AS m SET last_used_at = $2, is_verified = m.is_verified OR $4,
     email = CASE WHEN $4 THEN $3 ELSE m.email END
   FROM (SELECT id, email, is_verified FROM authentication_methods WHERE id = $1 FOR UPDATE) AS earlier
   WHERE m.id = earlier.id RETURNING (m.email, m.is_verified) IS DISTINCT FROM (earlier.email, earlier.is_verified) AS "hasChanged"`,
);

/** Notes a sign-in by provider. True when the provider has newly proven an address, so that the person counts as verified by it. */
export async function useProviderMethod(
  tx: Transaction,
  methodId: string,
  { email, isEmailVerified }: { readonly email: string | null; readonly isEmailVerified: boolean },
  now: Date,
): Promise<boolean> {
  const used = await tx.one<{ hasChanged: boolean }>(useSql, [methodId, now, email, isEmailVerified]);
  return used?.hasChanged === true;
}
