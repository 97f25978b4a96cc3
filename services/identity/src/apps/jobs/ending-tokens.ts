/** Tells the Owners that a directory token ends soon: two weeks before, and two days before. */
import { emit, everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { takeEndingDirectoryTokens } from '../storage/service-accounts.ts';

type Options = { readonly db: Database; readonly logger: Logger; readonly clock: () => Date };

export function startEndingTokens({ db, logger, clock }: Options): Job {
  return startJob({
    db,
    logger,
    name: 'identity.ending-tokens',
    schedule: everySeconds(3_600),
    run: async (tx) => tellOfEndingTokens(tx, clock()),
  });
}

/** The event commits with the note, so that each is told once. */
export async function tellOfEndingTokens(tx: Transaction, now: Date): Promise<void> {
  const ending = await takeEndingDirectoryTokens(tx, now);
  await emit(
    tx,
    ending.map(({ id, accountId, accountName, organizationId, lastFour, expiresAt }) => ({
      type: 'serviceAccount.tokenEnds',
      key: id,
      payload: { id, accountId, accountName, organizationId, lastFour: lastFour ?? '', expiresAt: expiresAt ?? '' },
    })),
  );
}
