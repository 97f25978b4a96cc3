import type { EventLogger } from '@tessera/kernel/events';
import { listStaleClosings } from '../../storage/closings.ts';
import { type ClosingDeps, resumeClosing } from './close-accounts.ts';

/** Longer than a living process takes for it. */
const STALE_SECONDS = 8;

/** Finishes what died half-way, on start and every few seconds; what fails is tried again next time. */
export async function resumeClosings(deps: ClosingDeps, logger: EventLogger, olderThanSeconds = STALE_SECONDS): Promise<void> {
  for (const userId of await listStaleClosings({ query: deps.database.query }, olderThanSeconds)) {
    try {
      await resumeClosing(deps, userId);
    } catch (error) {
      logger.warn({ err: error, userId }, 'closing the accounts of a user will be tried again');
    }
  }
}
