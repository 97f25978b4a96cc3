/**
 * The one door: every way in to the platform ends here, in a session, in the question for a second
 * factor, or in a refusal (decision 014).
 *
 * `planSignIn` runs in `prepare`, before the transaction, because it asks keys and tenancy.
 * `openSignIn` runs in `handle`, inside it. `answerSignIn` runs in `complete`, after the commit.
 */
import type { AuditEntry, OperationContext, RequestFacts, ResponseEffects } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import type { UpstreamSession } from '../ground/domain/connection.ts';
import { type Amr, isVerified } from '../ground/domain/session.ts';
import { accountsOf } from '../ground/peers/accounts.ts';
import type { FactorKind } from '../ground/tables/second-factors.ts';
import { deviceKey } from '../ground/tokens/opaque-token.ts';
import { findProfile, rememberAccounts } from '../people/storage/people.ts';
import { deferSignIn, isSecondFactorDue, type SecondFactorDue } from './deferred.ts';
import type { SignInDeps } from './deps.ts';
import { assertByConnection, noteBreakGlass } from './enforcement.ts';
import { type OpenedSession, openPlannedSession, planSession, type SessionPlan, settleSession, type Tokens } from './session-issuer.ts';
import { isLoggedOut } from './storage/connection-logouts.ts';
import type { Granter } from './storage/granter.ts';
import { findDeviceSession } from './storage/sessions.ts';

/** Every way in. Who comes by one of the first three, and has a second factor, is asked for it. */
export type Door = 'password' | 'email-code' | 'provider' | 'passkey' | 'second-factor' | 'registration' | 'program';

const asksForSecondFactor: ReadonlySet<Door> = new Set(['password', 'email-code', 'provider']);
/** Their operation writes the record, which names the session. */
const recordsItself: ReadonlySet<Door> = new Set(['registration', 'program']);

/** A person who signs in, as stored. */
export type Signer = {
  readonly userId: string;
  readonly methods: readonly { readonly isVerified: boolean }[];
  /** Null while identity does not know them. */
  readonly accounts: readonly Account[] | null;
  readonly factors: readonly FactorKind[];
  /** The session that this device has and continues. */
  readonly deviceSessionId: string | null;
};

export type SignInProof = {
  /** The way to sign in that opens the session. */
  readonly methodId: string;
  readonly amr: readonly Amr[];
  /** The organization's provider that has shown the person. */
  readonly connectionId?: string | null;
  /** What that provider has said of its session. */
  readonly upstream?: UpstreamSession | null | undefined;
  /** The hash that the password matched; the sign-in is refused when it has changed since. */
  readonly passwordHash?: string | null;
  /** Now, unless said. */
  readonly authenticatedAt?: Date;
};

export type SignInAttempt = {
  readonly door: Door;
  readonly person: Signer;
  readonly proof: SignInProof;
  /** For the audit record. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** What this door answers when the way to sign in has changed meanwhile. */
  readonly refusal: () => Error;
};

type Session = { readonly plan: SessionPlan; readonly accounts: readonly Account[] };
/** Without a session the second factor is due. */
export type PlannedSignIn = SignInAttempt & { readonly session: Session | undefined };

export type OpenedSignIn = {
  readonly opened: OpenedSession;
  readonly accounts: readonly Account[];
  readonly requiresEmailVerification: boolean;
};
export type SignInResult = OpenedSignIn | { readonly secondFactor: SecondFactorDue };

type PlanContext = Pick<OperationContext<SignInDeps>, 'deps' | 'now'> & {
  readonly request: Pick<RequestFacts, 'userAgent' | 'ipAddress'>;
};
type OpenContext = Pick<PlanContext, 'deps' | 'now'> & {
  readonly tx: Transaction;
  /** The session that grants this one to a program. */
  readonly granter?: Granter | null;
  /** Where it comes from, for the record of an emergency. */
  readonly request?: Pick<RequestFacts, 'id'>;
  /** Not asked of doors that record themselves. */
  audit?(entry: AuditEntry): void;
};

/** The person and what decides their sign-in. Undefined for a person who is gone. */
export async function findSigner(userId: string, { deps, request }: PlanContext): Promise<Signer | undefined> {
  const device = { userId, scope: null, deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  const [person, session] = await Promise.all([findProfile(deps.database, userId), findDeviceSession(deps.database, device)]);
  if (person === undefined) return undefined;
  const { methods, accounts, factors } = person;
  return { userId, methods, accounts, factors, deviceSessionId: session ?? null };
}

/** Before the transaction: asks for the second factor, or signs the token of a session. */
export async function planSignIn(attempt: SignInAttempt, { deps, request, now }: PlanContext): Promise<PlannedSignIn> {
  const { door, person, proof } = attempt;
  // No tokens are made yet: the sign-in goes on at POST /api/auth/second-factor.
  if (asksForSecondFactor.has(door) && isSecondFactorDue(person.factors)) return { ...attempt, session: undefined };
  const { userId, methods, deviceSessionId } = person;
  const { amr, authenticatedAt = now, connectionId = null } = proof;
  const asked = assertByConnection({ userId, amr, connectionId }, deps);
  const upstreamSid = proof.upstream?.sid ?? null;
  const holder = { userId, methods, scope: null, proof: { amr, authenticatedAt }, connectionId, upstreamSid };
  const device = { userAgent: request.userAgent, ipAddress: request.ipAddress };
  const [, plan, accounts] = await Promise.all([
    asked,
    planSession(holder, device, deviceSessionId, deps),
    accountsOf(deps.tenancy, userId, person.accounts),
  ]);
  return { ...attempt, session: { plan, accounts } };
}

/**
 * In the transaction. Refused when the method or the person is gone, the password is another one,
 * or the person has set up a second factor since.
 */
export async function openSignIn(planned: PlannedSignIn, context: OpenContext): Promise<SignInResult> {
  return planned.session === undefined ? defer(planned, context) : open(planned, planned.session, context);
}

async function defer({ person, proof, detail, refusal }: SignInAttempt, { tx, now, audit }: OpenContext): Promise<SignInResult> {
  const { userId, factors } = person;
  await assertNotLoggedOut(tx, proof, refusal);
  const secondFactor = await deferSignIn(tx, { userId, factors, ...proof }, now);
  if (secondFactor === undefined) throw refusal();
  audit?.({ action: 'session.second-factor-due', actorId: userId, targetType: 'User', targetId: userId, detail });
  return { secondFactor };
}

async function open(
  { door, person, proof, detail, refusal }: SignInAttempt,
  { plan, accounts }: Session,
  { tx, deps, now, granter = null, request, audit }: OpenContext,
): Promise<OpenedSignIn> {
  const { methodId, passwordHash = null } = proof;
  const opened = await openPlannedSession(tx, plan, { id: methodId, passwordHash }, { deps, now, granter });
  if (opened === undefined) throw refusal();
  await assertNotLoggedOut(tx, proof, refusal);
  const { amr, connectionId = null } = proof;
  await noteBreakGlass(tx, { userId: person.userId, amr, connectionId, now, request: { ...plan.device, ...request } });
  if (person.accounts === null) await rememberAccounts(tx, person.userId, accounts);
  if (!recordsItself.has(door)) audit?.({ actorId: person.userId, targetType: 'UserSession', targetId: opened.sessionId, detail });
  return { opened, accounts, requiresEmailVerification: !isVerified(person.methods) };
}

/**
 * The provider may have ended its session while this sign-in was under way. Call it once the
 * connection is locked.
 */
async function assertNotLoggedOut(tx: Transaction, { connectionId, upstream }: SignInProof, refusal: () => Error): Promise<void> {
  if (connectionId != null && upstream != null && (await isLoggedOut(tx, connectionId, upstream))) throw refusal();
}

/** The session of a door that asks for no second factor. */
export function sessionOf(result: SignInResult): OpenedSignIn {
  if ('secondFactor' in result) throw new Error('this door asks for no second factor');
  return result;
}

/** After the commit: the tokens. */
export function settleSignIn({ opened }: OpenedSignIn, deps: SignInDeps): Promise<Tokens> {
  return settleSession(opened, deps);
}

/** The same for a browser, which also gets the cookie. */
export async function answerSignIn(
  signedIn: OpenedSignIn,
  { deps, response }: { readonly deps: SignInDeps; readonly response: ResponseEffects },
): Promise<Tokens> {
  const tokens = await settleSignIn(signedIn, deps);
  deps.sessions.setCookie(response, tokens.refreshToken);
  return tokens;
}
