import { newId } from '../ids/index.ts';
import { type Database, statement, type Transaction } from '../postgres/index.ts';
import type { Actor, AuditEntry, OperationContext } from './context.ts';

const insertAudit = statement(
  'kernel_insert_audit',
  `INSERT INTO audit_log (id, at, operation, action, outcome, code, actor_id, actor_type, token_id, scope_tenant, scope_id,
                          target_type, target_id, ip_address, user_agent, request_id, detail)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
);

export type AuditRecord = {
  readonly operation: string;
  readonly action: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code?: string;
  readonly entry?: AuditEntry;
};

function actorColumns(actor: Actor, entry: AuditEntry): readonly (string | null)[] {
  return actor.kind === 'token'
    ? [entry.actorId ?? actor.userId, actor.claims.type, actor.claims.jti]
    : [entry.actorId ?? null, 'anonymous', null];
}

type Context = Omit<OperationContext<unknown>, 'deps'>;

/** Appends an audit row, in the change's transaction if any. Never contains a secret. */
export async function writeAudit(where: Transaction | Database, record: AuditRecord, context: Context): Promise<void> {
  await where.query(insertAudit, valuesOf(record, context));
}

/** The same, sent together with the COMMIT, when nothing else is written afterwards. */
export function writeAuditLast(tx: Transaction, record: AuditRecord, context: Context): void {
  tx.last(insertAudit, valuesOf(record, context));
}

function valuesOf(record: AuditRecord, { actor, scope, request, now }: Context): readonly unknown[] {
  const { operation, action, outcome, code = null, entry = {} } = record;
  return [
    newId(),
    now,
    operation,
    action,
    outcome,
    code,
    ...actorColumns(actor, entry),
    scope?.tenant ?? null,
    scope?.id ?? null,
    entry.targetType ?? null,
    entry.targetId ?? null,
    request.ipAddress,
    request.userAgent.slice(0, 512),
    request.id,
    JSON.stringify(entry.detail ?? {}),
  ];
}
