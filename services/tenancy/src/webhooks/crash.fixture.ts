/**
 * One life of a process that takes an event and delivers it, ended by SIGKILL at the point that it
 * is told. Arguments: the URL of the database, the point, the event.
 */
import { inboxHandler } from '@tessera/kernel/events';
import { createDatabase } from '@tessera/kernel/postgres';
import { createEventHandlers } from '../subscriptions.ts';
import { silentLogger } from '../testing/peer-events.ts';
import { createDeliverer } from './deliverer.ts';
import { createWebhookSecrets } from './secrets.ts';
import { createSender } from './sender.ts';

const [url = '', point = '', payloadJson = ''] = process.argv.slice(2);

/** Never resolves at the chosen point: nothing after it may run before the signal arrives. */
async function dieAt(here: string): Promise<void> {
  if (here !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

let hasSent = false;
const opened = createDatabase({
  url,
  schema: 'tenancy',
  restrictedRole: 'tenant_app_restricted',
  rlsEnabled: true,
  poolSize: 4,
  logger: silentLogger,
});
const database: typeof opened = {
  ...opened,
  transaction: (work, options) =>
    opened.transaction(async (tx) => {
      const result = await work(tx);
      // The one after the answer settles the attempt.
      if (hasSent) await dieAt('settling');
      return result;
    }, options),
};
const handlers = createEventHandlers(() => undefined);
const recorded = handlers['audit.recorded'];
const inbox = inboxHandler({
  db: database,
  logger: silentLogger,
  handlers: {
    ...handlers,
    'audit.recorded': async (tx, payload, event) => {
      const events = await recorded?.(tx, payload, event);
      await dieAt('recording');
      return events;
    },
  },
});
const event = { id: '0190a000-0000-7000-8000-000000000001', type: 'audit.recorded', key: 'audit', occurredAt: new Date().toISOString() };
await inbox({ producer: 'rbac', events: [{ ...event, payloadJson }] });
await dieAt('recorded');

const sender = createSender({ allowPrivate: true, timeoutMs: 2_000 });
const deliverer = createDeliverer({
  db: database,
  logger: silentLogger,
  relay: { deliver: async () => true },
  clock: () => new Date(),
  tellOwners: async () => [],
  vouching: { allows: async () => true },
  secrets: createWebhookSecrets('a secret of webhooks for tests only'),
  limits: { leaseMs: 2_500 },
  sender: {
    ...sender,
    send: async (post, signal) => {
      await dieAt('leased');
      const answer = await sender.send(post, signal);
      await dieAt('sent');
      hasSent = true;
      return answer;
    },
  },
});
deliverer.start();
