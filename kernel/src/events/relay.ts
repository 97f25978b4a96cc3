import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../postgres/index.ts';
import type { EventLogger } from './event.ts';
import { backlogOf, type LaneRow, lanesAtOnce, leaseDueLanes, leaseLanesOfEvents, type Outcome, settle } from './lanes.ts';
import { type InboxClient, send } from './send.ts';

type OutboxNotices = {
  publish(topic: 'outbox', payload: { service: string }): void;
  subscribe(topic: 'outbox', handler: (payload: { service: string }) => void): unknown;
};

export type RelayOptions = {
  readonly db: Database;
  readonly service: string;
  readonly clients: Readonly<Record<string, InboxClient | undefined>>;
  readonly notices?: OutboxNotices;
  readonly logger: EventLogger;
  readonly pollMs?: number;
  readonly sendTimeoutMs?: number;
};

export type Relay = {
  /**
   * Delivers the lanes of committed events; true when every subscriber applied them. `call`: whose
   * answer waits for it. Its deadline is kept: an answer after it would be taken for a failure.
   */
  deliver(
    eventIds: readonly string[],
    options?: { timeoutMs?: number; call?: { readonly deadline?: Date | number | undefined } },
  ): Promise<boolean>;
  /** Makes every replica look for due events now, for commits whose delivery no request awaits. */
  poke(): void;
  backlog(): Promise<{ pending: number; oldestSeconds: number }>;
  start(): void;
  stop(): Promise<void>;
};

const recheckMs = 20;

/** What a call leaves for a delivery: the rest is for its answer, on a busy machine too. */
function untilAnswer(deadline: Date | number): number {
  const leftMs = Number(deadline) - Date.now();
  return leftMs - Math.max(250, leftMs / 4);
}

/** At least once, in order per (key, subscriber), shared by all replicas of a service. */
export function createRelay(options: RelayOptions): Relay {
  const { db, service, clients, notices, logger, pollMs = 1_000, sendTimeoutMs = 3_000 } = options;
  // A lease outlives the request that it is for; after a crash it delays the lane by this much.
  const leaseMs = sendTimeoutMs + 1_000;
  let awaken = new AbortController();
  let running: Promise<void> | undefined;
  let isStopping = false;

  const wake = () => awaken.abort();
  const poke = () => (notices ? notices.publish('outbox', { service }) : wake());

  async function sendAndSettle(rows: readonly LaneRow[], timeoutMs: number): Promise<Outcome[]> {
    const outcomes = await send(rows, { producer: service, clients, logger, timeoutMs: Math.min(timeoutMs, sendTimeoutMs) });
    await settle(db, outcomes);
    return outcomes;
  }

  async function deliverLanes(eventIds: readonly string[], timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    for (let left = timeoutMs; eventIds.length > 0; left = deadline - Date.now()) {
      if (left <= 0) return false;
      const rows = await leaseLanesOfEvents(db, leaseMs, eventIds);
      const outcomes = await sendAndSettle(
        rows.filter(({ isLeased }) => isLeased),
        left,
      );
      if (!outcomes.every(({ isDelivered }) => isDelivered)) return false;
      if (rows.every(({ isLeased }) => isLeased)) return true;
      if (outcomes.length === 0) await sleep(recheckMs);
    }
    return true;
  }

  const deliver: Relay['deliver'] = (eventIds, { timeoutMs = 2_000, call } = {}) => {
    const mostMs = call?.deadline === undefined ? timeoutMs : Math.min(timeoutMs, untilAnswer(call.deadline));
    return deliverLanes(eventIds, mostMs).catch((error: unknown) => {
      logger.error({ err: error }, 'events could not be delivered at once; the relay goes on');
      return false;
    });
  };

  async function deliverDue(): Promise<boolean> {
    const rows = await leaseDueLanes(db, leaseMs);
    if (rows.length === 0) return false;
    if (rows.length >= lanesAtOnce) poke();
    const outcomes = await sendAndSettle(rows, sendTimeoutMs);
    return outcomes.some(({ isDelivered }) => isDelivered);
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      const goesOn = await deliverDue().catch((error: unknown) => {
        logger.error({ err: error }, 'the relay could not read or settle the outbox');
        return false;
      });
      if (goesOn) continue;
      await sleep(pollMs * (0.75 + Math.random() / 2), undefined, { signal: awaken.signal }).catch(() => undefined);
      awaken = new AbortController();
    }
  }

  notices?.subscribe('outbox', (notice) => {
    if (notice.service === service) wake();
  });

  return {
    deliver,
    poke,
    backlog: () => backlogOf(db),
    start: () => {
      running ??= run();
    },
    stop: async () => {
      isStopping = true;
      wake();
      await running;
    },
  };
}
