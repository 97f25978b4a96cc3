import { failures } from '@tessera/kernel/errors';
import { Id, Nullable, pastOf, strict, Timestamp } from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type, { type Static } from 'typebox';
import { AuditEvent, mayBeNamed, type Names, toEvent } from '../../audit/event.ts';
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
    throw failures.validation('cursor', { en: 'is not the cursor of a page', de: 'ist nicht der Cursor einer Seite' });
  const { actorId, action, outcome, targetType, targetId } = equal;
  const times = { from: timeOf('from', from), to: timeOf('to', to) };
  return { actorId, action, outcome, targetType, targetId, ...times, limit, ...(until && { until }) };
}

/** People of the scope, and those who have done something in it: no name of a stranger is told. */
async function namesFor(rows: readonly AuditRow[], scope: ParsedScope | undefined, { deps }: Context): Promise<Names> {
  const { ids, active } = mayBeNamed(rows);
  const present = scope && (await deps.database.scoped(scope, (tx) => filterPeople(tx, scope, ids), { readOnly: true }));
  const users = await usersById(deps, [...new Set([...(present ?? []), ...active])]);
  return new Map([...users].map(([id, { name }]) => [id, name]));
}

/**
 * From replicas, each of which may lack other seconds: a page ends where all of them know
 * everything, or a reader who goes on from its newest event would miss some for ever.
 */
function before(now: Date, maxStaleMs: number, { to, ...asked }: Asked): Asked {
  const newest = maxStaleMs === 0 ? undefined : new Date(now.getTime() - maxStaleMs).toISOString();
  return { ...asked, to: typeof to === 'string' && (newest === undefined || to < newest) ? to : newest };
}

export async function readPage(asked: Asked, scope: ParsedScope | undefined, context: Context): Promise<Static<typeof AuditEventPage>> {
  const maxStaleMs = pastOf(context)?.maxAgeMs ?? 0;
  const { rows, isLast } = await readAuditLogs(context.deps.auditLogs, before(context.now, maxStaleMs, asked), maxStaleMs);
  const names = await namesFor(rows, scope, context);
  const last = rows.at(-1);
  return { items: rows.map((row) => toEvent(row, names)), nextCursor: isLast || last === undefined ? null : cursorOf(last) };
}
