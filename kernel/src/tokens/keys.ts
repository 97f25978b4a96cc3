import { type CryptoKey, importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError, failures } from '../errors/index.ts';
import { issuerOf, refuseUnless, type SigningScope, TokenRefusal } from './claims.ts';

/** The response of `keys.v1.Keys/GetVerificationKey`. */
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
  readonly publicKey: CryptoKey;
  readonly notAfterMs: number;
};

/** The key of a kid; undefined, or a `not-found` AppError, when no published key has this kid. */
export type FindKey = (kid: string) => Promise<VerificationKey | undefined>;

type Options = { readonly appUrl: string; readonly findKey: FindKey; readonly ttlSeconds: number; readonly clock: () => number };
type Known = { readonly key: TrustedKey; readonly fetchedAt: number };

const unknownTtlMs = 30_000;
/** Look-ups of new kids per second: the most that a flood of invented kids costs keys. */
const lookupsPerSecond = 100;

async function trust(appUrl: string, { kid, scope, n, e, notAfter }: VerificationKey): Promise<TrustedKey> {
  const publicKey = await importJWK({ kty: 'RSA', n, e, alg: 'RS256' });
  refuseUnless('algorithm' in publicKey, 'no RSA key');
  const notAfterMs = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter);
  return Object.freeze({ kid, scope, issuer: issuerOf(appUrl, scope), publicKey, notAfterMs });
}

/** Fetched once per TTL, one look-up at a time per kid; unknown kids are cached too. */
export function createKeyCache({ appUrl, findKey, ttlSeconds, clock }: Options): (kid: string) => TrustedKey | Promise<TrustedKey> {
  const known = new LRUCache<string, Known>({ max: 10_000 });
  const unknown = new LRUCache<string, number>({ max: 10_000 });
  const pending = new Map<string, Promise<TrustedKey>>();
  let lookups = { second: 0, count: 0 };

  const mayLookUp = (now: number): boolean => {
    const second = Math.floor(now / 1000);
    if (lookups.second !== second) lookups = { second, count: 0 };
    lookups.count += 1;
    return lookups.count <= lookupsPerSecond;
  };

  const fetchKey = async (kid: string, previous: Known | undefined): Promise<TrustedKey> => {
    const now = clock();
    try {
      const found = await findKey(kid);
      refuseUnless(found?.kid === kid, 'unknown kid');
      const key = await trust(appUrl, found);
      known.set(kid, { key, fetchedAt: now });
      return key;
    } catch (error) {
      const isUnknown = error instanceof TokenRefusal || (error instanceof AppError && error.kind === 'not-found');
      // While keys is down a known key is used; `Revocations.fresh`, which needs keys, bounds it.
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
    refuseUnless(now - (unknown.get(kid) ?? Number.NEGATIVE_INFINITY) >= unknownTtlMs, 'unknown kid');
    const started = pending.get(kid);
    if (started !== undefined) return started;
    if (entry === undefined && !mayLookUp(now)) throw failures.unavailable('keys');
    const lookup = fetchKey(kid, entry).finally(() => pending.delete(kid));
    pending.set(kid, lookup);
    return lookup;
  };
}
