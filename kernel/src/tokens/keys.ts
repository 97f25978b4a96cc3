import { type CryptoKey, importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError, failures } from '../errors/index.ts';
import { createBatcher } from '../grpc/index.ts';
import { issuerOf, refuseUnless, type SigningScope, TokenRefusal } from './claims.ts';

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
export type FindKeys = (kids: readonly string[]) => Promise<readonly VerificationKey[]>;

/** Asks for the kids of one moment at once, so that a flood of invented kids is few calls. */
export function createKeyFinder(findKeys: FindKeys): FindKey {
  const run = async (kids: readonly string[]) => {
    const found = new Map((await findKeys(kids)).map((key) => [key.kid, key]));
    return kids.map((kid) => found.get(kid));
  };
  return createBatcher({ maxSize: 500, run });
}

type Options = { readonly appUrl: string; readonly findKey: FindKey; readonly ttlSeconds: number; readonly clock: () => number };

const unknownTtlMs = 30_000;
const retryMs = 1_000;
const max = 10_000;

async function trust(appUrl: string, { kid, scope, n, e, notAfter }: VerificationKey): Promise<TrustedKey> {
  const publicKey = await importJWK({ kty: 'RSA', n, e, alg: 'RS256' });
  refuseUnless('algorithm' in publicKey, 'no RSA key');
  const notAfterMs = notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter);
  return Object.freeze({ kid, scope, issuer: issuerOf(appUrl, scope), publicKey, notAfterMs });
}

/** Fetched once per TTL, one look-up at a time per kid; unknown kids are cached too. */
export function createKeyCache({ appUrl, findKey, ttlSeconds, clock }: Options): (kid: string) => TrustedKey | Promise<TrustedKey> {
  const time = { perf: { now: clock }, ttlResolution: 0 };
  const unknown = new LRUCache<string, true>({ ...time, max, ttl: unknownTtlMs });
  const known = new LRUCache<string, TrustedKey>({
    ...time,
    max,
    ttl: ttlSeconds * 1000,
    noDeleteOnStaleGet: true,
    fetchMethod: async (kid, previous, { options }) => {
      try {
        const found = await findKey(kid);
        if (found?.kid === kid) return await trust(appUrl, found);
      } catch (error) {
        const isUnknown = error instanceof TokenRefusal || (error instanceof AppError && error.kind === 'not-found');
        if (!isUnknown && previous === undefined) throw error instanceof AppError ? error : failures.unavailable('keys', error);
        // While keys is down a known key is used; `Revocations.fresh`, which needs keys, bounds it.
        if (!isUnknown) {
          options.ttl = retryMs;
          return previous;
        }
      }
      unknown.set(kid, true);
      return undefined;
    },
  });
  const fetchKey = async (kid: string): Promise<TrustedKey> => {
    const key = await known.fetch(kid);
    refuseUnless(key !== undefined, 'unknown kid');
    return key;
  };
  return (kid) => {
    refuseUnless(!unknown.has(kid), 'unknown kid');
    return known.get(kid) ?? fetchKey(kid);
  };
}
