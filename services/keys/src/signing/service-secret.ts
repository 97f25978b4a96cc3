import { randomBytes } from 'node:crypto';
import type { Envelope } from '@tessera/kernel/guard';
import type { Database } from '@tessera/kernel/postgres';
import { findSealedSecret, insertSealedSecret } from '../storage/sealed-secrets.ts';

const secretBytes = 32;

export function secretContextOf(name: string): string {
  return `sealed_secrets ${name}`;
}

/**
 * A random secret of the service. The first replica creates it; it stays the same when
 * KEYS_ENCRYPTION_KEY changes.
 */
export async function loadServiceSecret(db: Database, envelope: Envelope, name: string, now: Date): Promise<Buffer> {
  const context = secretContextOf(name);
  const known = await findSealedSecret(db, name);
  return envelope.open(known ?? (await insertSealedSecret(db, name, envelope.seal(randomBytes(secretBytes), context), now)), context);
}
