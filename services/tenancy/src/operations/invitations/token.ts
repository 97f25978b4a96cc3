import { hash, randomBytes } from 'node:crypto';

/**
 * 256 random bits for the mail, and their hash for the table. Plain SHA-256 is enough because the
 * token cannot be guessed.
 */
export function createToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
