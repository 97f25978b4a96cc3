/**
 * A webhook acts on the word of the subject that last directed it. When that ends, it stops;
 * when only the person has left, it goes on for three days, and the Owners are asked.
 */
import { emit, type OutgoingEvent, type Relay } from '@tessera/kernel/events';
import type { Notices } from '@tessera/kernel/notices';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { Logger } from '@tessera/kernel/telemetry';
import { graceEnd, type Step, stepOf } from '../domain/voucher.ts';
import { scopeOfTenant } from '../domain/webhook.ts';
import { webhooksWatched } from '../events.ts';
import type { Vouchers } from '../peers/vouchers.ts';
import {
  askForVoucher,
  listVouchedOf,
  noteReminder,
  restoreVoucher,
  stopWebhook,
  takeVouchedToAsk,
  type Vouched,
} from '../storage/webhook-vouchers.ts';
import { countWebhooks, lockWebhooksOf } from '../storage/webhooks.ts';
import type { Letter, TellOwners } from './owners.ts';
import { auditBySystem } from './system-audit.ts';

type Options = {
  readonly db: Database;
  readonly vouchers: Pick<Vouchers, 'standing'>;
  readonly tellOwners: TellOwners;
  readonly relay: Pick<Relay, 'deliver'>;
  readonly notices: Pick<Notices, 'subscribe'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: () => Date;
};

export type Vouching = {
  /** Whether this webhook may be sent something now; when not, it has been stopped. */
  allows(webhook: Vouched): Promise<boolean>;
  /** Asks for those that were asked for longest ago. */
  askForOldest(): Promise<void>;
  stop(): void;
};

/** A change of rights comes with more: they are asked about once. */
const settleMs = 200;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const mostAtOnce = 1_000;
const askedAgainAfterSeconds = 60;

export function createVouching({ db, vouchers, tellOwners, relay, notices, logger, clock }: Options): Vouching {
  const changed = new Set<string>();
  const revoked = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function letterOf(webhook: Vouched, step: Step, until: Date): Promise<readonly OutgoingEvent[]> {
    const letters: Partial<Record<Step, Letter>> = {
      asked: { template: 'webhook-unvouched', until },
      reminded: { template: 'webhook-unvouched', until },
      stopped: { template: 'webhook-stopped' },
    };
    const letter = letters[step];
    return letter === undefined ? [] : tellOwners({ ...webhook, webhookId: webhook.id }, letter);
  }

  async function follow(webhook: Vouched): Promise<Step> {
    const scope = scopeOfTenant(webhook);
    const standing = await vouchers.standing(webhook.voucher, scope);
    const now = clock();
    const until = webhook.vouchedUntil === null ? undefined : new Date(webhook.vouchedUntil);
    const step = stepOf(standing, { vouchedUntil: until, isReminded: webhook.isReminded }, now);
    if (step === 'none') return step;
    const end = until ?? graceEnd(now);
    // Before the transaction, which must not wait for another service.
    const letters = await letterOf(webhook, step, end);
    const eventIds = await db.transaction(async (tx) => {
      await lockWebhooksOf(tx, scope);
      return (await keep(tx, webhook, step, end)) ? report(tx, webhook, step, letters, now) : [];
    });
    if (eventIds.length > 0) await relay.deliver(eventIds);
    return step;
  }

  async function followAll(webhooks: readonly Vouched[]): Promise<void> {
    for (const webhook of webhooks)
      await follow(webhook).catch((error: unknown) =>
        logger.error({ err: error, webhookId: webhook.id }, 'the voucher of a webhook could not be asked for, and is asked for again'),
      );
  }

  async function followChanged(): Promise<void> {
    const [parentIds, tokenIds] = [[...changed], [...revoked]];
    changed.clear();
    revoked.clear();
    await followAll(await listVouchedOf(db, { parentIds, tokenIds }));
  }

  function followSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      followChanged().catch((error: unknown) => logger.error({ err: error }, 'webhooks of a tenant that changed could not be read'));
    }, settleMs).unref();
  }

  const subscriptions = [
    notices.subscribe('tenant-changed', ({ tenantKey }) => {
      for (const [id] of tenantKey.matchAll(uuid)) changed.add(id);
      followSoon();
    }),
    notices.subscribe('revocation', ({ kind, value }) => {
      if (kind !== 'jti') return;
      revoked.add(value);
      followSoon();
    }),
  ];

  return {
    allows: async (webhook) => (await follow(webhook)) !== 'stopped',
    askForOldest: async () => followAll(await takeVouchedToAsk(db, mostAtOnce, askedAgainAfterSeconds)),
    stop: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
      clearTimeout(timer);
    },
  };
}

/** False when it was vouched for or switched off meanwhile. */
function keep(tx: Transaction, webhook: Vouched, step: Step, until: Date): Promise<boolean> {
  switch (step) {
    case 'restored':
      return restoreVoucher(tx, webhook);
    case 'asked':
      return askForVoucher(tx, webhook, until);
    case 'reminded':
      return noteReminder(tx, webhook);
    case 'stopped':
      return stopWebhook(tx, webhook);
    case 'none':
      return Promise.resolve(false);
  }
}

/** The record, the mails, and what the services must know. Returns the ids of the events. */
async function report(tx: Transaction, webhook: Vouched, step: Step, letters: readonly OutgoingEvent[], now: Date): Promise<string[]> {
  const scope = scopeOfTenant(webhook);
  if (step === 'asked') await auditBySystem(tx, scope, { action: 'webhook.unvouched', webhook, changes: [] }, now);
  if (step !== 'stopped') return emit(tx, [...letters]);
  const changes = [{ field: 'isActive', before: true, after: false }];
  await auditBySystem(tx, scope, { action: 'webhook.stopped', webhook, changes }, now);
  const { active } = await countWebhooks(tx, scope);
  return emit(tx, [...letters, ...(active === 0 ? [webhooksWatched(scope, false)] : [])]);
}
