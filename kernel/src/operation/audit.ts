import { sql } from 'kysely';
import { newId } from '../ids/index.ts';
import {
  type Change,
  type Database,
  type kernelTables,
  type Params,
  queryBuilder,
  statement,
  type Transaction,
} from '../postgres/index.ts';
import type { AuditEntry, OperationContext } from './context.ts';

export type AuditRecord = {
  readonly operation: string;
  readonly action: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code?: string;
  readonly entry?: AuditEntry;
  readonly changes?: readonly Change[];
};

type Context = Pick<OperationContext<unknown>, 'actor' | 'scope' | 'request' | 'now'> & Partial<OperationContext<unknown>>;

function rowOf({ entry = {}, ...record }: AuditRecord, { actor, request, now, ...context }: Context) {
  const token = actor.kind === 'token' ? actor : undefined;
  const scope = entry.scope ?? context.scope;
  return {
    ...{ id: newId(), at: now.toISOString(), operation: record.operation, action: entry.action ?? record.action },
    ...{ outcome: entry.outcome ?? record.outcome, code: entry.code ?? record.code ?? null },
    ...{
      actorId: entry.actorId ?? token?.userId ?? null,
      actorType: token?.claims.type ?? 'anonymous',
      tokenId: token?.claims.jti ?? null,
      appId: token?.claims.type === 'projectApp' ? token.claims.aud : null,
    },
    ...{ scopeTenant: scope?.tenant ?? null, scopeId: scope?.id ?? null },
    ...{
      targetType: entry.targetType ?? null,
      targetId: entry.targetId ?? null,
      detail: entry.detail ?? {},
      changes: JSON.stringify(record.changes ?? []),
    },
    ...{ ipAddress: request.ipAddress, userAgent: request.userAgent.slice(0, 512), requestId: request.id },
  };
}

const insert = statement('audit_insert', (p: Params<ReturnType<typeof rowOf>>) =>
  queryBuilder<typeof kernelTables>()
    .insertInto('audit_log')
    .values({
      ...{ id: p.id, at: p.at, operation: p.operation, action: p.action, outcome: p.outcome, code: p.code },
      ...{ actorId: p.actorId, actorType: p.actorType, tokenId: p.tokenId, scopeTenant: p.scopeTenant, scopeId: p.scopeId },
      ...{
        targetType: p.targetType,
        targetId: p.targetId,
        detail: p.detail,
        changes: sql<readonly Change[]>`${p.changes}`,
        appId: p.appId,
      },
      ...{ ipAddress: p.ipAddress, userAgent: p.userAgent, requestId: p.requestId },
    }),
);

export async function writeAudit(where: Transaction | Database, record: AuditRecord, context: Context): Promise<void> {
  await where.query(insert, rowOf(record, context));
}

/** The same, sent together with the COMMIT, when nothing else is written afterwards. */
export function writeAuditLast(tx: Transaction, record: AuditRecord, context: Context): void {
  tx.last(insert, rowOf(record, context));
}

const page = statement('audit_page', 'SELECT audit_page($1::jsonb)::text AS row');

/** A page of this service's log, newest first. */
export async function listAudit(database: Database, { askedJson }: { readonly askedJson: string }): Promise<{ rowsJson: string[] }> {
  const rows = await database.query<{ row: string }>(page, [askedJson]);
  return { rowsJson: rows.map(({ row }) => row) };
}
