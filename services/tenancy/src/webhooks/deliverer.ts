/**
 * Sends what is due. First attempts of a webhook keep their order, because only the first in order
 * is leased; retries run beside them. A process that dies leaves leases that end by themselves, so
 * that another replica sends again: at least once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Relay } from '@tessera/kernel/events';
import type { Database } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { type Attempt, isGivenUp, nextAttemptAt, scopeOfTenant } from '../domain/webhook.ts';
import {
  type Leased,
  type Limits,
  leaseDeliveries,
  releaseDelivery,
  settleDelivered,
  settleFailed,
} from '../storage/webhook-deliveries.ts';
import { lockWebhooksOf } from '../storage/webhooks.ts';
import { disable } from './disable.ts';
import type { TellOwners } from './owners.ts';
import type { WebhookSecrets } from './secrets.ts';
import type { Sender } from './sender.ts';
import { signedHeaders } from './signature.ts';
import type { Vouching } from './vouching.ts';

export type DelivererOptions = {
  readonly db: Database;
  readonly sender: Sender;
  readonly secrets: WebhookSecrets;
  readonly tellOwners: TellOwners;
  readonly vouching: Pick<Vouching, 'allows'>;
  readonly relay: Pick<Relay, 'deliver'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly clock: () => Date;
  readonly limits?: Partial<Limits>;
  readonly pollMs?: number;
};

export type Deliverer = {
  /** Looks for due deliveries now. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
};

/** Longer than an attempt can take: a delivery that is still being sent is not leased again. */
const defaults: Limits = { most: 64, mostSlow: 32, mostOfTenant: 8, leaseMs: 30_000 };
/** A target that answers more slowly waits for its turn with those that fail. */
const quickMs = 2_000;
const longestStopMs = 5_000;

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { db, sender, secrets, tellOwners, vouching, relay, logger, clock, pollMs = 1_000 } = options;
  const limits = { ...defaults, ...options.limits };
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let awaken = new AbortController();
  let running: Promise<void> | undefined;

  const wake = () => awaken.abort();

  function secretsOf({ webhookId, secret, sealedWith, olderSecret, olderSealedWith }: Leased): string[] {
    const older = olderSecret === null || olderSealedWith === null ? [] : [{ secret: olderSecret, sealedWith: olderSealedWith }];
    return [{ secret: Buffer.from(secret), sealedWith }, ...older].map((sealed) => secrets.open(webhookId, sealed));
  }

  async function attempt(delivery: Leased): Promise<Attempt> {
    const at = clock();
    const startedAt = performance.now();
    const signed = signedHeaders(delivery, secretsOf(delivery), at);
    const headers = { 'content-type': 'application/json', 'user-agent': 'Tessera-Webhooks/1', ...signed };
    const answer = await sender.send({ url: delivery.url, headers, body: delivery.body }, stopping.signal);
    return { at: at.toISOString(), ...answer, durationMs: Math.round(performance.now() - startedAt) };
  }

  /** Undefined when it is tried no more: a test is sent once. */
  function nextOf({ auditId, tries, begunAt }: Leased, { at }: Attempt): Date | undefined {
    return auditId === null ? undefined : nextAttemptAt(tries + 1, new Date(begunAt ?? at), clock());
  }

  async function settle(delivery: Leased, made: Attempt): Promise<void> {
    if (made.error === null) return db.transaction((tx) => settleDelivered(tx, delivery, made, made.durationMs > quickMs));
    const next = nextOf(delivery, made);
    const { failingSince } = delivery;
    const isOver = next === undefined && delivery.auditId !== null && isGivenUp(failingSince ? new Date(failingSince) : undefined, clock());
    // Asked before the transaction, which must not wait for another service.
    const letters = isOver ? await tellOwners(delivery, { template: 'webhook-disabled' }) : [];
    const eventIds = await db.transaction(async (tx) => {
      // Before the webhook, as the operations lock them.
      if (isOver) await lockWebhooksOf(tx, scopeOfTenant(delivery));
      const isOurs = await settleFailed(tx, delivery, made, next);
      return isOurs && isOver ? disable(tx, delivery, letters, clock()) : [];
    });
    if (eventIds.length > 0) await relay.deliver(eventIds);
  }

  async function deliver(delivery: Leased): Promise<void> {
    try {
      // A test says nothing of the log.
      if (delivery.auditId !== null && !(await vouching.allows({ ...delivery, id: delivery.webhookId })))
        return await releaseDelivery(db, delivery);
      const made = await attempt(delivery);
      if (stopping.signal.aborted && made.error !== null) await releaseDelivery(db, delivery);
      else await settle(delivery, made);
    } catch (error) {
      logger.error(
        { err: error, webhookId: delivery.webhookId, deliveryId: delivery.id },
        'a delivery could not be settled and is sent again',
      );
    }
  }

  async function deliverDue(): Promise<void> {
    for (const delivery of await leaseDeliveries(db, limits)) {
      const work: Promise<void> = deliver(delivery).finally(() => {
        underWay.delete(work);
        wake();
      });
      underWay.add(work);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      awaken = new AbortController();
      await deliverDue().catch((error: unknown) => logger.error({ err: error }, 'due deliveries of webhooks could not be read'));
      await sleep(pollMs * (0.75 + Math.random() / 2), undefined, { signal: awaken.signal }).catch(() => undefined);
    }
  }

  return {
    wake,
    start: () => {
      running ??= run();
    },
    async stop() {
      const settled = () => Promise.allSettled(underWay);
      // Attempts that have begun may end; what a slow target does not answer is sent again later.
      const timer = setTimeout(() => stopping.abort(), longestStopMs);
      limits.most = 0;
      limits.mostSlow = 0;
      await settled();
      clearTimeout(timer);
      stopping.abort();
      wake();
      await running;
      await settled();
      await sender.close();
    },
  };
}
