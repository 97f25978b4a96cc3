import type { SigningScope } from './signing-scope.ts';

export type SigningKeyStatus = 'next' | 'active' | 'rotated';

/** What the audit log of signing keys records. */
export type SigningKeyAction = 'created' | 'activated' | 'rotated' | 'compromised' | 'retired';

/** The public half of a key on the curve P-256. */
export type EllipticKey = { readonly kid: string; readonly x: string; readonly y: string };

/** A signing key without its private key. */
export type SigningKey = {
  readonly kid: string;
  readonly scope: SigningScope;
  readonly status: SigningKeyStatus;
  readonly n: string;
  readonly e: string;
  /**
   * Signs ID tokens for apps that choose ES256, and is published, activated and rotated with this
   * key. Null for the system's, and for a project's from before there were any.
   */
  readonly es256: EllipticKey | null;
  readonly createdAt: string;
  readonly activatedAt: string | null;
  readonly rotatedAt: string | null;
  readonly retiresAt: string | null;
  readonly compromisedAt: string | null;
};

export type Lifetimes = {
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  readonly jwksMaxAgeSeconds: number;
};

const daySeconds = 86_400;
/**
 * A replica may sign with a key for this long after another replica rotated it. These tokens must
 * stay valid until they expire.
 */
export const signingGraceSeconds = 5;
/**
 * How long the revocation of a compromised key is listed. After that time no verifier has the key
 * in its cache.
 */
const refusalSeconds = 7 * daySeconds;

/**
 * The time until which a key that is rotated now stays in its JWKS. Its tokens have expired by
 * then, also for a verifier that read the JWKS one max-age before the rotation.
 */
export function retirementOf(scope: SigningScope, rotatedAt: Date, lifetimes: Lifetimes): Date {
  const seconds =
    scope.tenant === 'system'
      ? lifetimes.refreshTokenSeconds + 7 * daySeconds
      : lifetimes.accessTokenSeconds + lifetimes.jwksMaxAgeSeconds + signingGraceSeconds;
  return new Date(rotatedAt.getTime() + seconds * 1000);
}

/** Whether the key is in its JWKS and its tokens are accepted. */
export function isPublished(key: Pick<SigningKey, 'retiresAt' | 'compromisedAt'>, now: Date): boolean {
  return key.compromisedAt === null && (key.retiresAt === null || Date.parse(key.retiresAt) > now.getTime());
}

/** RFC 7517. Names each public member, so that no other column is ever published. */
export function jwksOf({ kid, n, e, es256 }: Pick<SigningKey, 'kid' | 'n' | 'e' | 'es256'>) {
  const rsa = { kty: 'RSA', kid, use: 'sig', alg: 'RS256', n, e } as const;
  if (es256 === null) return [rsa];
  return [rsa, { kty: 'EC', kid: es256.kid, use: 'sig', alg: 'ES256', crv: 'P-256', x: es256.x, y: es256.y } as const];
}

const order: Readonly<Record<SigningKeyStatus, number>> = { active: 0, next: 1, rotated: 2 };

/** Those that are in the JWKS, the active one first. */
export function sortPublished(keys: readonly SigningKey[], now: Date): readonly SigningKey[] {
  const published = keys.filter((key) => isPublished(key, now));
  return published.toSorted((a, b) => order[a.status] - order[b.status] || (a.createdAt < b.createdAt ? 1 : -1));
}

export function keySetOf(keys: readonly SigningKey[], now: Date): { readonly keys: ReturnType<typeof jwksOf> } {
  return { keys: sortPublished(keys, now).flatMap((key) => jwksOf(key)) };
}

/** `scope`: of the scope of an organization that uses another's project. */
export type Revocation = {
  readonly kind: 'jti' | 'kid' | 'scope';
  readonly value: string;
  readonly before: string;
  readonly expiresAt: string;
};

/**
 * Refuses all tokens of a key. `before` lies in the future, because the holder of a stolen key can
 * sign any time of issue.
 */
export function refusalOfKey(kid: string, now: Date): Revocation {
  const until = new Date(now.getTime() + refusalSeconds * 1000).toISOString();
  return { kind: 'kid', value: kid, before: until, expiresAt: until };
}

/** A replica that has not heard of the suspension signs for this long at most. */
const suspensionGraceSeconds = 2;

/**
 * Refuses the tokens that a key has signed until now, those of a scope, or those of an API key; the
 * later ones are good.
 */
export function refusalUntilNow(kind: Revocation['kind'], value: string, now: Date, { accessTokenSeconds }: Lifetimes): Revocation {
  const before = new Date(now.getTime() + suspensionGraceSeconds * 1000);
  const expiresAt = new Date(before.getTime() + (accessTokenSeconds + 60) * 1000);
  return { kind, value, before: before.toISOString(), expiresAt: expiresAt.toISOString() };
}

/** Refuses a token id until all its tokens have expired, including one that is being signed now. */
export function refusalOfToken(tokenId: string, now: Date, { accessTokenSeconds }: Lifetimes): Revocation {
  const until = new Date(now.getTime() + (accessTokenSeconds + 60) * 1000).toISOString();
  return { kind: 'jti', value: tokenId, before: until, expiresAt: until };
}
