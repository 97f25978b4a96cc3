/**
 * One try at a second factor. The person is locked while it is judged, so that tries in parallel,
 * in other sessions or on other replicas, count one after the other.
 */
import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Amr } from '../../ground/domain/session.ts';
import { lockPerson } from '../../people/storage/people.ts';
import type { SignInDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import type { PasskeyChallenge } from '../flow.ts';
import { stopRecovery } from '../storage/account-recoveries.ts';
import { countWrongTry, endDeferredSignIn, findDeferredSignIn, insertWrongProof, listWrongProofs } from '../storage/deferred-sign-ins.ts';
import { findPasskey, findTotp, type Passkey, usePasskey, useRecoveryCode, useTotpStep } from '../storage/second-factors.ts';
import { notifyPerson } from './notify.ts';
import { goesBack, verifyPasskey } from './passkeys.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import { stepOfCode } from './totp.ts';

export type FactorMethod = 'totp' | 'passkey' | 'recoveryCode';
export type GivenFactor = {
  readonly method: FactorMethod;
  readonly code?: string;
  readonly credential?: Readonly<Record<string, unknown>>;
};

/** What a right answer proves: applied under the person's lock. */
type Judged = { readonly amr: readonly Amr[]; readonly apply: (tx: Transaction) => Promise<boolean> };

const mostWrong = 10;
const windowMs = 3_600_000;
const mostWrongForToken = 5;

type Context = { readonly deps: SignInDeps; readonly now: Date; readonly language: string };

export function amrOfPasskey({ isSynced }: Passkey): readonly Amr[] {
  return [isSynced ? 'swk' : 'hwk', 'mfa'];
}

/** The passkey that a credential names; its signature is not verified yet. */
export function findNamedPasskey({ id }: Readonly<Record<string, unknown>>, { database }: SignInDeps): Promise<Passkey | undefined> {
  return typeof id === 'string' && id !== '' && id.length <= 1_400 ? findPasskey(database, id) : Promise.resolve(undefined);
}

/** Verifies a passkey's signature; the counter is compared and stored under the lock. */
export async function judgePasskey(
  credential: Readonly<Record<string, unknown>>,
  purpose: PasskeyChallenge['purpose'],
  userId: string | undefined,
  { deps, now, language }: Context,
): Promise<(Judged & { readonly passkey: Passkey }) | undefined> {
  const passkey = await findNamedPasskey(credential, deps);
  if (passkey === undefined || (userId !== undefined && passkey.userId !== userId)) return undefined;
  const counter = await verifyPasskey(credential, passkey, userId === undefined ? { purpose } : { purpose, userId }, deps);
  if (counter === undefined) return undefined;
  const apply = async (tx: Transaction): Promise<boolean> => {
    const stored = (await findPasskey(tx, passkey.credentialId)) ?? passkey;
    if (!goesBack(stored.counter, counter)) return usePasskey(tx, stored, counter, now);
    await notifyPerson(tx, passkey.userId, { template: 'passkey-copied', language }, deps, now);
    return false;
  };
  return { passkey, amr: amrOfPasskey(passkey), apply };
}

/** Undefined for an answer that is wrong whatever the state. */
function judge(
  given: GivenFactor,
  userId: string,
  purpose: PasskeyChallenge['purpose'],
  context: Context,
): Promise<Judged | undefined> | Judged | undefined {
  const { deps, now, language } = context;
  const { method, code = '', credential = {} } = given;
  if (method === 'passkey') return judgePasskey(credential, purpose, userId, context);
  if (method === 'totp') return { amr: ['otp', 'mfa'], apply: (tx) => useTotp(tx, userId, code, context) };
  return {
    amr: ['mfa'],
    apply: async (tx) => {
      const isUsed = await useRecoveryCode(tx, userId, hashRecoveryCode(code), now);
      if (isUsed) await notifyPerson(tx, userId, { template: 'recovery-code-used', language }, deps, now);
      return isUsed;
    },
  };
}

async function useTotp(tx: Transaction, userId: string, code: string, { deps, now }: Context): Promise<boolean> {
  const totp = await findTotp(tx, userId);
  if (totp === undefined || !totp.isConfirmed) return false;
  const step = stepOfCode(deps.factorSecrets.open(totp.id, totp), code, now);
  return step !== undefined && (await useTotpStep(tx, totp.id, step, now)) !== undefined;
}

type Outcome = 'right' | 'wrong' | 'ended' | { readonly retryAfterSeconds: number };

/**
 * Counts first, then judges. `deferred` is the hash of the sign-in's token, which a right answer
 * uses up and the fifth wrong one ends.
 */
export async function tryProof(
  userId: string,
  apply: ((tx: Transaction) => Promise<boolean>) | undefined,
  deferred: Buffer | undefined,
  { deps, now }: Context,
): Promise<Outcome> {
  return deps.database.transaction(async (tx) => {
    // One batch, in this order: what is read after the lock stays true.
    const [person, wrong, signIn] = await Promise.all([
      lockPerson(tx, userId),
      listWrongProofs(tx, userId, new Date(now.getTime() - windowMs)),
      deferred && findDeferredSignIn(tx, deferred, now),
    ]);
    if (person === undefined) return 'ended';
    const [oldest] = wrong;
    if (oldest !== undefined && wrong.length >= mostWrong)
      return { retryAfterSeconds: Math.max(1, Math.ceil((Date.parse(oldest) + windowMs - now.getTime()) / 1_000)) };
    if (deferred !== undefined && signIn === undefined) return 'ended';
    if (await apply?.(tx)) {
      // A person who proves a factor has not lost it, also where no session begins (an app).
      await Promise.all([stopRecovery(tx, userId), deferred && endDeferredSignIn(tx, deferred, now)]);
      return 'right';
    }
    await insertWrongProof(tx, userId, now);
    if (deferred !== undefined) await countWrongTry(tx, deferred, mostWrongForToken);
    return 'wrong';
  });
}

/** Throws unless the outcome is right. */
export function assertRight(outcome: Outcome, userId: string): void {
  if (outcome === 'right') return;
  if (outcome === 'wrong') throw errors.wrongSecondFactor({ audited: { targetType: 'User', targetId: userId } });
  if (outcome === 'ended') throw errors.endedSignIn();
  throw failures.rateLimited(outcome.retryAfterSeconds);
}

/** Tries a given factor and returns the methods that it proves. */
export async function proveSecondFactor(
  given: GivenFactor,
  { userId, purpose, deferred }: { readonly userId: string; readonly purpose: PasskeyChallenge['purpose']; readonly deferred?: Buffer },
  context: Context,
): Promise<readonly Amr[]> {
  const judged = await judge(given, userId, purpose, context);
  const outcome = await tryProof(userId, judged?.apply, deferred, context);
  context.deps.mailer.poke();
  assertRight(outcome, userId);
  return judged?.amr ?? [];
}
