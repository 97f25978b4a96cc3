/** Opaque tokens: 256 random bits to the holder, a SHA-256 to the database. */
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { secretsIn } from '@tessera/kernel/config';

const bits = 256;

export function newOpaqueToken(): string {
  return randomBytes(bits / 8).toString('base64url');
}

/** The secret of an app. The prefix lets scanners find it in code. */
export function newClientSecret(): string {
  return `tas_${newOpaqueToken()}`;
}

const directoryPrefix = 'tds_';

/** The long-lived token of a directory. */
export function newDirectoryToken(): string {
  return directoryPrefix + newOpaqueToken();
}

export function isDirectoryToken(text: string): boolean {
  return text.startsWith(directoryPrefix) && text.length <= 100;
}

/** The hash that the database stores. A token cannot be guessed, so no slow hash is needed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/**
 * A key of its own for each purpose, from the one secret that all replicas of the service share.
 */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tessera/identity', purpose, bits / 8));
}

/**
 * One key for each value of a secret that is being rotated: the first is used, all are accepted.
 */
export type RotatedKey = readonly [Buffer, ...Buffer[]];

export function deriveKeys(secrets: string, purpose: string): RotatedKey {
  const [first, ...others] = secretsIn(secrets);
  return [deriveKey(first, purpose), ...others.map((secret) => deriveKey(secret, purpose))];
}

/**
 * A token that can be derived again: the successor of a spent refresh token, the token of a mail
 * that is sent twice.
 */
export function deriveToken(key: Buffer, from: string): string {
  return createHmac('sha256', key).update(from, 'utf8').digest('base64url');
}

/** One value for one device, whatever the length of its user agent. */
export function deviceKey(userAgent: string, ipAddress: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([userAgent, ipAddress]), 'utf8')
    .digest();
}
