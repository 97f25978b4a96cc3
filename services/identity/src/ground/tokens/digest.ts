import { hashToken } from './opaque-token.ts';

/** The SHA-256 of a secret in base64url, to recognise the secret later. */
export function digest(secret: string): string {
  return hashToken(secret).toString('base64url');
}
