import { EncryptJWT, errors, jwtDecrypt } from 'jose';

/** Each purpose has a key of its own, so that one cookie never opens as another. */
export type Purpose = 'session' | 'sign-in';
export type Sealer = ReturnType<typeof createSealer>;

const bits = 256;

async function keyOf(secret: string, purpose: Purpose): Promise<Uint8Array> {
  const material = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), 'HKDF', false, ['deriveBits']);
  const info = new TextEncoder().encode(`@tessera/next ${purpose} 1`);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }, material, bits));
}

/** Encrypts and authenticates what a cookie holds: JWE, `dir`, A256GCM. */
export function createSealer(secrets: readonly string[], nowMs: () => number) {
  const keys = new Map<Purpose, Promise<readonly Uint8Array[]>>();
  const keysFor = (purpose: Purpose) => {
    const known = keys.get(purpose) ?? Promise.all(secrets.map((secret) => keyOf(secret, purpose)));
    keys.set(purpose, known);
    return known;
  };
  return {
    async seal(purpose: Purpose, content: object, ttlSeconds: number): Promise<string> {
      const [key] = await keysFor(purpose);
      if (key === undefined) throw new TypeError('there is no secret');
      const nowSeconds = Math.floor(nowMs() / 1000);
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + ttlSeconds)
        .encrypt(key);
    },
    /** Undefined for what was not sealed here for this purpose, or is over. */
    async open(purpose: Purpose, sealed: string): Promise<unknown> {
      for (const key of await keysFor(purpose)) {
        try {
          const options = {
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            currentDate: new Date(nowMs()),
            requiredClaims: ['exp'],
          };
          return (await jwtDecrypt(sealed, key, options)).payload['content'];
        } catch (error) {
          if (!(error instanceof errors.JOSEError)) throw error;
        }
      }
      return undefined;
    },
  };
}
