/** Takes access tokens back: rows commit with what ended the sessions, and every verifier hears of them right after. */
import type { Transaction } from '@tessera/kernel/postgres';
import { insertRevocations, type Revocation } from '../storage/revocations.ts';

export type RevokerOptions = {
  readonly accessTokenSeconds: number;
  /** Tells this process and all others. */
  readonly announce: (revocations: readonly Revocation[]) => void;
};

export type Revoker = {
  /** In the transaction that ended these sessions. What it returns is to be announced after the commit. */
  revokeSessions(tx: Transaction, sessionIds: readonly string[], now: Date): Promise<Revocation[]>;
  /** Every token of a person, of whatever type. */
  revokePerson(tx: Transaction, userId: string, now: Date): Promise<Revocation[]>;
  announce(revocations: readonly Revocation[]): void;
};

/** Clocks differ, and a token that is being signed while its session ends may be this much younger. */
const marginSeconds = 60;

export function createRevoker({ accessTokenSeconds, announce }: RevokerOptions): Revoker {
  const before = (now: Date): Date => new Date(now.getTime() + marginSeconds * 1_000);
  const expiry = (now: Date): Date => new Date(now.getTime() + (accessTokenSeconds + 2 * marginSeconds) * 1_000);
  return {
    revokeSessions: (tx, sessionIds, now) => insertRevocations(tx, 'jti', sessionIds, before(now), expiry(now)),
    revokePerson: (tx, userId, now) => insertRevocations(tx, 'user', [userId], before(now), expiry(now)),
    announce(revocations) {
      if (revocations.length > 0) announce(revocations);
    },
  };
}
