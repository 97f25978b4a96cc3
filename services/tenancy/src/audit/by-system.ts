import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';

type Change = { readonly field: string; readonly before: unknown; readonly after: unknown };
export type SystemEntry = {
  readonly operation: string;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name: string };
  readonly changes: readonly Change[];
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
};

const request = {
  ...({ id: '', transport: 'grpc', ipAddress: '', userAgent: '', language: 'en', bearerToken: undefined, cookies: {} } as const),
  origin: undefined,
  consistencyToken: undefined,
  noCache: false,
};

/** The record of a change that no person made. */
export async function auditBySystem(
  tx: Transaction,
  scope: ParsedScope,
  { operation, action, target, changes, detail = {} }: SystemEntry,
  now: Date,
): Promise<void> {
  const entry = {
    targetType: target.type,
    targetId: target.id,
    scope: { tenant: scope.tenant, id: scope.id },
    detail: { name: target.name, ...detail },
  };
  await writeAudit(tx, { operation, action, outcome: 'ok', entry, changes }, { actor: { kind: 'anonymous' }, scope, now, request });
}
