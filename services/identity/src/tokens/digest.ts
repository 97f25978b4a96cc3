import { hashToken } from './opaque-token.ts';

/** What is remembered of a secret that somebody will show again, as text. */
export function digest(secret: string): string {
  return hashToken(secret).toString('base64url');
}
