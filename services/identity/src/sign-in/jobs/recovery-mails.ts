/** Tells people whose account is being recovered, on one replica at a time. */
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Logger } from '@tessera/kernel/telemetry';
import type { SignInDeps } from '../deps.ts';
import { sendRecoveryMails } from '../factors/recovery.ts';

type Options = { readonly deps: SignInDeps; readonly logger: Logger; readonly clock: () => Date };

export function startRecoveryMails({ deps, logger, clock }: Options): Job {
  return startJob({
    db: deps.database,
    logger,
    name: 'identity.recovery-mails',
    schedule: everySeconds(60),
    run: async (tx) => ((await sendRecoveryMails(tx, deps, clock())) === 0 ? undefined : () => deps.mailer.poke()),
  });
}
