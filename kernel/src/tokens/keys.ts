import { createPublicKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError, failures } from '../errors/index.ts';
import { issuerOf, refuseUnless, type SigningScope, TokenRefusal } from './claims.ts';

/** What `keys.v1.Keys/GetVerificationKey` answers. */
export type VerificationKey = {
  readonly kid: string;
  readonly scope: SigningScope;
  readonly n: string;
  readonly e: string;
  readonly notAfter?: string | undefined;
};

export type TrustedKey = {
  readonly kid: string;
  readonly scope: SigningScope;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notAfterMs: number;
};

/** Tells the key of a kid, or nothing (or a `not-found` AppError) when there is none that may be trusted. */
export type FindKey = (kid: string) => Promise<VerificationKey | undefined>;

type Options = { readonly appUrl: string; readonly findKey: FindKey; readonly ttlSeconds: number; readonly clock: () => number };
type Known = { readonly key: TrustedKey; readonly fetchedAt: number };

const UNKNOWN_TTL_MS = 30_000;
/** Look-ups of kids never seen, per second: a flood of invented ones costs keys no more than this. */
const LOOKUPS_PER_SECOND = 100;

function trust(appUrl: string, { kid, scope, n, e, notAfter }: VerificationKey): TrustedKey {
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
  refuseUnless((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048, 'key too short');
  const notAfterMs = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter);
  return Object.freeze({ kid, scope, issuer: issuerOf(appUrl, scope), publicKey, notAfterMs });
}

/** Public keys by kid: fetched once per TTL, one look-up at a time per kid, unknown kids remembered for a while. */
export function createKeyCache({ appUrl, findKey, ttlSeconds, clock }: Options): (kid: string) => TrustedKey | Promise<TrustedKey> {
  const known = new LRUCache<string, Known>({ max: 10_000 });
  const unknown = new LRUCache<string, number>({ max: 10_000 });
  const pending = new Map<string, Promise<TrustedKey>>();
  let lookups = { second: 0, count: 0 };

  const mayLookUp = (now: number): boolean => {
    const second = Math.floor(now / 1000);
    if (lookups.second !== second) lookups = { second, count: 0 };
    lookups.count += 1;
    return lookups.count <= LOOKUPS_PER_SECOND;
  };

  const fetchKey = async (kid: string, previous: Known | undefined): Promise<TrustedKey> => {
    const now = clock();
    try {
      const found = await findKey(kid);
      refuseUnless(found?.kid === kid, 'unknown kid');
      const key = trust(appUrl, found);
      known.set(kid, { key, fetchedAt: now });
      return key;
    } catch (error) {
      const isUnknown = error instanceof TokenRefusal || (error instanceof AppError && error.kind === 'not-found');
      // While keys is down a key that was good stays good: revocations, which need keys too, bound how long.
      if (!isUnknown && previous !== undefined) return previous.key;
      if (!isUnknown) throw error instanceof AppError ? error : failures.unavailable('keys', error);
      known.delete(kid);
      unknown.set(kid, now);
      throw error;
    }
  };

  return (kid) => {
    const now = clock();
    const entry = known.get(kid);
    if (entry !== undefined && now - entry.fetchedAt < ttlSeconds * 1000) return entry.key;
    refuseUnless(now - (unknown.get(kid) ?? Number.NEGATIVE_INFINITY) >= UNKNOWN_TTL_MS, 'unknown kid');
    const started = pending.get(kid);
    if (started !== undefined) return started;
    if (entry === undefined && !mayLookUp(now)) throw failures.unavailable('keys');
    const lookup = fetchKey(kid, entry).finally(() => pending.delete(kid));
    pending.set(kid, lookup);
    return lookup;
  };
}
