/** One commit of rows, events and audit rows, for another service. */
import { type Committed, commitUnit, type Unit } from '@tessera/kernel/operation';
import type { IdentityDeps } from '../../deps.ts';
import { auditContextBehind } from '../../ground/storage/audit-log.ts';

export function commitChange<Result>(
  { database }: Pick<IdentityDeps, 'database'>,
  requestId: string,
  now: Date,
  work: (unit: Unit) => Promise<Result>,
): Promise<Committed<Result>> {
  return commitUnit((run) => database.transaction(run), auditContextBehind({ requestId }, now), work);
}
