/** Rules of sessions and their refresh tokens (interface.md section 5). Pure: the clock and all values come from outside. */

/** How long the directly preceding token still answers, so that parallel tabs log nobody out. */
export const repeatWindowMs = 10_000;

export type SpentToken = {
  readonly spentAt: Date;
  /** The device that presents it is the session's own. */
  readonly sameDevice: boolean;
  /** Its successor exists and is unspent: the presented token is the directly preceding one. */
  readonly successorUnspent: boolean;
};

/** A spent token presented again is either a parallel request of the same browser, or stolen. */
export function judgeSpentToken(spent: SpentToken, now: Date): 'repeat' | 'reuse' {
  const recent = now.getTime() - spent.spentAt.getTime() <= repeatWindowMs;
  return recent && spent.sameDevice && spent.successorUnspent ? 'repeat' : 'reuse';
}

export function refreshExpiry(now: Date, lifetimeDays: number): Date {
  return new Date(now.getTime() + lifetimeDays * 86_400_000);
}

/**
 * Whether somebody counts as verified: one of their sign-in methods proved its address.
 * The one rule behind the isVerified claim of login and refresh, GET /api/me and requiresEmailVerification.
 */
export function isVerified(methods: readonly { readonly isVerified: boolean }[]): boolean {
  return methods.some((method) => method.isVerified);
}
