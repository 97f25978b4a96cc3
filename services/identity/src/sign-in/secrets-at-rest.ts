/**
 * Secrets that are needed again: of authenticator apps, and of connections. Encrypted, each bound
 * to its row, the key rotatable.
 */
import { createHash } from 'node:crypto';
import type { RotatedKey } from '../ground/tokens/opaque-token.ts';
import { seal, unseal } from '../ground/tokens/sealed.ts';
import type { SealedSecret } from './storage/second-factors.ts';

export type SecretsAtRest = {
  /** Of the key that encrypts now. */
  readonly keyId: string;
  seal(id: string, secret: string): SealedSecret;
  /** Throws when the key is not configured any more. */
  open(id: string, sealed: SealedSecret): string;
};

export function createSecretsAtRest(keys: RotatedKey): SecretsAtRest {
  const keyId = createHash('sha256').update('tessera factor key id').update(keys[0]).digest('hex').slice(0, 16);
  return {
    keyId,
    seal: (id, secret) => ({ secret: seal(keys, id, { secret }), sealedWith: keyId }),
    open: (id, { secret }) => String(unseal(keys, id, secret)['secret']),
  };
}
