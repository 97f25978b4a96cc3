import { decodeJwt, errors, type JWTHeaderParameters, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Claims, checkClaims, type TokenType } from './claims.ts';
import { KeysUnavailable, type RefusalReason, TokenRefused } from './errors.ts';
import { createIntrospection, type IntrospectionOptions } from './introspection.ts';
import { checkProof, createProofMemory, type Dpop, type ProofMemory } from './proof.ts';
import { createRemoteKeys } from './remote-keys.ts';
import { isSameResource } from './resource.ts';

export type VerifierOptions = {
  /**
   * Whose tokens are accepted: the platform's base URL for sessions,
   * `<base>/org/<org>/prj/<project>` or `<base>/acc/<account>/prj/<project>` for a project's.
   * Compared by value; keys are requested from these addresses only.
   */
  readonly issuers: readonly string[];
  /**
   * For whom a token must be: the base URL (sessions, API keys), your ProjectApp's client id, or
   * the address of your API. An app's token for one API (RFC 8707) is for the app as well, and is
   * accepted only where this or `resource` names that API.
   */
  readonly audience: string | readonly string[];
  /** Default: all three. Name the ones you expect (RFC 8725 section 3.12). */
  readonly types?: readonly TokenType[];
  /**
   * The ids of the organizations that you serve; all others are refused, sessions too. Without it
   * `claims.org_id` says for whom to act: one issuer serves all customers of a project.
   */
  readonly organization?: string | readonly string[];
  /** At most 5. */
  readonly clockSkewSeconds?: number;
  readonly defaultMaxAgeSeconds?: number;
  readonly longestMaxAgeSeconds?: number;
  readonly staleIfErrorSeconds?: number;
  readonly cooldownSeconds?: number;
  readonly timeoutMs?: number;
  /** Called for each valid token; return true to refuse it before it expires. */
  readonly isRevoked?: (claims: Claims) => boolean | Promise<boolean>;
  /** Asks the issuer about each token, so that a revoked one ends within `maxAgeMs`. */
  readonly introspection?: IntrospectionOptions;
  /**
   * Where DPoP proofs are remembered, each of which works once: in this process by default. Where
   * several replicas serve one API, let them share it.
   */
  readonly isNewProof?: ProofMemory;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
};

export type Verifier = {
  /**
   * The claims of a valid token. Throws `TokenRefused` (401), or `KeysUnavailable` or
   * `IntrospectionUnavailable` (503). A token that is bound to a key (RFC 9449) needs `dpop`, and
   * no other token may come with it.
   */
  verify(token: string, options?: VerifyOptions): Promise<Claims>;
};

export type VerifyOptions = {
  readonly dpop?: Dpop | undefined;
  /** The address of the API that the token must be for, where it is not in `audience`. */
  readonly resource?: string | undefined;
};

const allTypes: readonly TokenType[] = ['session', 'apiKey', 'projectApp'];
const longestSkewSeconds = 5;
const longestTokenLength = 16_384;

export function createVerifier(options: VerifierOptions): Verifier {
  const nowMs = options.nowMs ?? Date.now;
  const clockSkewSeconds = options.clockSkewSeconds ?? longestSkewSeconds;
  const audience = typeof options.audience === 'string' ? [options.audience] : [...options.audience];
  const organizations = options.organization === undefined ? undefined : organizationsOf(options.organization);
  const types = new Set(options.types ?? allTypes);
  if (options.issuers.length === 0 || audience.length === 0 || types.size === 0)
    throw new TypeError('issuers, audience and types must name something');
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= longestSkewSeconds))
    throw new TypeError(`clockSkewSeconds must lie between 0 and ${longestSkewSeconds}`);
  const keysByIssuer = new Map(options.issuers.map((issuer) => [issuer, keysOf(issuer, options, nowMs)]));

  const isNewProof = options.isNewProof ?? createProofMemory(nowMs);
  const isActive =
    options.introspection && createIntrospection({ nowMs, ...(options.fetch && { fetch: options.fetch }), ...options.introspection });

  /** One matching audience is enough for jose: the app's would let in its tokens for other APIs. */
  function assertResource(claims: Claims, resource: string | undefined): void {
    const isHere =
      resource === undefined
        ? claims.resource === undefined || audience.some((one) => isSameResource(claims.resource, one))
        : isSameResource(claims.resource, resource);
    if (!isHere) throw new TokenRefused('resource');
  }

  async function checkSignature(token: string): Promise<JWTPayload> {
    // The unverified issuer only selects among the configured ones.
    const { iss: issuer = '' } = decodeJwt(token);
    const keys = keysByIssuer.get(issuer);
    if (keys === undefined) throw new TokenRefused('issuer');
    const expected = { algorithms: ['RS256'], typ: 'JWT', issuer, audience, clockTolerance: clockSkewSeconds };
    return (await jwtVerify(token, keys, { ...expected, currentDate: new Date(nowMs()) })).payload;
  }

  return {
    async verify(token, { dpop, resource } = {}) {
      assertOneSpelling(token);
      const payload = await checkSignature(token).catch(refuse);
      const claims = checkClaims(payload, { types, latestIssuedAt: nowMs() / 1000 + clockSkewSeconds });
      assertResource(claims, resource);
      // A service account may be of any organization of the installation, so its own must be named.
      const isServed = organizations?.has(claims.org_id ?? '') ?? claims.credentialId === undefined;
      if (!isServed) throw new TokenRefused('organization');
      if ((dpop === undefined) !== (claims.keyThumbprint === undefined)) throw new TokenRefused('proof');
      if (dpop !== undefined && claims.keyThumbprint !== undefined)
        await checkProof(dpop, { token, keyThumbprint: claims.keyThumbprint }, { nowMs: nowMs(), isNew: isNewProof });
      if (await options.isRevoked?.(claims)) throw new TokenRefused('revoked');
      if ((await isActive?.(token, claims)) === false) throw new TokenRefused('revoked');
      return claims;
    },
  };
}

function organizationsOf(option: string | readonly string[]): ReadonlySet<string> {
  const ids = typeof option === 'string' ? [option] : option;
  // A slug can be given up, and taken by another organization.
  if (ids.length === 0 || !ids.every((id) => /^[0-9a-f-]{36}$/.test(id)))
    throw new TypeError('organization must be the id of one, or a list of ids');
  return new Set(ids);
}

/** Base64url without padding, in its canonical form: two texts never stand for the same token. */
function assertOneSpelling(token: string): void {
  if (typeof token !== 'string' || token.length === 0) throw new TokenRefused('missing');
  const isCanonical = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
  if (token.length > longestTokenLength || !token.split('.').every(isCanonical)) throw new TokenRefused('malformed');
}

function keysOf(issuer: string, options: VerifierOptions, nowMs: () => number): JWTVerifyGetKey {
  const { protocol, hostname, search, hash, pathname } = new URL(issuer);
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) throw new TypeError(`${issuer} must be an https address`);
  if (search !== '' || hash !== '' || (pathname !== '/' && pathname.endsWith('/'))) throw new TypeError(`${issuer} is not an issuer`);
  const remoteKeys = createRemoteKeys(issuer.replace(/\/$/, ''), {
    defaultMaxAgeSeconds: options.defaultMaxAgeSeconds ?? 3600,
    longestMaxAgeSeconds: options.longestMaxAgeSeconds ?? 86_400,
    staleIfErrorSeconds: options.staleIfErrorSeconds ?? 3600,
    cooldownSeconds: options.cooldownSeconds ?? 5,
    timeoutMs: options.timeoutMs ?? 5000,
    fetch: options.fetch ?? fetch,
    nowMs,
  });
  return (header, token) => {
    assertHeader(header);
    return remoteKeys(header, token);
  };
}

/**
 * A header that brings a key, or says where to fetch one, asks to be trusted on its own word (RFC
 * 8725 section 3.10).
 */
const keyHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'];

function assertHeader(header: JWTHeaderParameters): void {
  if (keyHeaders.some((name) => name in header)) throw new TokenRefused('key-in-header');
  if ('zip' in header || 'enc' in header) throw new TokenRefused('critical-header');
  if (typeof header.kid !== 'string' || header.kid === '') throw new TokenRefused('unknown-key');
}

const reasonsByClaim: Readonly<Record<string, RefusalReason>> = { iss: 'issuer', aud: 'audience', nbf: 'not-yet-valid', typ: 'type' };

function refuse(cause: unknown): never {
  if (cause instanceof TokenRefused || cause instanceof KeysUnavailable) throw cause;
  throw new TokenRefused(reasonOf(cause), { cause });
}

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return reasonsByClaim[error.claim] ?? 'claims';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JOSENotSupported) return 'critical-header';
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return 'malformed';
  // No key has this kid, or WebCrypto refuses the key: too short, or malformed.
  return 'unknown-key';
}
