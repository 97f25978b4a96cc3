import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
/** Lets secret scanners recognise a key that was committed by mistake. */
const prefix = 'tsk_';
/**
 * Secrets of unknown clients are compared with this hash, so that they take as long as known ones.
 */
const unknownHash = Buffer.alloc(32);

export type SecretHasher = {
  hash(secret: string): Buffer;
  /** In constant time. An undefined hash takes as long and never matches. */
  matches(secret: string, hash: Buffer | undefined): boolean;
};

/** 256 random bits can't be guessed, so a fast keyed hash is enough. */
export function createSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64url');
}

export function createSecretHasher(key: Buffer): SecretHasher {
  const secretKey = createSecretKey(key);
  const hash = (secret: string) => createHmac('sha256', secretKey).update(secret).digest();
  return {
    hash,
    matches(secret, known) {
      const isEqual = timingSafeEqual(hash(secret), known ?? unknownHash);
      return isEqual && known !== undefined;
    },
  };
}
