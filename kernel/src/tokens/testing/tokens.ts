/** Test support: signing keys, and tokens, valid and forged. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { newId } from '../../ids/index.ts';
import type { SigningScope } from '../claims.ts';
import type { VerificationKey } from '../keys.ts';

export const appUrl = 'https://iam.example.test';
export const now = 1_900_000_000_000;
export const seconds = now / 1000;

export type Signer = VerificationKey & { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

export function createSigner(scope: SigningScope, modulusLength = 2048): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  return { kid: newId(), scope, n, e, privateKey, publicKey };
}

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function makeToken(signer: Signer, claims: object, header: object = {}): string {
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: signer.kid, ...header })}.${part(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), signer.privateKey).toString('base64url')}`;
}

/** RFC 8725 section 2.1: a MAC whose secret is the public key. */
export function makeMacToken(signer: Signer, claims: object, secret: string | Buffer): string {
  const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: signer.kid })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export function makeUnsigned(kid: string, claims: object, alg: string): string {
  return `${part({ alg, typ: 'JWT', kid })}.${part(claims)}.`;
}

export function sessionClaims(changes: object = {}): Record<string, unknown> {
  return {
    sub: newId(),
    aud: appUrl,
    iss: appUrl,
    exp: seconds + 900,
    iat: seconds,
    jti: newId(),
    type: 'session',
    isVerified: true,
    ...changes,
  };
}
