/**
 * Apple takes no secret of ours, but a JWT signed with a key that it knows (ES256, half a year at
 * most). One is made for each exchange and lives five minutes: none can expire unnoticed, and
 * another key counts from the next start.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { ClientAuth } from 'oauth4webapi';

export type AppleKey = { readonly teamId: string; readonly keyId: string; readonly privateKey: KeyObject };

/** The content of the .p8 file; line breaks may be written as \n. Undefined when it is none. */
export function readAppleKey(pem: string): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

const lifetimeSeconds = 300;

export function appleAuthentication({ teamId, keyId, privateKey }: AppleKey, audience: string): ClientAuth {
  return async (_server, { client_id: clientId }, body) => {
    const secret = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds}s`)
      .sign(privateKey);
    body.set('client_id', clientId);
    body.set('client_secret', secret);
  };
}
