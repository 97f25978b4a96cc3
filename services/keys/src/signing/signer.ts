import { failures } from '@tessera/kernel/errors';
import { type CryptoKey, SignJWT } from 'jose';
import type { ProjectScope, SigningScope } from '../domain/signing-scope.ts';
import type { TokenRequest } from '../domain/token-request.ts';
import type { Keyring } from './keyring.ts';

export type SignedToken = { readonly token: string; readonly kid: string; readonly expiresAt: number };
export type Signer = (request: TokenRequest) => Promise<SignedToken>;

/** Throws unless the organization of `usedScope` uses the project of `owner` now. */
export type AssertUses = (usedScope: ProjectScope, owner: SigningScope) => Promise<void>;

/**
 * Sets iat, exp and kid, and signs with the active key of the scope. The RSA operation runs in
 * libuv's thread pool. For an organization that uses the project it is asked after `iat` is set:
 * who suspends it later refuses all tokens issued until then.
 */
export function createSigner(keyring: Keyring, clock: () => Date, assertUses: AssertUses): Signer {
  return async ({ scope, lifetimeSeconds, claims, usedScope }) => {
    const { kid, privateKey, isSuspended } = await keyring.activeKey(scope);
    if (isSuspended) throw failures.tenantSuspended();
    const iat = Math.floor(clock().getTime() / 1000);
    const expiresAt = iat + lifetimeSeconds;
    const header = { alg: 'RS256', typ: 'JWT', kid };
    if (usedScope !== undefined) await assertUses(usedScope, scope);
    const token = await new SignJWT({ ...claims, iat, exp: expiresAt }).setProtectedHeader(header).sign(privateKey);
    return { token, kid, expiresAt };
  };
}

/** As RFC 7518 sections 3.3 and 3.4 write a signature; the hash of the RSA key is its own. */
const signatures = { RS256: 'RSASSA-PKCS1-v1_5', ES256: { name: 'ECDSA', hash: 'SHA-256' } } as const;
export type SigningAlgorithm = keyof typeof signatures;

/** The signature over a signing input that is complete already. */
export async function signInput(algorithm: SigningAlgorithm, privateKey: CryptoKey, signingInput: string): Promise<string> {
  return Buffer.from(await crypto.subtle.sign(signatures[algorithm], privateKey, Buffer.from(signingInput, 'utf8'))).toString('base64url');
}
