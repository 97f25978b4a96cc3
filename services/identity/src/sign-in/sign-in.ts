/**
 * The last steps of every sign-in to the platform: a session, or the question for a second factor.
 */
import type { OperationContext } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Account } from '@tessera/proto/types/tenancy.v1';
import type { IdentityDeps } from '../deps.ts';
import { type Amr, isVerified } from '../domain/session.ts';
import { accountsOf } from '../peers/accounts.ts';
import { insertDeferredSignIn } from '../storage/deferred-sign-ins.ts';
import type { FactorKind } from '../storage/entities/second-factors.ts';
import { findProfile, rememberAccounts } from '../storage/people.ts';
import { findDeviceSession } from '../storage/sessions.ts';
import { deviceKey, hashToken, newOpaqueToken } from '../tokens/opaque-token.ts';
import type { OpenedSession, SessionPlan } from './session-issuer.ts';

export type SecondFactorDue = { readonly token: string; readonly methods: ('totp' | 'passkey' | 'recoveryCode')[] };

const tokenSeconds = 300;

export function isSecondFactorDue(factors: readonly FactorKind[]): boolean {
  return factors.some((kind) => kind !== 'recoveryCodes');
}

type FirstFactor = {
  readonly userId: string;
  readonly methodId: string;
  readonly passwordHash?: string | null;
  readonly amr: readonly Amr[];
  readonly factors: readonly FactorKind[];
  /** Encrypted: where a sign-in to an app goes on. */
  readonly flow?: Buffer | null;
};

/** Keeps what was proven for five minutes. Undefined when the method or its password is gone. */
export async function deferSignIn(
  tx: Transaction,
  { factors, passwordHash = null, flow = null, ...first }: FirstFactor,
  now: Date,
): Promise<SecondFactorDue | undefined> {
  const token = newOpaqueToken();
  const expiresAt = new Date(now.getTime() + tokenSeconds * 1_000);
  const isKept = await insertDeferredSignIn(tx, { ...first, flow, hash: hashToken(token), expiresAt }, passwordHash, now);
  const methods = [...new Set(factors)].map((kind) => (kind === 'recoveryCodes' ? 'recoveryCode' : kind));
  return isKept ? { token, methods: methods.toSorted() } : undefined;
}

export type PlannedSignIn = {
  readonly plan: SessionPlan;
  readonly accounts: readonly Account[];
  readonly accountsUnknown: boolean;
  readonly requiresEmailVerification: boolean;
};

type Signer = Awaited<ReturnType<typeof findSigner>>;

/** The person who signs in, and the session of their device. */
export async function findSigner(userId: string, { deps, request }: Pick<OperationContext<IdentityDeps>, 'deps' | 'request'>) {
  const device = { userId, scope: null, deviceKey: deviceKey(request.userAgent, request.ipAddress) };
  const [person, session] = await Promise.all([findProfile(deps.database, userId), findDeviceSession(deps.database, device)]);
  return { person, session };
}

/** Before the transaction: the person, the accounts and a signed token. Undefined for no person. */
export async function planSignIn(
  userId: string,
  amr: readonly Amr[],
  context: Pick<OperationContext<IdentityDeps>, 'deps' | 'request' | 'now'>,
  signer?: Signer,
): Promise<PlannedSignIn | undefined> {
  const { deps, request, now } = context;
  const { person, session } = signer ?? (await findSigner(userId, context));
  if (person === undefined) return undefined;
  const holder = { userId, methods: person.methods, scope: null, proof: { amr, authenticatedAt: now } };
  const [plan, accounts] = await Promise.all([
    deps.sessions.plan(holder, request, session),
    accountsOf(deps.tenancy, userId, person.accounts),
  ]);
  return { plan, accounts, accountsUnknown: person.accounts === null, requiresEmailVerification: !isVerified(person.methods) };
}

/** In the transaction. Undefined when the method or the person is gone, or has another password. */
export async function openPlanned(
  tx: Transaction,
  { plan, accounts, accountsUnknown }: PlannedSignIn,
  method: { readonly id: string; readonly passwordHash?: string },
  { deps, now }: Pick<OperationContext<IdentityDeps>, 'deps' | 'now'>,
): Promise<OpenedSession | undefined> {
  const opened = await deps.sessions.open(tx, plan, method, now);
  if (opened !== undefined && accountsUnknown) await rememberAccounts(tx, plan.userId, accounts);
  return opened;
}
