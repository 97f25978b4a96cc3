import type { Envelope, Sealed } from '@tessera/kernel/guard';
import { newId } from '@tessera/kernel/ids';
import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import type { SigningScope } from '../domain/signing-scope.ts';
import type { NewEllipticKey } from '../storage/elliptic-keys.ts';
import type { NewSigningKey } from '../storage/signing-keys.ts';

const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const es256 = { name: 'ECDSA', namedCurve: 'P-256' };

/**
 * A new RSA key pair, for a project with one of P-256 beside it; private keys are sealed before
 * they leave this function.
 */
export async function createSigningKey(scope: SigningScope, envelope: Envelope): Promise<NewSigningKey> {
  const kid = newId();
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const { n, e } = await exportJWK(publicKey);
  if (n === undefined || e === undefined) throw new Error('an RSA key without modulus and exponent');
  const beside = scope.tenant === 'system' ? undefined : await createEllipticKey(envelope);
  return { kid, scope, n, e, es256: beside, ...(await sealPrivateKey(privateKey, contextOf(kid), envelope)) };
}

/** A new key pair on the curve P-256, sealed in the same way. */
export async function createEllipticKey(envelope: Envelope): Promise<NewEllipticKey> {
  const kid = newId();
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x, y } = await exportJWK(publicKey);
  if (x === undefined || y === undefined) throw new Error('a key of P-256 without its point');
  return { kid, x, y, ...(await sealPrivateKey(privateKey, ellipticContextOf(kid), envelope)) };
}

async function sealPrivateKey(key: CryptoKey, context: string, envelope: Envelope): Promise<Sealed> {
  // As bytes, not as a JWK: bytes can be overwritten after use.
  const plain = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  const sealed = envelope.seal(plain, context);
  plain.fill(0);
  return sealed;
}

/** A key that signs and cannot be exported. */
export function openPrivateKey(kid: string, sealed: Sealed, envelope: Envelope): Promise<CryptoKey> {
  return open(sealed, contextOf(kid), rs256, envelope);
}

/** The same for a key of P-256. */
export function openEllipticKey(kid: string, sealed: Sealed, envelope: Envelope): Promise<CryptoKey> {
  return open(sealed, ellipticContextOf(kid), es256, envelope);
}

async function open(sealed: Sealed, context: string, algorithm: typeof rs256 | typeof es256, envelope: Envelope): Promise<CryptoKey> {
  const plain = envelope.open(sealed, context);
  try {
    return await crypto.subtle.importKey('pkcs8', plain, algorithm, false, ['sign']);
  } finally {
    plain.fill(0);
  }
}

export function ellipticContextOf(kid: string): string {
  return `elliptic_keys ${kid}`;
}

export function contextOf(kid: string): string {
  return `signing_keys ${kid}`;
}
