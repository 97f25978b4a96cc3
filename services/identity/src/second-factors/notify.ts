import type { Transaction } from '@tessera/kernel/postgres';
import type { IdentityDeps } from '../deps.ts';
import { listMethods } from '../storage/authentication-methods.ts';

type FactorMail = {
  readonly template:
    | 'factor-added'
    | 'factor-removed'
    | 'recovery-codes-renewed'
    | 'recovery-code-used'
    | 'passkey-copied'
    | 'recovery-started'
    | 'recovery-waiting'
    | 'recovery-ready'
    | 'factors-removed';
  readonly language: string;
  readonly data?: Readonly<Record<string, string>>;
};

/** To every proven address. The jobs commit with the change; call `mailer.poke` after it. */
export async function notifyPerson(
  tx: Transaction,
  userId: string,
  { template, language, data = {} }: FactorMail,
  { mailer, settings }: Pick<IdentityDeps, 'mailer' | 'settings'>,
  now: Date,
): Promise<void> {
  const methods = await listMethods(tx, [userId]);
  const addresses = new Set(methods.flatMap(({ isVerified, email }) => (isVerified && email !== null ? [email] : [])));
  for (const to of addresses)
    await mailer.queue(tx, { template, to, language, data: { token: '', url: settings.frontendUrl, ...data } }, now);
}
