/**
 * Recovery of an account whose factors are all lost. It begins where a sign-in asks for the second
 * factor, so it needs the first one; it ends with a link from a mail, after a wait. Every proven
 * address is told at the start, each day and at the end, and any sign-in stops it.
 */
import type { Transaction } from '@tessera/kernel/postgres';
import { hashToken, newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { localeOf } from '../../mail/languages.ts';
import type { SignInDeps } from '../deps.ts';
import {
  endRecoveryWait,
  insertRecovery,
  insertRecoveryLink,
  lockRecoveriesToTell,
  type Recovery,
  setNextRecoveryMail,
} from '../storage/account-recoveries.ts';
import { notifyPerson, provenAddresses } from './notify.ts';

type Deps = Pick<SignInDeps, 'mailer' | 'settings'>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A link that is not used for so long ends, and the wait begins anew. */
export const linkDays = 3;
const mostAtOnce = 100;

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** Whole days after the start, so that a late run of the job moves no later mail. */
function nextDay({ startedAt }: Pick<Recovery, 'startedAt'>, now: Date): Date {
  const begin = Date.parse(startedAt);
  return new Date(begin + (Math.floor((now.getTime() - begin) / dayMs) + 1) * dayMs);
}

/** As a mail says it. The reader may live anywhere, so the time zone is named. */
function inWords(at: string, language: string): string {
  const format = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(new Date(at))} UTC`;
}

/** Undefined when one is under way already: neither its wait nor its mails begin anew. */
export async function beginRecovery(
  tx: Transaction,
  { userId, language }: { readonly userId: string; readonly language: string },
  deps: Deps,
  now: Date,
): Promise<Recovery | undefined> {
  const dueAt = new Date(now.getTime() + deps.settings.recoveryWaitHours * hourMs);
  const nextMailAt = earlier(nextDay({ startedAt: now.toISOString() }, now), dueAt);
  const begun = await insertRecovery(tx, { userId, language, dueAt, nextMailAt }, now);
  if (begun !== undefined) await tell(tx, begun, 'recovery-started', deps, now);
  return begun;
}

async function tell(
  tx: Transaction,
  { userId, language, dueAt }: Recovery,
  template: 'recovery-started' | 'recovery-waiting',
  deps: Deps,
  now: Date,
): Promise<void> {
  const data = { url: `${deps.settings.frontendUrl}/auth/sign-in`, dueAt: inWords(dueAt, language) };
  await notifyPerson(tx, userId, { template, language, data }, deps, now);
}

/**
 * The mails that are due. They, the links and the time of the next mail commit together, and a
 * second replica passes over what this one has locked: nothing is sent twice or left out.
 */
export async function sendRecoveryMails(tx: Transaction, deps: Deps, now: Date): Promise<number> {
  const due = await lockRecoveriesToTell(tx, now, mostAtOnce);
  for (const recovery of due) {
    const dueAt = new Date(recovery.dueAt);
    if (dueAt <= now) {
      await sendLinks(tx, recovery, deps, now);
      await endRecoveryWait(tx, recovery.userId, now);
    } else {
      await tell(tx, recovery, 'recovery-waiting', deps, now);
      await setNextRecoveryMail(tx, recovery.userId, earlier(nextDay(recovery, now), dueAt));
    }
  }
  return due.length;
}

/** A link of its own for each address: it ends with the address. */
async function sendLinks(tx: Transaction, { userId, language }: Recovery, { mailer }: Deps, now: Date): Promise<void> {
  for (const to of await provenAddresses(tx, userId)) {
    const token = newOpaqueToken();
    await insertRecoveryLink(tx, { hash: hashToken(token), userId, address: to });
    await mailer.queue(tx, { template: 'recovery-ready', to, language, data: { token } }, now);
  }
}
