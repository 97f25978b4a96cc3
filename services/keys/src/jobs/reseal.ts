import type { Envelope } from '@tessera/kernel/guard';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import { contextOf, ellipticContextOf } from '../signing/key-pair.ts';
import { secretContextOf } from '../signing/service-secret.ts';
import { listUsedEncryptionKeyIds, lockStaleKeys, lockStaleSecrets, resealKey, resealSecret } from '../storage/sealed-secrets.ts';

/** Reseals under the first key every value that is sealed under another. Returns their number. */
export async function resealAll(tx: Transaction, envelope: Envelope): Promise<number> {
  let count = 0;
  for (;;) {
    const keys = await lockStaleKeys(tx, 'signing_keys', envelope.currentKeyId);
    for (const { name: kid, ...sealed } of keys) await resealKey(tx, 'signing_keys', kid, reseal(envelope, sealed, contextOf(kid)));
    const elliptic = await lockStaleKeys(tx, 'elliptic_keys', envelope.currentKeyId);
    for (const { name: kid, ...sealed } of elliptic)
      await resealKey(tx, 'elliptic_keys', kid, reseal(envelope, sealed, ellipticContextOf(kid)));
    const secrets = await lockStaleSecrets(tx, envelope.currentKeyId);
    for (const { name, ...sealed } of secrets) await resealSecret(tx, name, reseal(envelope, sealed, secretContextOf(name)));
    const resealed = keys.length + elliptic.length + secrets.length;
    if (resealed === 0) return count;
    count += resealed;
  }
}

function reseal(envelope: Envelope, sealed: Parameters<Envelope['open']>[0], context: string) {
  const plain = envelope.open(sealed, context);
  try {
    return envelope.seal(plain, context);
  } finally {
    plain.fill(0);
  }
}

/** Refuses to start without a key that is in use: the service would fail at the first signature. */
export async function assertAllOpenable(db: Database, { keyIds }: Envelope): Promise<void> {
  const missing = (await listUsedEncryptionKeyIds(db)).filter((id) => !keyIds.includes(id));
  if (missing.length > 0) throw new Error(`KEYS_ENCRYPTION_KEY lacks the keys ${missing.join(', ')}, under which secrets are still sealed`);
}
