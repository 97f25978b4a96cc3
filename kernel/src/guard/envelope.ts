import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export type Sealed = { readonly sealed: Buffer; readonly encryptionKeyId: string };

export type Envelope = {
  readonly currentKeyId: string;
  readonly keyIds: readonly string[];
  /**
   * `context` names the row, and `open` needs the same one: a sealed value cannot be moved to
   * another row.
   */
  seal(plain: Buffer, context: string): Sealed;
  /** @throws when the key is unknown, or the sealed value or its context was changed */
  open(sealed: Sealed, context: string): Buffer;
};

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes + tagBytes;

/**
 * The first key seals, every key opens. To change keys: put a new one in front, wait for the reseal
 * job, remove the old one.
 */
export function createEnvelope(keys: readonly Buffer[]): Envelope {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  const [currentKeyId] = byId.keys();
  const current = keys[0];
  if (current === undefined || currentKeyId === undefined) throw new TypeError('an envelope needs a key');

  return {
    currentKeyId,
    keyIds: [...byId.keys()],
    seal(plain, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', current, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return { sealed: Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), body]), encryptionKeyId: currentKeyId };
    },
    open({ sealed, encryptionKeyId }, context) {
      const key = byId.get(encryptionKeyId);
      if (key === undefined) throw new Error(`the key ${encryptionKeyId} is not configured`);
      if (sealed.length < headBytes || sealed[0] !== version) throw new Error('not a sealed value');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(1 + nonceBytes, headBytes));
      return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]);
    },
  };
}

/** Identifies a key without revealing it. */
function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('tessera encryption key id v1').update(key).digest('hex').slice(0, 16);
}
