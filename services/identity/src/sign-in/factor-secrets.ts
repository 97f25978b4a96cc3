/** TOTP secrets at rest: encrypted, each bound to its factor, the key rotatable. */
import { createHash } from 'node:crypto';
import type { RotatedKey } from '../ground/tokens/opaque-token.ts';
import { seal, unseal } from '../ground/tokens/sealed.ts';
import type { SealedSecret } from './storage/second-factors.ts';

export type FactorSecrets = {
  /** Of the key that encrypts now. */
  readonly keyId: string;
  seal(factorId: string, secret: string): SealedSecret;
  /** Throws when the key is not configured any more. */
  open(factorId: string, sealed: SealedSecret): string;
};

export function createFactorSecrets(keys: RotatedKey): FactorSecrets {
  const keyId = createHash('sha256').update('tessera factor key id').update(keys[0]).digest('hex').slice(0, 16);
  return {
    keyId,
    seal: (factorId, secret) => ({ secret: seal(keys, factorId, { secret }), sealedWith: keyId }),
    open: (factorId, { secret }) => String(unseal(keys, factorId, secret)['secret']),
  };
}
