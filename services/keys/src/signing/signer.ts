import type { TokenRequest } from '../domain/token-request.ts';
import type { Keyring } from './keyring.ts';
import { signToken } from './token.ts';

export type SignedToken = { readonly token: string; readonly kid: string; readonly expiresAt: number };
export type Signer = (request: TokenRequest) => Promise<SignedToken>;

/** iat, exp and kid are set here and nowhere else. */
export function createSigner(keyring: Keyring, clock: () => Date): Signer {
  return async ({ scope, lifetimeSeconds, claims }) => {
    const handle = await keyring.signer(scope);
    const iat = Math.floor(clock().getTime() / 1000);
    const expiresAt = iat + lifetimeSeconds;
    const token = await signToken(handle, { ...claims, iat, exp: expiresAt });
    return { token, kid: handle.kid, expiresAt };
  };
}
