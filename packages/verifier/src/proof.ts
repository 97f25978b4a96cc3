/** Proofs that the caller holds the key to which its token is bound (DPoP, RFC 9449). */
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { TokenRefused } from './errors.ts';

/** What came with the token. */
export type Dpop = {
  /** The header `DPoP`. */
  readonly proof: string | undefined;
  readonly method: string;
  /** The address that the caller requested; its query is not compared. */
  readonly url: string;
};

/**
 * Remembers proofs, each of which works once. With several replicas let them share one: true the
 * first time that it is given a key, false again until `seconds` are over.
 */
export type ProofMemory = (key: string, seconds: number) => boolean | Promise<boolean>;

export const proofAlgorithms = ['ES256', 'RS256', 'PS256'];
const proofSeconds = 60;
const longestProof = 4_096;
const longestId = 256;
const mostProofs = 100_000;

/** In this process alone. */
export function createProofMemory(nowMs: () => number): ProofMemory {
  const untilByKey = new Map<string, number>();
  return (key, seconds) => {
    const now = nowMs();
    if ((untilByKey.get(key) ?? 0) > now) return false;
    untilByKey.delete(key);
    untilByKey.set(key, now + seconds * 1_000);
    // The oldest is the first to be over, too.
    for (const [oldest, until] of untilByKey) {
      if (until > now && untilByKey.size <= mostProofs) break;
      untilByKey.delete(oldest);
    }
    return true;
  };
}

type Bound = { readonly token: string; readonly keyThumbprint: string };
type Context = { readonly nowMs: number; readonly isNew: ProofMemory };

/** RFC 9449 section 4.3. Throws TokenRefused with the reason `proof`. */
export async function checkProof({ proof, method, url }: Dpop, { token, keyThumbprint }: Bound, { nowMs, isNew }: Context): Promise<void> {
  const refuseUnless = (holds: boolean): void => {
    if (!holds) throw new TokenRefused('proof');
  };
  if (proof === undefined || proof.length > longestProof) throw new TokenRefused('proof');
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    algorithms: proofAlgorithms,
    typ: 'dpop+jwt',
    currentDate: new Date(nowMs),
  }).catch((cause: unknown) => {
    throw new TokenRefused('proof', { cause });
  });
  const { jti, iat, htm, htu, ath } = payload;
  if (protectedHeader.jwk === undefined || typeof jti !== 'string' || typeof iat !== 'number') throw new TokenRefused('proof');
  refuseUnless(jti !== '' && jti.length <= longestId && Math.abs(nowMs / 1_000 - iat) <= proofSeconds);
  refuseUnless(htm === method && typeof htu === 'string' && addressOf(htu) !== undefined && addressOf(htu) === addressOf(url));
  refuseUnless(ath === (await digest(token)) && (await calculateJwkThumbprint(protectedHeader.jwk)) === keyThumbprint);
  refuseUnless(await isNew(await digest(`${keyThumbprint} ${jti}`), 2 * proofSeconds + 5));
}

async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64url');
}

function addressOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}
