/** A target that has failed for three days is switched off, and people are told. */
import { emit, type OutgoingEvent } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { scopeOfTenant } from '../domain/webhook.ts';
import { webhooksWatched } from '../events.ts';
import { disableWebhook, type Leased } from '../storage/webhook-deliveries.ts';
import { countWebhooks } from '../storage/webhooks.ts';
import { auditBySystem } from './system-audit.ts';

/**
 * Call it with the scope locked. Returns the ids of events that are to be delivered once this has
 * committed.
 */
export async function disable(tx: Transaction, delivery: Leased, letters: readonly OutgoingEvent[], now: Date): Promise<string[]> {
  const scope = scopeOfTenant(delivery);
  const off = await disableWebhook(tx, delivery.webhookId, new Date(delivery.failingSince ?? now));
  if (off === undefined) return [];
  const { active } = await countWebhooks(tx, scope);
  const ids = await emit(tx, [...letters, ...(active === 0 ? [webhooksWatched(scope, false)] : [])]);
  const changes = [{ field: 'isActive', before: true, after: false }];
  await auditBySystem(tx, scope, { action: 'webhook.disabled', webhook: off, changes }, now);
  return ids;
}
