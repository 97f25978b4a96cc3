/**
 * Rules of sessions and their refresh tokens (docs/conformance.md, session-states). Pure: the clock
 * and all values come from outside.
 */

/**
 * How long the directly preceding token is still accepted, so that parallel tabs stay signed in.
 */
export const repeatWindowMs = 10_000;

export type SpentToken = {
  readonly spentAt: Date;
  /** The device that presents the token is the one that spent it. */
  readonly sameDevice: boolean;
  /** Its successor exists and is unspent: the presented token is the directly preceding one. */
  readonly successorUnspent: boolean;
};

/** A spent token that is presented again is a parallel request of the same browser, or stolen. */
export function judgeSpentToken(spent: SpentToken, now: Date): 'repeat' | 'reuse' {
  const recent = now.getTime() - spent.spentAt.getTime() <= repeatWindowMs;
  return recent && spent.sameDevice && spent.successorUnspent ? 'repeat' : 'reuse';
}

/** One factor, or two (a passkey with user verification is two). */
export type Acr = 'aal1' | 'aal2';

/**
 * How a person proved to be themselves: values of RFC 8176, `fed` for a provider, and `org` besides
 * for an organization's provider where the person has ways of their own. Such a session is not
 * fresh until one of those has confirmed it. `orglink`: linked without the person's word, so it
 * opens that organization alone. `orgmfa`: the provider asked for a second factor, which counts
 * there alone.
 */
export type Amr = 'pwd' | 'otp' | 'hwk' | 'swk' | 'mfa' | 'fed' | 'org' | 'orglink' | 'orgmfa';

/** What the tokens of a session say of its sign-in, as acr, amr and auth_time. */
export type Proof = { readonly amr: readonly Amr[]; readonly authenticatedAt: Date };

export function acrOf(amr: readonly string[]): Acr {
  return amr.includes('mfa') ? 'aal2' : 'aal1';
}

export function refreshExpiry(now: Date, lifetimeDays: number): Date {
  return new Date(now.getTime() + lifetimeDays * 86_400_000);
}

/**
 * Whether a person counts as verified: one of their methods is. This rule decides the isVerified
 * claim, GET /api/me and requiresEmailVerification.
 */
export function isVerified(methods: readonly { readonly isVerified: boolean }[]): boolean {
  return methods.some((method) => method.isVerified);
}
