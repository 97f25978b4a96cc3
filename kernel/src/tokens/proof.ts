/** Proofs that a caller holds the key to which its token is bound (DPoP, RFC 9449). */
import { hash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { refuseUnless } from './claims.ts';

/** What the provider's discovery says, too. */
export const proofAlgorithms = ['ES256', 'RS256', 'PS256'] as const;
/** How far a proof's time may lie from ours, in both directions. */
export const proofSeconds = 60;

const longestProof = 4_096;
const longestId = 256;

export type ProvenRequest = {
  readonly method: string;
  /** As the client called it; its query and fragment are not compared. */
  readonly url: string;
  readonly token: string;
  /** The key to which the token is bound. */
  readonly keyThumbprint: string;
};

/**
 * Section 4.3, without the replay, which needs memory: its check is of the key that is returned.
 * Throws when the proof is not one of this request, token and key.
 */
export async function checkProof(proof: string, { method, url, token, keyThumbprint }: ProvenRequest, nowMs: number): Promise<string> {
  refuseUnless(proof.length <= longestProof, 'length of the proof');
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: [...proofAlgorithms],
    typ: 'dpop+jwt',
    currentDate: new Date(nowMs),
  });
  const { jti, iat, htm, htu, ath } = payload;
  refuseUnless(typeof jti === 'string' && jti !== '' && jti.length <= longestId, 'jti of the proof');
  refuseUnless(typeof iat === 'number' && Math.abs(nowMs / 1_000 - iat) <= proofSeconds, 'iat of the proof');
  refuseUnless(htm === method, 'htm of the proof');
  refuseUnless(typeof htu === 'string' && addressOf(htu) !== undefined && addressOf(htu) === addressOf(url), 'htu of the proof');
  refuseUnless(ath === hash('sha256', token, 'base64url'), 'ath of the proof');
  refuseUnless(protectedHeader.jwk !== undefined, 'key of the proof');
  refuseUnless((await calculateJwkThumbprint(protectedHeader.jwk)) === keyThumbprint, 'key of the proof');
  return hash('sha256', `${keyThumbprint} ${jti}`, 'base64url');
}

function addressOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url === null ? undefined : url.origin + url.pathname;
}
