import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';

type Change = { readonly field: string; readonly before: unknown; readonly after: unknown };
type Entry = {
  readonly action: string;
  readonly webhook: { readonly id: string; readonly url: string };
  readonly changes: readonly Change[];
  readonly detail?: Readonly<Record<string, unknown>>;
};

const request = {
  ...({ id: '', transport: 'grpc', ipAddress: '', userAgent: '', language: 'en', bearerToken: undefined, cookies: {} } as const),
  origin: undefined,
  consistencyToken: undefined,
  noCache: false,
};

/** The record of a change of a webhook that no person made. */
export async function auditBySystem(
  tx: Transaction,
  scope: ParsedScope,
  { action, webhook, changes, detail = {} }: Entry,
  now: Date,
): Promise<void> {
  const entry = {
    targetType: 'Webhook',
    targetId: webhook.id,
    scope: { tenant: scope.tenant, id: scope.id },
    detail: { name: webhook.url, ...detail },
  };
  await writeAudit(
    tx,
    { operation: 'deliverWebhook', action, outcome: 'ok', entry, changes },
    { actor: { kind: 'anonymous' }, scope, now, request },
  );
}
