import type { Transaction } from '@tessera/kernel/postgres';
import type { IdentityDeps } from '../deps.ts';
import type { AuthenticationMethod } from '../domain/people.ts';

export type MethodChange = {
  readonly template: 'method-added' | 'method-removed';
  /** The method's. */
  readonly provider: string;
  /** All methods of the person that stood before the change. */
  readonly before: readonly AuthenticationMethod[];
  readonly language: string;
};

/**
 * Tells the owner that the ways into their account have changed (ASVS 6.3.7), at every address that is proven to be theirs: whoever got
 * hold of a session can't do it unseen. Commits with the change; the mailer is to be poked after it.
 */
export async function notifyOwner(
  tx: Transaction,
  { template, provider, before, language }: MethodChange,
  { mailer, settings }: Pick<IdentityDeps, 'mailer' | 'settings'>,
  now: Date,
): Promise<void> {
  const addresses = new Set(before.flatMap(({ isVerified, email }) => (isVerified && email !== null ? [email] : [])));
  const data = { token: '', url: settings.frontendUrl, provider };
  for (const to of addresses) await mailer.queue(tx, { template, to, language, data }, now);
}
