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

/** The address that a person is known by: the primary method's, or the first that has one. */
export function addressOf(methods: readonly Pick<AuthenticationMethod, 'email' | 'isPrimary'>[]): string | null {
  const primary = methods.find((method) => method.isPrimary && method.email !== null);
  return (primary ?? methods.find((method) => method.email !== null))?.email ?? null;
}
