import type { Scope } from '@tessera/kernel/scope';

/** A person, as storage keeps them. */
export type Person = {
  readonly id: string;
  readonly name: string;
  readonly picturePath: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Who made this person in a scope; null for people who registered. */
  readonly createdBy: string | null;
  readonly home: Scope | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
};

/** How somebody signs in, without anything secret. */
export type AuthenticationMethod = {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerId: string;
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export const emailProvider = 'email';

/**
 * The address that a person is known by: one that they have proven before one that they only claim, the primary method's first. Anybody
 * may add an address that is somebody else's, and make it the primary one.
 */
export function addressOf(methods: readonly Pick<AuthenticationMethod, 'email' | 'isPrimary' | 'isVerified'>[]): string | null {
  const known = methods.filter(({ email }) => email !== null);
  const proven = known.filter(({ isVerified }) => isVerified);
  const candidates = proven.length > 0 ? proven : known;
  return (candidates.find(({ isPrimary }) => isPrimary) ?? candidates[0])?.email ?? null;
}
