/** An audit row of any service becomes a delivery for each webhook that is subscribed to it. */
import type { EventHandlers } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { type ParsedScope, parseScope, tenants } from '@tessera/kernel/scope';
import { mayBeNamed, toEvent } from '../audit/event.ts';
import type { AuditRow } from '../peers/audit-logs.ts';
import { filterPeople, namesOfPeople } from '../storage/people.ts';
import { insertDeliveries } from '../storage/webhook-deliveries.ts';
import { listSubscribed } from '../storage/webhooks.ts';

function scopeOfRow({ scope_tenant: tenant, scope_id: id }: AuditRow): ParsedScope | undefined {
  const known = tenants.find((name) => name === tenant);
  return known === undefined || id === null ? undefined : parseScope({ tenant: known, id });
}

/** The names that the list of the log shows, from tenancy's own copy: no other service is asked. */
async function namesFor(tx: Transaction, row: AuditRow, scope: ParsedScope) {
  const { ids, active } = mayBeNamed([row]);
  const present = ids.length === 0 ? [] : await filterPeople(tx, scope, ids);
  return namesOfPeople(tx, [...new Set([...present, ...active])]);
}

/** `wake` is called once the deliveries have committed. */
export function recordedHandler(wake: () => void): NonNullable<EventHandlers['audit.recorded']> {
  return async (tx, payload) => {
    // Only the trigger of the audit log writes this event: it has the form of audit_page.
    const row = { hash: null, ...payload.row } as AuditRow;
    const scope = scopeOfRow(row);
    const webhooks = scope === undefined ? [] : await listSubscribed(tx, scope, row);
    if (scope === undefined || webhooks.length === 0) return [];
    const data = toEvent(row, await namesFor(tx, row, scope));
    const body = JSON.stringify({ type: row.action, timestamp: data.at, data });
    await insertDeliveries(tx, webhooks, { auditId: row.id, eventType: row.action, body });
    tx.afterCommit(wake);
    return [];
  };
}
