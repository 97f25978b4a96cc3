import { verify as verifySignature } from 'node:crypto';
import { type Claims, checkClaims, type TokenType } from './claims.ts';
import { parseCompact } from './compact.ts';
import { TokenRefused } from './errors.ts';
import { createKeySet, type KeySet } from './key-set.ts';

export type VerifierOptions = {
  /**
   * Whose tokens are believed: the platform's base URL for sessions, `<base>/org/<org>/prj/<project>` or `<base>/acc/<account>/prj/<project>`
   * for a project's. Compared by value; keys are asked for at these addresses only.
   */
  readonly issuers: readonly string[];
  /** For whom a token must be: the base URL (sessions, API keys), or your ProjectApp's client id. */
  readonly audience: string | readonly string[];
  /** Default: all three. Name the ones you expect (RFC 8725 section 3.12). */
  readonly types?: readonly TokenType[];
  /** At most 5. */
  readonly clockSkewSeconds?: number;
  readonly defaultMaxAgeSeconds?: number;
  readonly longestMaxAgeSeconds?: number;
  readonly staleIfErrorSeconds?: number;
  readonly cooldownSeconds?: number;
  readonly timeoutMs?: number;
  /** Yours to ask when a token must stop working before it expires. */
  readonly isRevoked?: (claims: Claims) => boolean | Promise<boolean>;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
};

export type Verifier = {
  /** The claims of a token that may be believed. Throws `TokenRefused` (401), or `KeysUnavailable` (503). */
  verify(token: string): Promise<Claims>;
};

const allTypes: readonly TokenType[] = ['session', 'apiKey', 'projectApp'];
const mostSkewSeconds = 5;

export function createVerifier(options: VerifierOptions): Verifier {
  const nowMs = options.nowMs ?? Date.now;
  const clockSkewSeconds = options.clockSkewSeconds ?? mostSkewSeconds;
  const audiences = new Set(typeof options.audience === 'string' ? [options.audience] : options.audience);
  const types = new Set(options.types ?? allTypes);
  if (options.issuers.length === 0 || audiences.size === 0 || types.size === 0)
    throw new TypeError('issuers, audience and types must name something');
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= mostSkewSeconds))
    throw new TypeError(`clockSkewSeconds must lie between 0 and ${mostSkewSeconds}`);
  const keySets = new Map(options.issuers.map((issuer) => [issuer, keySetOf(issuer, options, nowMs)]));

  return {
    async verify(token) {
      const { kid, payload, signingInput, signature } = parseCompact(token);
      const issuer = payload['iss'];
      const keySet = typeof issuer === 'string' ? keySets.get(issuer) : undefined;
      if (typeof issuer !== 'string' || keySet === undefined) throw new TokenRefused('issuer');
      const key = await keySet.find(kid);
      if (key === undefined) throw new TokenRefused('unknown-key');
      if (!verifySignature('RSA-SHA256', signingInput, key, signature)) throw new TokenRefused('signature');
      const claims = checkClaims(payload, issuer, { audiences, types, clockSkewSeconds, nowSeconds: nowMs() / 1000 });
      if (await options.isRevoked?.(claims)) throw new TokenRefused('revoked');
      return claims;
    },
  };
}

function keySetOf(issuer: string, options: VerifierOptions, nowMs: () => number): KeySet {
  const { protocol, hostname, search, hash, pathname } = new URL(issuer);
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw new TypeError(`${issuer} must be an https address`);
  if (search !== '' || hash !== '' || (pathname !== '/' && pathname.endsWith('/'))) throw new TypeError(`${issuer} is not an issuer`);
  return createKeySet(issuer.replace(/\/$/, ''), {
    defaultMaxAgeSeconds: options.defaultMaxAgeSeconds ?? 3600,
    longestMaxAgeSeconds: options.longestMaxAgeSeconds ?? 86_400,
    staleIfErrorSeconds: options.staleIfErrorSeconds ?? 3600,
    cooldownSeconds: options.cooldownSeconds ?? 5,
    timeoutMs: options.timeoutMs ?? 5000,
    fetch: options.fetch ?? fetch,
    nowMs,
  });
}
