import { createPublicKey } from 'node:crypto';
import type { Jwks } from '../../ground/domain/project-app.ts';

export type KeyFault = { readonly index: number; readonly en: string; readonly de: string };

/** The members of private and symmetric keys (RFC 7518 section 6). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const leastRsaBits = 2048;

/** The first key of the set that is no public key to verify signatures with. */
export function jwksFault({ keys }: Jwks): KeyFault | undefined {
  for (const [index, key] of keys.entries()) {
    if (secretMembers.some((member) => Object.hasOwn(key, member)))
      return {
        index,
        en: 'holds a secret key: register the public key only',
        de: 'enthält einen privaten Schlüssel: Nur der öffentliche gehört hierher',
      };
    if (!isVerificationKey(key))
      return { index, en: 'must be a public RSA, EC or Ed25519 key', de: 'muss ein öffentlicher RSA-, EC- oder Ed25519-Schlüssel sein' };
  }
  return undefined;
}

function isVerificationKey(key: Jwks['keys'][number]): boolean {
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= leastRsaBits;
    return asymmetricKeyType === 'ec' || asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}
