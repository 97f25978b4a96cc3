import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { newId } from '@tessera/kernel/ids';
import type { SigningScope } from '../domain/signing-scope.ts';
import type { NewSigningKey } from '../storage/signing-keys.ts';
import type { Envelope, Sealed } from './envelope.ts';

const generate = promisify(generateKeyPair);
const modulusBits = 2048;

/** A fresh RSA pair, its private half sealed before it leaves this function. */
export async function createSigningKey(scope: SigningScope, envelope: Envelope): Promise<NewSigningKey> {
  const kid = newId();
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: modulusBits, publicExponent: 0x10001 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  if (n === undefined || e === undefined) throw new Error('an RSA key without modulus and exponent');
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealed = envelope.seal(plain, contextOf(kid));
  plain.fill(0);
  return { kid, scope, n, e, ...sealed };
}

export function openPrivateKey(kid: string, sealed: Sealed, envelope: Envelope): KeyObject {
  const plain = envelope.open(sealed, contextOf(kid));
  try {
    return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' });
  } finally {
    plain.fill(0);
  }
}

export function contextOf(kid: string): string {
  return `signing_keys ${kid}`;
}
