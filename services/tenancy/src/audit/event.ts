/** A record of the log as the API and webhooks show it. */
import { Id, Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import type { AuditRow } from '../peers/audit-logs.ts';

const Value = Type.Unknown({ description: 'Any JSON value' });

export const AuditEvent = strict({
  id: Id,
  at: Timestamp,
  action: Type.String({ examples: ['role.created'] }),
  outcome: Type.Enum(['ok', 'refused', 'failed']),
  reason: Nullable(Type.String({ description: 'Why it was refused or failed', examples: ['FORBIDDEN'] })),
  actor: strict(
    {
      type: Type.Enum(['user', 'key', 'app', 'serviceAccount', 'anonymous', 'system']),
      id: Nullable(Id),
      name: Nullable(Type.String()),
      keyId: Nullable(Type.String()),
      appId: Nullable(Type.String()),
      credentialId: Nullable(Type.String({ description: 'The credential of a service account' })),
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

const actorTypes: Readonly<Record<string, AuditEventRecord['actor']['type']>> = {
  session: 'user',
  apiKey: 'key',
  projectApp: 'app',
  serviceAccount: 'serviceAccount',
};

function actorOf({ actor_id: id, actor_type: given, token_id: tokenId, app_id: appId, user_agent: userAgent }: AuditRow, names: Names) {
  const type = actorTypes[given ?? ''] ?? (id !== null ? 'user' : userAgent === '' ? 'system' : 'anonymous');
  const credentialId = type === 'serviceAccount' ? tokenId : null;
  return { type, id, name: names.get(id ?? '') ?? null, keyId: type === 'key' ? tokenId : null, appId, credentialId };
}

export type Names = ReadonlyMap<string, string>;
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

/** Who acted as the person, when support did: by name where it is known. */
function detailOf(detail: AuditRow['detail'], names: Names): Record<string, unknown> {
  const support = supportOf(detail);
  const name = names.get(support?.supporterId ?? '');
  return { ...detail, ...(support && name !== undefined ? { support: { ...support, name } } : {}) };
}

function supportOf(detail: AuditRow['detail']): { readonly supporterId: string } | undefined {
  const { support } = Object(detail) as { readonly support?: unknown };
  const { supporterId } = Object(support) as { readonly supporterId?: unknown };
  return typeof supporterId === 'string' ? { ...Object(support), supporterId } : undefined;
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
    detail: detailOf(detail, names),
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
  const active = rows.flatMap(({ outcome, actor_id: id, detail }) => {
    const supporter = supportOf(detail)?.supporterId;
    return outcome === 'ok' ? [id, supporter].filter((one) => typeof one === 'string') : [];
  });
  return { ids: [...new Set(named.filter((id) => id !== null))], active };
}
