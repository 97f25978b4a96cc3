import type { RequestFacts } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { provenAddressesOf } from '../../people/domain/proven-address.ts';
import { listMethods } from '../../people/storage/authentication-methods.ts';
import type { SignInDeps } from '../deps.ts';

type FactorMail = {
  readonly template:
    | 'program-signed-in'
    | 'password-changed'
    | 'factor-added'
    | 'factor-removed'
    | 'recovery-codes-renewed'
    | 'recovery-code-used'
    | 'passkey-copied'
    | 'recovery-started'
    | 'recovery-waiting'
    | 'factors-removed'
    | 'account-blocked'
    | 'account-unblocked';
  readonly language: string;
  readonly data?: Readonly<Record<string, string>>;
};

export async function provenAddresses(tx: Transaction, userId: string): Promise<ReadonlySet<string>> {
  return new Set(provenAddressesOf(await listMethods(tx, [userId])));
}

/** To every proven address. The jobs commit with the change; call `mailer.poke` after it. */
export async function notifyPerson(
  tx: Transaction,
  userId: string,
  { template, language, data = {} }: FactorMail,
  { mailer, settings }: Pick<SignInDeps, 'mailer' | 'settings'>,
  now: Date,
): Promise<void> {
  for (const to of await provenAddresses(tx, userId))
    await mailer.queue(tx, { template, to, language, data: { token: '', url: settings.frontendUrl, ...data } }, now);
}

/** Of a change and of a reset alike. Call `mailer.poke` after the commit. */
export function notifyPasswordChanged(
  tx: Transaction,
  userId: string,
  { language, ipAddress, userAgent }: Pick<RequestFacts, 'language' | 'ipAddress' | 'userAgent'>,
  deps: Pick<SignInDeps, 'mailer' | 'settings'>,
  now: Date,
): Promise<void> {
  const data = { ipAddress, program: userAgent.slice(0, longestProgram), at: now.toISOString() };
  return notifyPerson(tx, userId, { template: 'password-changed', language, data }, deps, now);
}

const longestProgram = 120;
