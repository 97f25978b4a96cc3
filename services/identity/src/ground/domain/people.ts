import type { Scope } from '@tessera/kernel/scope';

/** A person as stored. */
export type Person = {
  readonly id: string;
  readonly name: string;
  readonly picturePath: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Who created this person in a scope; null for people who registered. */
  readonly createdBy: string | null;
  readonly home: Scope | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string | null;
};

/** A sign-in method, without secrets. */
export type AuthenticationMethod = {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly providerId: string;
  readonly email: string | null;
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
  /** When mailbox and account came together; of an e-mail method only (decision 15). */
  readonly heldAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

export const emailProvider = 'email';

/**
 * The address of a person: a verified one before an unverified one, the primary method's first. A
 * person may add an address of another person and make it primary, but cannot verify it.
 */
export function addressOf(methods: readonly Pick<AuthenticationMethod, 'email' | 'isPrimary' | 'isVerified'>[]): string | null {
  const known = methods.filter(({ email }) => email !== null);
  const proven = known.filter(({ isVerified }) => isVerified);
  const candidates = proven.length > 0 ? proven : known;
  return (candidates.find(({ isPrimary }) => isPrimary) ?? candidates[0])?.email ?? null;
}
