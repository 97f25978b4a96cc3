/**
 * Revokes tokens: the rows commit with the end of the sessions, and all verifiers get a notice
 * right after the commit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Reader } from '../ground/storage/reader.ts';
import { findRevocations, insertRevocations, type Revocation } from '../ground/storage/revocations.ts';
import { takeDescendants, takeTokensOfSessions } from './storage/project-app-tokens.ts';
import { endSupportOfPerson, endSupportOfSessions } from './storage/support-accesses.ts';

export type RevokerOptions = {
  readonly database: Reader;
  readonly accessTokenSeconds: number;
  /** Refuses these tokens in this process and notifies the others. */
  readonly announce: (revocation: Revocation) => void;
};

export type Revoker = {
  /**
   * Call it in the transaction that ends these sessions, and announce its result after the commit.
   * The tokens that apps got from them end, too, and what these were exchanged for, and the support
   * accesses that they use.
   */
  revokeSessions(tx: Transaction, sessionIds: readonly string[], now: Date): Promise<Revocation[]>;
  /** Every token of a person, of any type, and those of support that name them. */
  revokePerson(tx: Transaction, userId: string, now: Date): Promise<Revocation[]>;
  /** Tokens that carry one of these: a credential, or a generation of a service account. */
  revokeValues(tx: Transaction, values: readonly string[], now: Date): Promise<Revocation[]>;
  announce(revocations: readonly Revocation[]): void;
  /**
   * For event handlers, which do not see the commit: polls for it and then announces. Verifiers
   * pull what this misses.
   */
  announceOnceCommitted(revocations: readonly Revocation[]): Promise<void>;
};

/** Clocks differ, and a token may be signed while its session ends. */
const marginSeconds = 60;
const pollAfterMs = [5, 25, 100, 400, 1_000];

export function createRevoker({ database, accessTokenSeconds, announce }: RevokerOptions): Revoker {
  const before = (now: Date): Date => new Date(now.getTime() + marginSeconds * 1_000);
  const expiry = (now: Date): Date => new Date(now.getTime() + (accessTokenSeconds + 2 * marginSeconds) * 1_000);

  async function announceOnceCommitted(revocations: readonly Revocation[]): Promise<void> {
    for (const afterMs of pollAfterMs) {
      if (revocations.length === 0) return;
      await sleep(afterMs, undefined, { ref: false });
      const [first] = revocations;
      if (first === undefined) return;
      const values = revocations.map(({ value }) => value);
      const committed = await findRevocations(database, first.kind, values).catch(() => []);
      if (committed.length === 0) continue;
      for (const revocation of committed) announce(revocation);
      return;
    }
  }

  return {
    async revokeSessions(tx, sessionIds, now) {
      const ofApps = sessionIds.length === 0 ? [] : await takeTokensOfSessions(tx, sessionIds);
      const support = sessionIds.length === 0 ? [] : await endSupportOfSessions(tx, sessionIds, now);
      const ended = [...sessionIds, ...ofApps, ...support];
      const exchanged = ended.length === 0 ? [] : await takeDescendants(tx, ended);
      return insertRevocations(tx, 'jti', [...ended, ...exchanged], before(now), expiry(now));
    },
    async revokePerson(tx, userId, now) {
      const support = await endSupportOfPerson(tx, userId, now);
      const ended = await insertRevocations(tx, 'jti', support, before(now), expiry(now));
      return [...(await insertRevocations(tx, 'user', [userId], before(now), expiry(now))), ...ended];
    },
    revokeValues: (tx, values, now) => insertRevocations(tx, 'jti', values, before(now), expiry(now)),
    announce: (revocations) => revocations.forEach(announce),
    announceOnceCommitted,
  };
}
