/** Six digits by mail, which show in a session that its account belongs to a mailbox. */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { deriveToken, hashToken, type RotatedKey } from '../ground/tokens/opaque-token.ts';

export const addressCodeMs = 15 * 60_000;

type Place = { readonly methodId: string; readonly sessionId: string };

export type AddressCodes = {
  create(place: Place): { readonly code: string; readonly hash: Buffer };
  /** Spaces do not matter: mails and people group digits. */
  matches(code: string, place: Place, hash: Uint8Array): boolean;
};

/** Six digits have few values: only with the key a hash tells which one it is. */
export function createAddressCodes(keys: RotatedKey): AddressCodes {
  const hashWith = (key: Buffer, code: string, { methodId, sessionId }: Place) =>
    hashToken(deriveToken(key, `${methodId} ${sessionId} ${code.replaceAll(/\s/g, '')}`));
  return {
    create(place) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      return { code, hash: hashWith(keys[0], code, place) };
    },
    matches: (code, place, hash) => keys.some((key) => timingSafeEqual(hashWith(key, code, place), hash)),
  };
}
