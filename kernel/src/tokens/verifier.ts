/** Verifies after RFC 8725, by jose: one algorithm, keys by kid only, every claim by value. */
import { hash } from 'node:crypto';
import { type CompactJWSHeaderParameters, compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError, failures } from '../errors/index.ts';
import { isId } from '../ids/index.ts';
import { type Claims, grantScopeOf, isForAnotherApi, parseClaims, refuseUnless } from './claims.ts';
import { createKeyCache, type FindKey, type TrustedKey } from './keys.ts';
import type { Revocations } from './revocations.ts';

type Options = {
  readonly appUrl: string;
  readonly findKey: FindKey;
  readonly revocations: Pick<Revocations, 'isRevoked' | 'fresh'>;
  readonly keyTtlSeconds?: number;
  readonly cacheSize?: number;
  readonly clock?: () => number;
};

/** Throws `unauthenticated`, or `unavailable` while keys or revocations cannot be read. */
export type TokenVerifier = { verify(token: string): Promise<Claims>; readonly lookups: Readonly<Record<'hit' | 'miss', number>> };

type Verified = { readonly claims: Claims; readonly kid: string; readonly grantScope: string | undefined };

const longestToken = 8192;
const skewSeconds = 5;
const headerMembers = new Set(['alg', 'typ', 'kid']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Base64url exactly as an encoder writes it: two texts never stand for the same token. */
function assertOneSpelling(token: string): void {
  const isCanonical = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
  refuseUnless(token.split('.').every(isCanonical), 'encoding');
}

/** Our headers have no more. `jku`, `jwk`, `x5u` and `x5c` would bring an attacker's key. */
function kidOf(header: CompactJWSHeaderParameters): string {
  refuseUnless(
    Object.keys(header).every((member) => headerMembers.has(member)),
    'header',
  );
  refuseUnless(header.typ === 'JWT', 'typ');
  refuseUnless(typeof header.kid === 'string' && isId(header.kid), 'kid');
  return header.kid;
}

export function createTokenVerifier({
  appUrl,
  findKey,
  revocations,
  keyTtlSeconds = 300,
  cacheSize = 50_000,
  clock = Date.now,
}: Options): TokenVerifier {
  const keyOf = createKeyCache({ appUrl, findKey, ttlSeconds: keyTtlSeconds, clock });
  const cache = new LRUCache<string, Verified>({ max: cacheSize });
  const lookups = { hit: 0, miss: 0 };

  /** Checked on a cache hit too, because expiry, the key and revocations change with time. */
  const assertAcceptable = ({ claims, kid, grantScope }: Verified, key: TrustedKey): void => {
    const now = clock();
    refuseUnless(claims.exp * 1000 > now, 'expired');
    refuseUnless(claims.iat * 1000 <= now + skewSeconds * 1000, 'issued in the future');
    refuseUnless(key.notAfterMs > now, 'key retired');
    refuseUnless(claims.iss === key.issuer, 'iss');
    refuseUnless(claims.type === 'projectApp' || isForAnotherApi(claims) || claims.aud === appUrl, 'aud');
    refuseUnless(!revocations.isRevoked(claims, kid, grantScope), 'revoked');
  };

  const verifySignature = async (token: string): Promise<Verified> => {
    assertOneSpelling(token);
    let key: TrustedKey | undefined;
    const { payload } = await compactVerify(
      token,
      async (header) => {
        key = await keyOf(kidOf(header));
        return key.publicKey;
      },
      { algorithms: ['RS256'] },
    );
    refuseUnless(key !== undefined, 'kid');
    const claims = parseClaims(JSON.parse(utf8.decode(payload)), key.scope);
    return { claims, kid: key.kid, grantScope: grantScopeOf(claims, key.scope) };
  };

  return {
    lookups,
    async verify(token) {
      try {
        refuseUnless(token.length <= longestToken, 'length');
        if (!revocations.fresh) throw failures.unavailable('revocations');
        const digest = hash('sha256', token, 'base64');
        const cached = cache.get(digest);
        lookups[cached === undefined ? 'miss' : 'hit'] += 1;
        const verified = cached ?? (await verifySignature(token));
        const key = keyOf(verified.kid);
        assertAcceptable(verified, key instanceof Promise ? await key : key);
        if (cached === undefined) cache.set(digest, verified);
        return verified.claims;
      } catch (cause) {
        throw asRefusal(cause);
      }
    },
  };
}

/** A client learns only that the token is refused, or that it cannot be checked now. */
function asRefusal(cause: unknown): AppError {
  if (cause instanceof AppError && cause.kind === 'unavailable') return cause;
  if (cause instanceof AppError && (cause.kind === 'timeout' || cause.kind === 'internal')) return failures.unavailable('keys', cause);
  return failures.unauthenticated({ cause });
}
