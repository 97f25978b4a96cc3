/**
 * Rules of sessions and their refresh tokens (interface.md section 5). Pure: the clock and all
 * values come from outside.
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
