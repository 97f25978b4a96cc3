/**
 * Encrypts the secrets of authenticator apps again after a rotation of AUTH_FACTOR_SECRETS, on one
 * replica at a time. Each run is one transaction over one batch: a crash loses at most that batch,
 * and the next run finds what is left.
 */
import { everySeconds, type Job, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import type { FactorSecrets } from '../factor-secrets.ts';
import { lockTotpsSealedBefore, replaceTotpSecret } from '../storage/second-factors.ts';

export type Resealed = { readonly resealed: number; readonly unreadable: number; readonly isMore: boolean };

const batch = 500;

/** `after` goes on behind a factor; without it a batch of unreadable ones would hide the others. */
export async function resealFactors(
  tx: Transaction,
  secrets: FactorSecrets,
  after: string | undefined,
): Promise<Resealed & { readonly last: string | undefined }> {
  const due = await lockTotpsSealedBefore(tx, secrets.keyId, after, batch);
  let resealed = 0;
  for (const totp of due) {
    const secret = opened(secrets, totp);
    if (secret === undefined) continue;
    await replaceTotpSecret(tx, totp.id, secrets.seal(totp.id, secret));
    resealed += 1;
  }
  return { resealed, unreadable: due.length - resealed, isMore: due.length === batch, last: due.at(-1)?.id };
}

function opened(secrets: FactorSecrets, totp: Parameters<FactorSecrets['open']>[1] & { readonly id: string }): string | undefined {
  try {
    return secrets.open(totp.id, totp);
  } catch {
    return undefined;
  }
}

type Options = { readonly database: Database; readonly factorSecrets: FactorSecrets; readonly logger: Logger };

export function startResealing({ database, factorSecrets, logger }: Options): Job {
  return startJob({
    db: database,
    logger,
    name: 'identity.reseal-factors',
    schedule: everySeconds(600),
    // The first batch commits with the job's slot, the others each by themselves.
    run: async (tx) => {
      const first = await resealFactors(tx, factorSecrets, undefined);
      return () => finish(first, { database, factorSecrets, logger });
    },
  });
}

async function finish(first: Awaited<ReturnType<typeof resealFactors>>, { database, factorSecrets, logger }: Options): Promise<void> {
  let { resealed, unreadable, isMore, last } = first;
  while (isMore) {
    const next = await database.transaction((tx) => resealFactors(tx, factorSecrets, last));
    resealed += next.resealed;
    unreadable += next.unreadable;
    ({ isMore, last } = next);
  }
  if (resealed > 0) logger.info({ resealed }, 'secrets of authenticator apps are sealed anew, under the first of AUTH_FACTOR_SECRETS');
  if (unreadable > 0) logger.error({ unreadable }, 'authenticator apps are sealed under a key that AUTH_FACTOR_SECRETS does not hold');
}
