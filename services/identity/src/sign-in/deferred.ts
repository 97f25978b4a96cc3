/** A sign-in that waits for its second factor. */
import type { Transaction } from '@tessera/kernel/postgres';
import type { UpstreamSession } from '../ground/domain/connection.ts';
import type { Amr } from '../ground/domain/session.ts';
import type { FactorKind } from '../ground/tables/second-factors.ts';
import { hashToken, newOpaqueToken } from '../ground/tokens/opaque-token.ts';
import { insertDeferredSignIn } from './storage/deferred-sign-ins.ts';

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
  readonly upstream?: UpstreamSession | null | undefined;
};

/** Keeps what was proven for five minutes. Undefined when the method or its password is gone. */
export async function deferSignIn(
  tx: Transaction,
  { userId, methodId, amr, factors, passwordHash = null, flow = null, upstream = null }: FirstFactor,
  now: Date,
): Promise<SecondFactorDue | undefined> {
  const token = newOpaqueToken();
  const expiresAt = new Date(now.getTime() + tokenSeconds * 1_000);
  const row = { userId, methodId, amr, flow, upstream, hash: hashToken(token), expiresAt };
  const isKept = await insertDeferredSignIn(tx, row, passwordHash, now);
  const methods = [...new Set(factors)].map((kind) => (kind === 'recoveryCodes' ? 'recoveryCode' : kind));
  return isKept ? { token, methods: methods.toSorted() } : undefined;
}
