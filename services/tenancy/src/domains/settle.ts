import type { Transaction } from '@tessera/kernel/postgres';
import { isProven, type Sight, stateUnseen } from '../domain/domain.ts';
import { type Domain, keepCheck, proveDomain } from '../storage/domains.ts';

export type Settled = {
  readonly after: Domain;
  /** What the log calls the change of the status. Undefined: there is none. */
  readonly action: string | undefined;
};

const changes = {
  pending: { action: undefined },
  verified: { action: 'domain.verified' },
  failing: { action: 'domain.failing' },
  lost: { action: 'domain.lost' },
} as const;

/**
 * What a check makes of a domain whose row is locked. A record that was seen proves the domain,
 * unless another organization has it.
 */
export async function settleSight(tx: Transaction, before: Domain, sight: Sight, now: Date): Promise<Settled> {
  const after = sight === 'seen' ? await settleSeen(tx, before, now) : await settleUnseen(tx, before, sight, now);
  if (after === undefined) throw new Error('a domain that was locked is gone');
  return { after, action: after.status === before.status ? undefined : changes[after.status].action };
}

/** What says nothing puts no check off, neither the next one nor one that is under way. */
function settleUnseen(tx: Transaction, before: Domain, sight: Exclude<Sight, 'seen'>, now: Date): Promise<Domain | undefined> {
  return keepCheck(tx, before, stateUnseen(before, sight, now), sight === 'unknown' ? undefined : now);
}

async function settleSeen(tx: Transaction, before: Domain, now: Date): Promise<Domain | undefined> {
  const { status, seenAt, failingSince } = before;
  if (isProven(status))
    return keepCheck(tx, before, { status: 'verified', seenAt: now.toISOString(), failingSince: null, problem: null }, now);
  const proven = await proveDomain(tx, before, now);
  return proven ?? keepCheck(tx, before, { status, seenAt, failingSince, problem: 'claimed_elsewhere' }, now);
}
