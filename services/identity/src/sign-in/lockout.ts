/**
 * The lockout of AUTH_LOCKOUT_ENABLED: an address of a client that failed too often at one account
 * is refused there for a while, whatever password it sends. The owner, elsewhere, is not kept out.
 *
 * Attempts are counted before the password is compared, so that of any number of parallel guesses
 * only the first few count. An account that does not exist is counted too, and a refusal says and
 * costs what a wrong password does. Only a mail tells. Without the cache nothing is locked: the
 * limit of sign-in requests stands by itself.
 */
import type { RequestFacts } from '@tessera/kernel/operation';
import { networkOf } from '../ground/client-network.ts';
import { digest } from '../ground/tokens/digest.ts';
import type { SignInDeps } from './deps.ts';

export type Attempt = { readonly isLocked: boolean; readonly isLast: boolean };
type Client = Pick<RequestFacts, 'ipAddress' | 'language'>;
type Owner = { readonly email: string | null; readonly isVerified: boolean };

const free: Attempt = { isLocked: false, isLast: false };
const mostMails = 5;

async function countAttempt(account: string, { ipAddress }: Client, deps: SignInDeps): Promise<Attempt> {
  const { settings, counters, logger } = deps;
  const { lockout } = settings;
  if (lockout === undefined) return free;
  const [lock, failures] = keysOf(account, ipAddress);
  try {
    const isLocked = await counters.has(lock);
    // Counted as nothing while locked, so that both take as long.
    const count = await counters.increment(failures, isLocked ? 0 : 1, lockout.seconds);
    if (isLocked) return { isLocked, isLast: false };
    if (count === lockout.mostFailures) await counters.set(lock, '1', lockout.seconds);
    return { isLocked: count > lockout.mostFailures, isLast: count === lockout.mostFailures };
  } catch (cause) {
    logger.warn({ err: cause }, 'a sign-in was not counted for the lockout');
    return free;
  }
}

type Compared = Partial<Owner> & { readonly passwordHash: string | null };

/**
 * Whether a password is that of the account, and the client may try. An account that does not
 * exist (undefined) takes the same work, and a refusal of the lockout is a wrong password.
 */
export async function comparePassword(
  account: string,
  password: string,
  known: Compared | undefined,
  client: Client,
  deps: SignInDeps,
): Promise<boolean> {
  const attempt = await countAttempt(account, client, deps);
  const matches = await deps.hasher.matches(password, known?.passwordHash ?? undefined);
  if (attempt.isLast && !matches) tellOwner(known, client, deps);
  if (!matches || attempt.isLocked) return false;
  await forgetAttempts(account, client, deps);
  return true;
}

/** After a password matched, or was reset by mail. */
export async function forgetAttempts(account: string, { ipAddress }: Client, { settings, counters, logger }: SignInDeps): Promise<void> {
  if (settings.lockout === undefined) return;
  const keys = keysOf(account, ipAddress);
  await Promise.all(keys.map((key) => counters.forget(key))).catch((cause: unknown) =>
    logger.warn({ err: cause }, 'failed sign-ins were not forgotten'),
  );
}

/** Mails the owner, after the response, so that its duration does not tell of the account. */
function tellOwner(owner: Partial<Owner> | undefined, { ipAddress, language }: Client, deps: SignInDeps): void {
  const { settings, background, counters, mailer, database } = deps;
  background.run('lockout mail', async () => {
    const to = owner?.email;
    if (settings.lockout === undefined || to == null || owner?.isVerified !== true) return;
    if ((await counters.increment(`lockout:mail:${digest(to)}`, 1, settings.lockout.seconds)) > mostMails) return;
    const { mostFailures: failures, seconds } = settings.lockout;
    const data = { token: '', url: settings.frontendUrl, failures, ipAddress, minutes: Math.ceil(seconds / 60) };
    await database.transaction((tx) => mailer.queue(tx, { template: 'sign-in-locked', to, language, data }, new Date()));
    mailer.poke();
  });
}

function keysOf(account: string, ipAddress: string): [lock: string, failures: string] {
  const pair = digest(`${account} ${networkOf(ipAddress)}`);
  return [`lockout:lock:${pair}`, `lockout:failures:${pair}`];
}
