import type { Transaction } from '@tessera/kernel/postgres';
import type { AuthenticationMethod } from '../ground/domain/people.ts';
import type { PeopleDeps } from './deps.ts';
import { provenAddressesOf } from './domain/proven-address.ts';

export type MethodChange = {
  readonly template: 'method-added' | 'method-removed';
  /** Of the method. */
  readonly provider: string;
  /** All methods of the person before the change. */
  readonly before: readonly AuthenticationMethod[];
  readonly language: string;
};

/**
 * Mails the owner that a sign-in method was added or removed (ASVS 6.3.7), to every verified
 * address, so that an attacker with a stolen session cannot do it unnoticed. The jobs commit with
 * the change; call `mailer.poke` after it.
 */
export async function notifyOwner(
  tx: Transaction,
  { template, provider, before, language }: MethodChange,
  { mailer, settings }: Pick<PeopleDeps, 'mailer' | 'settings'>,
  now: Date,
): Promise<void> {
  const data = { token: '', url: settings.frontendUrl, provider };
  for (const to of provenAddressesOf(before)) await mailer.queue(tx, { template, to, language, data }, now);
}
