/**
 * What bcrypt gets in place of the password: its HMAC-SHA-384 in base64. bcrypt reads 72 bytes and
 * stops at a zero byte; the 64 characters of a digest make all 128 characters of a password count
 * (docs/conformance.md, passwords.2).
 *
 * The digest is keyed, because SHA-384 lists stolen elsewhere could be tried against hashes of
 * plain digests (OWASP Password Storage Cheat Sheet, "Pre-Hashing Passwords with bcrypt"). A stored
 * hash is `<key id>$2b$…`; one without a key id is of a plain digest, from before.
 */
import { createHash, createHmac } from 'node:crypto';
import { normalizePassword } from '@tessera/rules/password-policy';
import { deriveKey } from '../../ground/tokens/opaque-token.ts';

type DigestOf = (password: string) => string;

export type Prehash = {
  /** For a new hash: the digest for bcrypt, and how the result is stored. */
  readonly current: { readonly digestOf: DigestOf; readonly store: (bcryptHash: string) => string };
  /** Undefined when the key of the hash is not configured any more. */
  read(stored: string): { readonly digestOf: DigestOf; readonly bcryptHash: string } | undefined;
  /** Another kind than a new hash would be: without a key, or with an earlier one. */
  isOutdated(stored: string): boolean;
};

/** The first secret keys new hashes, all verify: an operator puts a new one in front. */
export function createPrehash(secrets: readonly [string, ...string[]]): Prehash {
  const keyed = new Map(secrets.map(keyedDigest));
  const [currentId, digestOf] = keyedDigest(secrets[0]);
  return {
    current: { digestOf, store: (bcryptHash) => currentId + bcryptHash },
    read(stored) {
      const [keyId, bcryptHash] = split(stored);
      const known = keyId === '' ? plainDigest : keyed.get(keyId);
      return known && { digestOf: known, bcryptHash };
    },
    isOutdated: (stored) => split(stored)[0] !== currentId,
  };
}

function keyedDigest(secret: string): [keyId: string, digestOf: DigestOf] {
  const key = deriveKey(secret, 'password');
  const keyId = deriveKey(secret, 'password key id').toString('hex').slice(0, 8);
  return [keyId, (password) => createHmac('sha384', key).update(normalizePassword(password), 'utf8').digest('base64')];
}

function plainDigest(password: string): string {
  return createHash('sha384').update(normalizePassword(password), 'utf8').digest('base64');
}

function split(stored: string): [keyId: string, bcryptHash: string] {
  const at = stored.indexOf('$');
  return [stored.slice(0, at), stored.slice(at)];
}
