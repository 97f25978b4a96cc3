import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import { type Asked, type AuditRow, cursorOf, readAuditLogs, readCursor } from '../../peers/audit-logs.ts';
import { usersById } from '../../peers/records.ts';
import { filterPeople } from '../../storage/people.ts';
import type { Context } from '../related.ts';

const Text = Type.String({ minLength: 1, maxLength: 200 });

export const filters = {
  actorId: Type.Optional(Id),
  action: Type.Optional(Text),
  outcome: Type.Optional(Type.Enum(['ok', 'refused', 'failed'])),
  targetType: Type.Optional(Text),
  targetId: Type.Optional(Text),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'nextCursor of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'default 50' })),
};

const Value = Type.Unknown({ description: 'Any JSON value' });

export const AuditEvent = strict({
  id: Id,
  at: Timestamp,
  action: Type.String({ examples: ['role.created'] }),
  outcome: Type.Enum(['ok', 'refused', 'failed']),
  reason: Nullable(Type.String({ description: 'Why it was refused or failed', examples: ['FORBIDDEN'] })),
  actor: strict(
    {
      type: Type.Enum(['user', 'key', 'app', 'anonymous', 'system']),
      id: Nullable(Id),
      name: Nullable(Type.String()),
      keyId: Nullable(Type.String()),
      appId: Nullable(Type.String()),
    },
    { description: 'A key and an app act on behalf of the person of `id`; a name is shown for people of the scope' },
  ),
  scope: Nullable(strict({ tenant: Type.String(), id: Type.String() })),
  target: strict({ type: Nullable(Type.String()), id: Nullable(Type.String()), name: Nullable(Type.String()) }),
  changes: Type.Array(strict({ field: Type.String(), before: Value, after: Value })),
  detail: Type.Record(Type.String(), Type.Unknown()),
  ipAddress: Nullable(Type.String()),
  userAgent: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  hash: Nullable(Type.String({ description: 'Its link in the chain of the tenant, once sealed' })),
});
export type AuditEventRecord = Static<typeof AuditEvent>;

export const AuditEventPage = strict({ items: Type.Array(AuditEvent), nextCursor: Nullable(Type.String()) });

type Filters = { [Name in keyof typeof filters]?: Static<(typeof filters)[Name]> | undefined };

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

function timeOf(field: 'from' | 'to', text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  // Postgres has no year 0.
  if (Number.isNaN(time) || new Date(time).getUTCFullYear() < 1 || new Date(time).getUTCFullYear() > 9_999)
    throw failures.validation(field, { en: 'must be an ISO 8601 time', de: 'muss eine Zeit nach ISO 8601 sein' });
  return new Date(time).toISOString();
}

/** The question for every service: undefined fields are no conditions. */
export function askedOf({ cursor, from, to, limit = 50, ...equal }: Filters): Asked {
  const until = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && until === undefined)
    throw failures.validation('cursor', { en: 'is not the cursor of a page', de: 'ist nicht der Zeiger einer Seite' });
  const { actorId, action, outcome, targetType, targetId } = equal;
  const times = { from: timeOf('from', from), to: timeOf('to', to) };
  return { actorId, action, outcome, targetType, targetId, ...times, limit, ...(until && { until }) };
}

const actorTypes: Readonly<Record<string, AuditEventRecord['actor']['type']>> = { session: 'user', apiKey: 'key', projectApp: 'app' };

function actorOf({ actor_id: id, actor_type: given, token_id: tokenId, app_id: appId, user_agent: userAgent }: AuditRow, names: Names) {
  const type = actorTypes[given ?? ''] ?? (id !== null ? 'user' : userAgent === '' ? 'system' : 'anonymous');
  return { type, id, name: names.get(id ?? '') ?? null, keyId: type === 'key' ? tokenId : null, appId };
}

type Names = ReadonlyMap<string, string>;
const people = ['User', 'OrganizationMember'];

function targetOf({ target_type: type, target_id: id, changes, detail }: AuditRow, names: Names) {
  const renamed = changes?.find(({ field }) => field === 'name');
  const address = changes?.find(({ field }) => field === 'email');
  const name =
    renamed?.after ??
    renamed?.before ??
    address?.after ??
    address?.before ??
    detail?.['name'] ??
    (people.includes(type ?? '') ? names.get(id ?? '') : undefined);
  return { type, id, name: typeof name === 'string' ? name : null };
}

export function toEvent(row: AuditRow, names: Names): AuditEventRecord {
  const { scope_tenant: tenant, scope_id: scopeId, code: reason, changes, detail } = row;
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    action: row.action,
    outcome: row.outcome,
    reason,
    actor: actorOf(row, names),
    scope: tenant === null || scopeId === null ? null : { tenant, id: scopeId },
    target: targetOf(row, names),
    changes: [...(changes ?? [])],
    detail: { ...detail },
    ipAddress: row.ip_address || null,
    userAgent: row.user_agent || null,
    requestId: row.request_id,
    hash: row.hash,
  };
}

/** The people that rows mention, and those of them who have done something. */
export function mayBeNamed(rows: readonly AuditRow[]): { readonly ids: readonly string[]; readonly active: readonly string[] } {
  const named = rows.flatMap(({ actor_id: actor, target_type: type, target_id: target }) => [
    actor,
    people.includes(type ?? '') ? target : null,
  ]);
  const active = rows.flatMap(({ outcome, actor_id: id }) => (outcome === 'ok' && id !== null ? [id] : []));
  return { ids: [...new Set(named.filter((id) => id !== null))], active };
}

/** People of the scope, and those who have done something in it: no name of a stranger is told. */
async function namesFor(rows: readonly AuditRow[], scope: ParsedScope | undefined, { deps }: Context): Promise<Names> {
  const { ids, active } = mayBeNamed(rows);
  const present = scope && (await deps.database.scoped(scope, (tx) => filterPeople(tx, scope, ids), { readOnly: true }));
  const users = await usersById(deps, [...new Set([...(present ?? []), ...active])]);
  return new Map([...users].map(([id, { name }]) => [id, name]));
}

export async function readPage(asked: Asked, scope: ParsedScope | undefined, context: Context): Promise<Static<typeof AuditEventPage>> {
  const { rows, isLast } = await readAuditLogs(context.deps.auditLogs, asked);
  const names = await namesFor(rows, scope, context);
  const last = rows.at(-1);
  return { items: rows.map((row) => toEvent(row, names)), nextCursor: isLast || last === undefined ? null : cursorOf(last) };
}
