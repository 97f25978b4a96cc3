import { newId } from '../ids/index.ts';
import { type Database, statement, type Transaction, type Values } from '../postgres/index.ts';
import { type Claims, holderTypeOf } from '../tokens/index.ts';
import type { AuditEntry, OperationContext } from './context.ts';

/** A field that a change has changed. */
export type Change = { readonly field: string; readonly before: unknown; readonly after: unknown };

export type AuditRecord = {
  readonly operation: string;
  readonly action: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code?: string;
  readonly entry?: AuditEntry;
  readonly changes?: readonly Change[];
};

/** Who did it, from where and when. */
export type AuditContext = Pick<OperationContext<unknown>, 'actor' | 'scope' | 'request' | 'now'> & Partial<OperationContext<unknown>>;

const list = `id, at, operation, action, outcome, code, actor_id, actor_type, token_id, app_id, scope_tenant, scope_id, target_type, target_id,
  detail, changes, ip_address, user_agent, request_id`;
const columns = list.split(/,\s+/);
const insert = statement('audit_insert', `INSERT INTO audit_log (${list}) VALUES (${columns.map((_, index) => `$${index + 1}`).join()})`);

function valuesOf({ entry = {}, changes = [], ...record }: AuditRecord, { actor, request, now, ...context }: AuditContext): Values {
  const claims = actor.kind === 'token' ? actor.claims : undefined;
  const { tenant = null, id: scopeId = null } = entry.scope ?? context.scope ?? {};
  return [
    newId(),
    now.toISOString(),
    record.operation,
    entry.action ?? record.action,
    entry.outcome ?? record.outcome,
    entry.code ?? record.code ?? null,
    entry.actorId ?? claims?.sub ?? null,
    claims === undefined ? 'anonymous' : holderTypeOf(claims),
    // Of a service account the credential: its tokens are many.
    claims?.service?.credentialId ?? claims?.jti ?? null,
    claims?.type === 'projectApp' ? claims.aud : null,
    tenant,
    scopeId,
    entry.targetType ?? null,
    entry.targetId ?? null,
    { ...entry.detail, ...actingFor(claims) },
    JSON.stringify(changes),
    request.ipAddress,
    request.userAgent.slice(0, 512),
    request.id,
  ];
}

/** Who acts besides the subject: apps, the newest of which is the token's, or a supporter. */
function actingFor(claims: Claims | undefined): object {
  if (claims?.support !== undefined) return { support: { id: claims.support.id, supporterId: claims.support.supporterId } };
  return claims?.actors === undefined ? {} : { actors: claims.actors.map(({ clientId }) => clientId) };
}

export async function writeAudit(where: Transaction | Database, record: AuditRecord, context: AuditContext): Promise<void> {
  await where.query(insert, valuesOf(record, context));
}

/** The same of each record, sent together with the COMMIT: nothing else is written afterwards. */
export function writeAuditsLast(tx: Transaction, records: readonly AuditRecord[], context: AuditContext): void {
  const [only, another] = records;
  if (another !== undefined) tx.last(insertMany, rowsOf(records, context));
  else if (only !== undefined) tx.last(insert, valuesOf(only, context));
}

/** The row of a change that another service commits, as a message to that service. */
export function auditMessage(record: AuditRecord, context: AuditContext): string {
  return JSON.stringify(rowOf(record, context));
}

function rowOf(record: AuditRecord, context: AuditContext): object {
  return Object.fromEntries(valuesOf(record, context).map((value, index) => [columns[index], value]));
}

/** One statement for any number of rows: an insert for each costs several times as much. */
const insertMany = statement(
  'audit_insert_many',
  `INSERT INTO audit_log (${list}) SELECT ${list} FROM jsonb_populate_recordset(NULL::audit_log, $1::jsonb)`,
);

function rowsOf(records: readonly AuditRecord[], context: AuditContext): Values {
  return [JSON.stringify(records.map((record) => ({ ...rowOf(record, context), changes: record.changes ?? [] })))];
}

/** The rows of a change of many. */
export async function writeAudits(tx: Transaction, records: readonly AuditRecord[], context: AuditContext): Promise<void> {
  if (records.length > 0) await tx.query(insertMany, rowsOf(records, context));
}

/** At its receiver, in the transaction of the change: both commit or neither. */
export async function writeAuditMessage(tx: Transaction, message: string): Promise<void> {
  const row = JSON.parse(message);
  const values = columns.map((name) => row[name] ?? null);
  await tx.query(insert, values);
}

const page = statement('audit_page', 'SELECT audit_page($1::jsonb)::text AS row');

/** The last acts of apps for people, each where it acts; getting a token is one of them. */
const actsOfApps = statement(
  'audit_acts_of_apps',
  `SELECT json_build_object('key', a.key, 'at', e.at, 'action', e.action, 'outcome', e.outcome)::text AS row
   FROM jsonb_to_recordset($1::jsonb->'acts') AS a(key text, "personId" uuid, "clientId" text, "appId" text, "rootId" text)
   CROSS JOIN LATERAL (
     SELECT at, action, outcome FROM audit_log
     WHERE actor_id = a."personId" AND at >= ($1::jsonb->>'from')::timestamptz AND tenant_id = a."rootId"
       AND (app_id = a."clientId" OR (target_id = a."appId" AND action IN ('openid.token', 'project-oauth.login')))
     ORDER BY at DESC, id DESC LIMIT ($1::jsonb->>'limit')::integer) AS e`,
);

/** The last acts of a person by one token each: those of a supporter. */
const actsOfTokens = statement(
  'audit_acts_of_tokens',
  `SELECT json_build_object('key', a.key, 'at', e.at, 'action', e.action, 'outcome', e.outcome)::text AS row
   FROM jsonb_to_recordset($1::jsonb->'tokens') AS a(key text, "personId" uuid, "tokenId" text)
   CROSS JOIN LATERAL (
     SELECT at, action, outcome FROM audit_log
     WHERE actor_id = a."personId" AND at >= ($1::jsonb->>'from')::timestamptz AND token_id = a."tokenId"
     ORDER BY at DESC, id DESC LIMIT ($1::jsonb->>'limit')::integer) AS e`,
);

/**
 * A page of this service's log, newest first; with `acts` or `tokens` the last acts of apps or
 * supporters, in no order. The service that asks has authorized it.
 */
export async function listAudit(
  database: Database,
  { askedJson, maxStaleMs = 0 }: { readonly askedJson: string; readonly maxStaleMs?: number },
): Promise<{ rowsJson: string[] }> {
  const asked: unknown = JSON.parse(askedJson);
  const has = (name: string) => asked instanceof Object && name in asked;
  const query = has('acts') ? actsOfApps : has('tokens') ? actsOfTokens : page;
  const past = maxStaleMs > 0 ? { maxAgeMs: maxStaleMs } : undefined;
  const rows = await database.transaction((tx) => tx.query<{ row: string }>(query, [askedJson]), { readOnly: true, past });
  return { rowsJson: rows.map(({ row }) => row) };
}
