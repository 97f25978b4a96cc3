/** What the operations on second factors share. */
import { failures } from '@tessera/kernel/errors';
import { callerOf, FreeObject, type HandleContext, Id, NameOf, Nullable, Timestamp } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import Type from 'typebox';
import type { Amr } from '../../../ground/domain/session.ts';
import { assertHolds } from '../../../people/address-owner.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import type { SignInDeps } from '../../deps.ts';
import { noteBreakGlass } from '../../enforcement.ts';
import { notifyPerson } from '../../factors/notify.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../factors/recovery-codes.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { confirmedKinds, replaceRecoveryCodes } from '../../storage/second-factors.ts';
import { endSessions, renewProof } from '../../storage/sessions.ts';

export const SecondFactor = Type.Object({
  id: Id,
  kind: Type.Enum(['totp', 'passkey', 'recoveryCodes']),
  name: Type.String(),
  isConfirmed: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  remaining: Type.Optional(Nullable(Type.Integer({ description: 'Recovery codes that are left' }))),
});
export const FactorResult = Type.Object({ factor: SecondFactor });
export const RecoveryCodes = Type.Array(Type.String(), { secret: true, description: 'Shown once' });
export const FactorName = NameOf(100);
export const Code = Type.String({ minLength: 1, maxLength: 64, secret: true });
/** A credential as browsers write it (RegistrationResponseJSON, AuthenticationResponseJSON). */
export const Credential = FreeObject('The answer of the browser', 64);
export const CredentialOptions = Type.Record(Type.String(), Type.Unknown(), { description: 'Options for the browser (WebAuthn 3)' });

/** Factors are changed in turn; a session below the person's level must not change them. */
export async function lockFactors(context: HandleContext<SignInDeps>): Promise<boolean> {
  const { userId, claims } = callerOf(context);
  if ((await lockPerson(context.tx, userId)) === undefined) throw failures.unauthenticated();
  const hasFactor = (await confirmedKinds(context.tx, userId)).length > 0;
  if (hasFactor && claims.acr !== 'aal2') throw failures.secondFactorRequired();
  return hasFactor;
}

/**
 * The same, to add one. A factor outlives a reset, so the account must hold its address: it may be
 * a stranger's who registered with it.
 */
export async function lockFactorsToAdd(context: HandleContext<SignInDeps>): Promise<boolean> {
  const hasFactor = await lockFactors(context);
  await assertHolds(context.tx, callerOf(context).userId);
  return hasFactor;
}

/** Ends the other sessions, and tells the proven addresses. */
export async function noteFactorChange(
  context: HandleContext<SignInDeps>,
  template: 'factor-added' | 'factor-removed' | 'recovery-codes-renewed',
  kind: string,
) {
  const { tx, deps, now, request, audit } = context;
  const { userId, claims } = callerOf(context);
  const ended = await endSessions(tx, userId, claims.jti);
  await endDeferredSignInsOf(tx, userId);
  await notifyPerson(tx, userId, { template, language: request.language, data: { kind } }, deps, now);
  audit({ targetType: 'SecondFactor', detail: { kind, endedSessions: ended.length } });
  return deps.revoker.revokeSessions(tx, ended, now);
}

/** The current session has just proven this factor. */
export async function raiseSession(context: HandleContext<SignInDeps>, amr: readonly Amr[]): Promise<void> {
  const { tx, now, request } = context;
  const { userId, claims } = callerOf(context);
  const proof = await renewProof(tx, userId, claims.jti, amr, now);
  if (proof === undefined) throw failures.unauthenticated();
  await noteBreakGlass(tx, { userId, amr: proof.amr, connectionId: claims.connection ?? null, now, request });
}

export async function issueRecoveryCodes(tx: Transaction, userId: string, now: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, userId, codes.map(hashRecoveryCode), now);
  return codes;
}
