/**
 * Encrypts data that others keep for a while (a mail job in Postgres, a flow in Redis) with
 * AES-256-GCM, bound to the name that it is kept under. Separate from the envelope of keys, which
 * has several keys by id for data that is kept for years.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { RotatedKey } from './opaque-token.ts';

const ivBytes = 12;
const tagBytes = 16;

export function seal([key]: RotatedKey, name: string, data: object): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(data), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Throws when the data was sealed with another key or under another name, or was changed. */
export function unseal([key, ...olderKeys]: RotatedKey, name: string, sealed: Buffer): Record<string, unknown> {
  try {
    return open(key, name, sealed);
  } catch (error) {
    const [older, ...others] = olderKeys;
    if (older === undefined) throw error;
    return unseal([older, ...others], name, sealed);
  }
}

function open(key: Buffer, name: string, sealed: Buffer): Record<string, unknown> {
  const authTagLength = tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), { authTagLength }).setAAD(Buffer.from(name));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8'));
}
