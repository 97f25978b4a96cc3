import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliverRequest, DeliverResponse } from '@tessera/proto/types/events.v1';
import type { EventLogger } from './event.ts';
import type { LaneRow, Outcome } from './lanes.ts';

export type InboxClient = { deliver(request: DeliverRequest, options?: { timeoutMs?: number }): Promise<DeliverResponse> };

async function timeout(ms: number, signal: AbortSignal): Promise<never> {
  await sleep(ms, undefined, { signal });
  throw new Error(`No answer within ${ms} ms.`);
}

/** The first event of a lane that was not accepted waits, and so all behind it. */
function outcomesOf(rows: readonly LaneRow[], accepted: ReadonlySet<string>): Outcome[] {
  const stopped = new Set<string>();
  const outcomes: Outcome[] = [];
  for (const { seq, id, key } of rows) {
    if (stopped.has(key)) continue;
    const isDelivered = accepted.has(id);
    if (!isDelivered) stopped.add(key);
    outcomes.push({ seq, isDelivered });
  }
  return outcomes;
}

export type SendOptions = {
  readonly producer: string;
  readonly clients: Readonly<Record<string, InboxClient | undefined>>;
  readonly timeoutMs: number;
  readonly logger: EventLogger;
};

async function sendTo(
  subscriber: string,
  rows: readonly LaneRow[],
  { producer, clients, timeoutMs, logger }: SendOptions,
): Promise<Outcome[]> {
  const timer = new AbortController();
  try {
    const client = clients[subscriber];
    if (!client) throw new Error(`There is no client for the subscriber '${subscriber}'.`);
    const events = rows.map(({ id, type, key, payloadJson, occurredAt }) => ({ id, type, key, payloadJson, occurredAt }));
    const answer = client.deliver({ producer, events }, { timeoutMs });
    const { accepted } = await Promise.race([answer, timeout(timeoutMs, timer.signal)]);
    const outcomes = outcomesOf(rows, new Set(accepted));
    const refused = outcomes.filter(({ isDelivered }) => !isDelivered).length;
    if (refused > 0) logger.warn({ subscriber, refused }, 'a subscriber could not apply some events yet');
    return outcomes;
  } catch (error) {
    logger.warn({ err: error, subscriber, events: rows.length }, 'events could not be delivered and will be tried again');
    return outcomesOf(rows, new Set());
  } finally {
    timer.abort();
  }
}

export async function send(rows: readonly LaneRow[], options: SendOptions): Promise<Outcome[]> {
  const bySubscriber = Map.groupBy(rows, ({ subscriber }) => subscriber);
  const outcomes = await Promise.all([...bySubscriber].map(([subscriber, own]) => sendTo(subscriber, own, options)));
  return outcomes.flat();
}
