/**
 * Six digits by mail: they show in a session that its account belongs to a mailbox, or sign in to
 * it. A code counts in one place only.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { deriveToken, hashToken, type RotatedKey } from '../ground/tokens/opaque-token.ts';

export const addressCodeMs = 15 * 60_000;

export type MailedCodes = {
  /** `place`: what the code belongs to, and where alone it may be typed. */
  create(place: string): { readonly code: string; readonly hash: Buffer };
  /** Spaces do not matter: mails and people group digits. */
  matches(code: string, place: string, hash: Uint8Array): boolean;
};

/** Six digits have few values: only with the key a hash tells which one it is. */
export function createMailedCodes(keys: RotatedKey): MailedCodes {
  const hashWith = (key: Buffer, code: string, place: string) => hashToken(deriveToken(key, `${place} ${code.replaceAll(/\s/g, '')}`));
  return {
    create(place) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      return { code, hash: hashWith(keys[0], code, place) };
    },
    matches: (code, place, hash) => keys.some((key) => timingSafeEqual(hashWith(key, code, place), hash)),
  };
}
