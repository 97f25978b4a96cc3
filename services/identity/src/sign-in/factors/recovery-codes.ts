import { randomBytes } from 'node:crypto';
import { hashToken } from '../../ground/tokens/opaque-token.ts';

const codes = 10;
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Ten codes of 80 random bits: they cannot be guessed, so no slow hash is needed. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () => {
    const letters = [...randomBytes(16)].map((byte) => alphabet[byte % alphabet.length]).join('');
    return letters.replaceAll(/(.{4})(?=.)/g, '$1-');
  });
}

/** Case, spaces and hyphens do not matter. */
export function hashRecoveryCode(code: string): Buffer {
  return hashToken(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}
