import { emit, everySeconds, type Job, olderThan, prune, type Relay, startJob } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { webhooksWatched } from '../events.ts';
import { endWebhooksOfDeleted, forgetOlderSecrets, lockSealedBefore, resealRow } from '../storage/webhooks.ts';
import type { WebhookSecrets } from './secrets.ts';
import type { Vouching } from './vouching.ts';

type Options = {
  readonly db: Database;
  readonly relay: Pick<Relay, 'poke'>;
  readonly secrets: WebhookSecrets;
  readonly retentionDays: number;
  readonly vouching: Pick<Vouching, 'askForOldest'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
};

const resealedAtOnce = 500;

/** After a rotation of WEBHOOK_SECRETS. Those under a key that is missing are left as they are. */
export async function resealWebhooks(tx: Transaction, secrets: WebhookSecrets): Promise<{ resealed: number; unreadable: number }> {
  let unreadable = 0;
  const due = await lockSealedBefore(tx, secrets.keyId, resealedAtOnce);
  for (const { id, secret, sealedWith, olderSecret, olderSealedWith } of due) {
    const anew = (bytes: Uint8Array, keyId: string) =>
      secrets.seal(id, secrets.open(id, { secret: Buffer.from(bytes), sealedWith: keyId }));
    try {
      const older = olderSecret === null || olderSealedWith === null ? undefined : anew(olderSecret, olderSealedWith);
      await resealRow(tx, id, anew(secret, sealedWith), older);
    } catch {
      unreadable += 1;
    }
  }
  return { resealed: due.length - unreadable, unreadable };
}

/** Webhooks of what was deleted, secrets that have been replaced, and old deliveries go. */
export async function pruneWebhooks({ db, retentionDays }: Pick<Options, 'db' | 'retentionDays'>): Promise<void> {
  await db.transaction(async (tx) => {
    await forgetOlderSecrets(tx);
    const scopeIds = await endWebhooksOfDeleted(tx);
    await emit(
      tx,
      scopeIds.map((id) => webhooksWatched({ id }, false)),
    );
  });
  await prune(db, 'webhook_deliveries', olderThan('createdAt', retentionDays));
}

export function startWebhookJobs(options: Options): Job[] {
  const { db, secrets, relay, vouching, logger } = options;
  return [
    startJob({
      db,
      logger,
      name: 'tenancy.reseal-webhooks',
      schedule: everySeconds(600),
      run: async (tx) => {
        const { resealed, unreadable } = await resealWebhooks(tx, secrets);
        if (resealed > 0) logger.info({ resealed }, 'secrets of webhooks are sealed anew, under the first of WEBHOOK_SECRETS');
        if (unreadable > 0) logger.error({ unreadable }, 'webhooks are sealed under a key that WEBHOOK_SECRETS does not hold');
      },
    }),
    startJob({
      db,
      logger,
      name: 'tenancy.ask-webhook-vouchers',
      schedule: everySeconds(60),
      run: async () => vouching.askForOldest,
    }),
    startJob({
      db,
      logger,
      name: 'tenancy.prune-webhooks',
      schedule: everySeconds(600),
      run: async () => async () => {
        await pruneWebhooks(options);
        relay.poke();
      },
    }),
  ];
}
