/**
 * What makes an address belong to an account (decision 15). *Proven*: the mail that went to it was
 * opened, or a provider vouches for it. *Held*: mailbox and account came together, so the reader of
 * the mail is the person who signs in.
 */
import { type AuthenticationMethod, emailProvider } from '../../ground/domain/people.ts';

type Proof = Pick<AuthenticationMethod, 'provider' | 'isVerified' | 'heldAt'>;

/** A provider signs its person in and proves the address in one step: what it proves is held. */
export function isHeld({ provider, isVerified, heldAt }: Proof): boolean {
  return isVerified && (provider !== emailProvider || heldAt !== null);
}

/**
 * Until an account holds an address, nothing may be added that outlives a reset: the account may be
 * a stranger's who registered with an address that is not theirs.
 */
export function holdsAddress(methods: readonly Proof[]): boolean {
  return methods.some(isHeld);
}

/** To which warnings about an account go. */
export function provenAddressesOf(methods: readonly Pick<AuthenticationMethod, 'email' | 'isVerified'>[]): string[] {
  return [...new Set(methods.flatMap(({ isVerified, email }) => (isVerified && email !== null ? [email] : [])))];
}

/** The addresses that an account holds. */
export function heldAddressesOf(methods: readonly (Proof & Pick<AuthenticationMethod, 'email'>)[]): string[] {
  return [...new Set(methods.flatMap((method) => (method.email !== null && isHeld(method) ? [method.email] : [])))];
}
