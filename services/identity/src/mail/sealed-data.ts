/**
 * Encrypts the data of a mail job, which may hold a one-time token, with AES-256-GCM bound to the
 * job's id. Separate from the envelope of keys, which has several keys by id for data that is kept
 * for years; mail data is deleted once sent.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ivBytes = 12;
const tagBytes = 16;

export function seal(key: Buffer, jobId: string, data: object): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(jobId));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(data), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

export function unseal(key: Buffer, jobId: string, sealed: Buffer): Record<string, unknown> {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(jobId));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return JSON.parse(Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8'));
}
