/** Signing in by a code that is mailed (decision 28). */
import type { OperationContext } from '@tessera/kernel/operation';
import { findProjectAppById } from '../apps/storage/project-apps.ts';
import { bindBrowser, isTrustedOrigin, readBrowser } from '../ground/browser-binding.ts';
import { hashToken } from '../ground/tokens/opaque-token.ts';
import { findAccountOf, holdsAnAddress } from '../people/address-owner.ts';
import { demandsOf } from './demands.ts';
import type { SignInDeps } from './deps.ts';
import { countTry, countWrongCode, type EmailCodePlace, lockEmailCode, nameAccount } from './storage/email-codes.ts';

export const emailCodeMs = 10 * 60_000;
const cookie = 'email_code';
const mostWrongOfCode = 5;
const mostWrongOfHour = 10;
const hourMs = 3_600_000;

type Context = Pick<OperationContext<SignInDeps>, 'deps' | 'request' | 'response' | 'now'>;

/** What the hash of a code is bound to. */
export function nameOf({ addressHash, browser }: EmailCodePlace): string {
  return `${addressHash.toString('base64url')} ${browser}`;
}

/**
 * A browser gets a cookie with its request, and its code can be typed there alone: else any other
 * client could guess at it. A program, which keeps no cookies, has the code of programs.
 */
export function beginPlace(address: string, { deps, request, response }: Context): EmailCodePlace {
  const browser = isTrustedOrigin(request, deps.settings.cookieOrigins)
    ? bindBrowser(request, response, deps.settings.appUrl, emailCodeMs / 1_000, cookie)
    : '';
  return { addressHash: hashToken(address), browser };
}

/** Where a code is typed. */
export function placeOf(address: string, { deps, request }: Omit<Context, 'response'>): EmailCodePlace {
  const browser = isTrustedOrigin(request, deps.settings.cookieOrigins) ? readBrowser(request, deps.settings.appUrl, cookie) : '';
  return { addressHash: hashToken(address), browser: browser ?? 'none' };
}

export type TriedCode =
  | { readonly kind: 'right'; readonly hash: Buffer; readonly userId: string }
  | { readonly kind: 'wrong'; readonly userId: string | null }
  | { readonly kind: 'ended' }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number };

/**
 * Counts first, then judges; each statement is the same whether an account has the address. A right
 * code is not used up yet.
 */
export async function tryEmailCode(code: string, place: EmailCodePlace, { deps, now }: Pick<Context, 'deps' | 'now'>): Promise<TriedCode> {
  return deps.database.transaction(async (tx) => {
    const living = await lockEmailCode(tx, place, now);
    if (living === undefined) return { kind: 'ended' };
    const { wrong, since } = await countTry(tx, place.addressHash, now, hourMs);
    if (wrong > mostWrongOfHour)
      return { kind: 'too-many', retryAfterSeconds: Math.max(1, Math.ceil((Date.parse(since) + hourMs - now.getTime()) / 1_000)) };
    const { hash, userId } = living;
    const isRight = deps.emailCodes.matches(code, nameOf(place), hash);
    if (isRight && userId !== null) return { kind: 'right', hash, userId };
    await countWrongCode(tx, place, mostWrongOfCode);
    return { kind: 'wrong', userId };
  });
}

export type EmailCodeMail = {
  readonly address: string;
  readonly place: EmailCodePlace;
  readonly code: string;
  readonly hash: Buffer;
  readonly appId?: string | undefined;
  readonly url: string;
  readonly language: string;
  readonly ipAddress: string;
};

/** Runs after the response, which is so the same for every address and app. */
export async function sendEmailCode(mail: EmailCodeMail, deps: SignInDeps): Promise<void> {
  const { address, place, code, hash, appId, url, language, ipAddress } = mail;
  const app = appId === undefined ? undefined : await findProjectAppById(deps.database, appId);
  if (app !== undefined && !(await demandsOf(app, deps)).allowEmailCode) return;
  const account = await findAccountOf(deps.database, address);
  if (account === 'free' || account === 'disputed') return;
  // What the code would end there is told before it does.
  const ending = (await holdsAnAddress(deps.database, account.userId)) ? {} : { unprovenAddress: address };
  await deps.database.transaction(async (tx) => {
    if (!(await nameAccount(tx, { ...place, hash }, account.userId))) return;
    const data = { token: '', url, code, ipAddress, ...ending, ...(app === undefined ? {} : { appName: app.name }) };
    await deps.mailer.queue(tx, { template: 'sign-in-code', to: address, language, data }, new Date());
  });
  deps.mailer.poke();
}
