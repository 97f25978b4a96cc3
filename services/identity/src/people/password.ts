import { brokenPasswordRules } from '@tessera/rules/password-policy';
import type { PeopleDeps } from './deps.ts';
import { passwordRefusal } from './errors.ts';
import { findPasswordHash, replacePasswordHash } from './storage/authentication-methods.ts';

/**
 * Refuses (400, with the field and the rule) a password that the policy does not allow, or that is
 * known from a breach.
 */
export async function assertPasswordAllowed(
  password: string,
  field: string,
  { breachedPasswords }: Pick<PeopleDeps, 'breachedPasswords'>,
): Promise<void> {
  const [rule] = brokenPasswordRules(password);
  if (rule !== undefined) throw passwordRefusal(field, rule);
  if (await breachedPasswords.has(password)) throw passwordRefusal(field, 'breached');
}

type Compared = { readonly id: string; readonly userId: string; readonly passwordHash: string };

/**
 * Replaces an outdated hash of a password that has just matched it, and returns the hash that is
 * stored now. Undefined when another password was set meanwhile; a parallel sign-in that replaced
 * the hash first is none.
 */
export async function renewHash(
  { id, userId, passwordHash }: Compared,
  password: string,
  { database, hasher }: Pick<PeopleDeps, 'database' | 'hasher'>,
  now: Date,
): Promise<string | undefined> {
  if (!hasher.isOutdated(passwordHash)) return passwordHash;
  const renewed = await hasher.hash(password);
  if (await database.transaction((tx) => replacePasswordHash(tx, id, passwordHash, renewed, now))) return renewed;
  const stored = (await findPasswordHash(database, userId))?.passwordHash;
  return stored != null && (await hasher.matches(password, stored)) ? stored : undefined;
}
