/** Closes support accesses whose time is over, and mails each end, whatever it came from. */
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { endLapsedSupport, listUntoldSupport, markSupportTold, type SupportAccess } from '../../apps/storage/support-accesses.ts';
import { auditContextBehind } from '../../ground/storage/audit-log.ts';
import type { OauthDeps } from '../deps.ts';
import { entryOf } from '../operations/support/support-access.ts';
import { queueMails, readToTell } from '../operations/support/tell.ts';

type Options = { readonly deps: OauthDeps; readonly logger: Logger; readonly clock: () => Date };

export function startSupportEnds({ deps, logger, clock }: Options): Job {
  return startJob({
    db: deps.database,
    logger,
    name: 'identity.support-ends',
    schedule: everySeconds(5),
    checkSeconds: 5,
    run: async (tx) => {
      await deps.revoker.revokeSessions(tx, await endLapsedSupport(tx, clock()), clock());
      return () => tellOfEnds(deps, clock());
    },
  });
}

/**
 * Names are asked of other services before each transaction. A request without an answer has
 * nothing to tell.
 */
export async function tellOfEnds(deps: OauthDeps, now: Date): Promise<void> {
  for (const row of await listUntoldSupport(deps.database)) {
    const toTell = await readToTell(row, [row.userId, ...(row.decidedBy === null ? [] : [row.decidedBy])], deps);
    await deps.database.transaction(async (tx) => {
      if (!(await markSupportTold(tx, row.id, now))) return;
      await queueMails(tx, 'support-ended', row, toTell, { deps, now, language: 'en' });
      if (row.endedBy !== 'person' && row.endedBy !== 'organization' && row.endedBy !== 'supporter') await auditEnd(tx, row, now);
    });
    deps.mailer.poke();
  }
}

/** What people end has its record from their operation. */
async function auditEnd(tx: Transaction, row: SupportAccess, now: Date): Promise<void> {
  const scope = { tenant: 'organization', id: row.organizationId } as const;
  const entry = { ...entryOf(row), scope };
  const record = { operation: 'supportEnds', action: 'support.ended', outcome: 'ok', entry } as const;
  await writeAudit(tx, record, auditContextBehind({ requestId: row.id }, now));
}
