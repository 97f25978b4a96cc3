import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import * as audit from '../audit/by-system.ts';

type Entry = Pick<audit.SystemEntry, 'action' | 'changes' | 'detail'> & { readonly webhook: { readonly id: string; readonly url: string } };

/** The record of a change of a webhook that no person made. */
export function auditBySystem(tx: Transaction, scope: ParsedScope, { webhook: { id, url }, ...entry }: Entry, now: Date): Promise<void> {
  return audit.auditBySystem(tx, scope, { operation: 'deliverWebhook', target: { type: 'Webhook', id, name: url }, ...entry }, now);
}
