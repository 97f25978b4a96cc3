import type { EventLogger } from '@tessera/kernel/events';
import { listStaleAccountClosures } from '../../storage/account-closures.ts';
import { type AccountClosureDeps, resumeAccountClosure } from './close-accounts.ts';

/** Longer than a running process needs for a closure. */
const staleAfterSeconds = 8;

/**
 * Finishes closures whose process died, at start and every few seconds. A closure that fails is
 * tried again next time.
 */
export async function resumeAccountClosures(
  deps: AccountClosureDeps,
  logger: EventLogger,
  olderThanSeconds = staleAfterSeconds,
): Promise<void> {
  for (const userId of await listStaleAccountClosures({ query: deps.database.query }, olderThanSeconds)) {
    try {
      await resumeAccountClosure(deps, userId);
    } catch (error) {
      logger.warn({ err: error, userId }, 'closing the accounts of a user will be tried again');
    }
  }
}
