import type { Envelope, Sealed } from '@tessera/kernel/guard';
import { newId } from '@tessera/kernel/ids';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import type { SigningScope } from '../domain/signing-scope.ts';
import type { NewSigningKey } from '../storage/signing-keys.ts';

const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/** A new RSA key pair; its private key is sealed before it leaves this function. */
export async function createSigningKey(scope: SigningScope, envelope: Envelope): Promise<NewSigningKey> {
  const kid = newId();
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const { n, e } = await exportJWK(publicKey);
  if (n === undefined || e === undefined) throw new Error('an RSA key without modulus and exponent');
  // As bytes, not as a JWK: bytes can be overwritten after use.
  const plain = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  const sealed = envelope.seal(plain, contextOf(kid));
  plain.fill(0);
  return { kid, scope, n, e, ...sealed };
}

/** A key that signs and cannot be exported. */
export async function openPrivateKey(kid: string, sealed: Sealed, envelope: Envelope): Promise<CryptoKey> {
  const plain = envelope.open(sealed, contextOf(kid));
  try {
    return await crypto.subtle.importKey('pkcs8', plain, rs256, false, ['sign']);
  } finally {
    plain.fill(0);
  }
}

export function contextOf(kid: string): string {
  return `signing_keys ${kid}`;
}
