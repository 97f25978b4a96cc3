/** The logs of all services as one, newest first. */

import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Change } from '@tessera/kernel/operation';

type Log = Pick<GrpcClient<'audit.v1.AuditLog'>, 'list'>;
export type AuditLogs = Readonly<Record<'identity' | 'tenancy' | 'rbac' | 'keys', Log>>;

/** A row of `audit_page`. The time has microseconds and an offset of 0, so that texts compare. */
export type AuditRow = {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'ok' | 'refused' | 'failed';
  readonly code: string | null;
  readonly actor_id: string | null;
  readonly actor_type: string | null;
  readonly token_id: string | null;
  readonly app_id: string | null;
  readonly scope_tenant: string | null;
  readonly scope_id: string | null;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly changes: readonly Change[] | null;
  readonly hash: string | null;
};

export type Place = Pick<AuditRow, 'at' | 'id'>;

/** One of tenantId, scopeId and personId, and filters. */
export type Asked = Readonly<Record<string, unknown>> & { readonly limit: number; readonly until?: Place };

function isNewer(one: AuditRow, other: AuditRow): number {
  if (one.at !== other.at) return one.at > other.at ? -1 : 1;
  return one.id > other.id ? -1 : 1;
}

/** Fails when one of the services does not answer: a page with gaps would tell lies. */
export async function readAuditLogs(
  logs: AuditLogs,
  asked: Asked,
  maxStaleMs = 0,
): Promise<{ rows: readonly AuditRow[]; isLast: boolean }> {
  const askedJson = JSON.stringify({ ...asked, limit: asked.limit + 1 });
  const pages = await Promise.all(Object.values(logs).map((log) => log.list({ askedJson, maxStaleMs }, { timeoutMs: 5_000 })));
  // audit_page is the only thing that writes these texts.
  const rows = pages.flatMap(({ rowsJson }) => rowsJson.map((row) => JSON.parse(row) as AuditRow)).toSorted(isNewer);
  return { rows: rows.slice(0, asked.limit), isLast: rows.length <= asked.limit };
}

export function cursorOf({ at, id }: Place): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

const cursor = /^\["(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?\+00:00)","([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"\]$/;

/** JavaScript takes February 30 for a day of March; Postgres refuses it, and the year 0. */
function isRealTime(at: string): boolean {
  const time = new Date(at);
  return !Number.isNaN(time.getTime()) && time.getUTCFullYear() > 0 && time.toISOString().startsWith(at.slice(0, 19));
}

/** Undefined for a text that is no cursor. */
export function readCursor(text: string): Place | undefined {
  const [, at, id] = cursor.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  return at === undefined || id === undefined || !isRealTime(at) ? undefined : { at, id };
}
