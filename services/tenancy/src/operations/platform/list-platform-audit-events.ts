import { annotate, type HandleContext, Id, strict, writeAudit } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { AuditEventRecord } from '../../audit/event.ts';
import { operation, type TenancyDeps } from '../../deps.ts';
import { AuditEventPage, askedOf, filters, readPage } from '../audit-events/audit-event.ts';
import { platformAdministrators } from './administrator.ts';

const action = 'tenant.audit-log-read';

export const listPlatformAuditEvents = operation({
  name: 'listPlatformAuditEvents',
  summary: 'What happened in the whole installation, newest first; each tenant of the page finds in its own log who read it',
  kind: 'query',
  input: strict({
    ...filters,
    tenantId: Type.Optional(annotate(Id, { description: 'Of one account or organization, with its projects' })),
  }),
  output: AuditEventPage,
  access: platformAdministrators,
  scopes: 'none',
  verification: 'organization',
  isolation: { unscoped: 'it writes into the logs of all tenants that it shows' },
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'SERVICE_UNAVAILABLE'],
  audit: 'platform.audit-log-read',
  events: [],
  rest: { method: 'GET', path: '/api/platform/audit-events' },
  graphql: { field: 'platformAuditEvents', type: 'AuditEventPage', items: 'auditEvents' },
  prepare: ({ tenantId, ...given }, context) =>
    readPage({ ...askedOf(given), ...(tenantId === undefined ? { isWhole: true } : { tenantId }) }, undefined, context),
  handle: async ({ tenantId, ...given }, context, page) => {
    const { cursor: _, limit: __, ...asked } = given;
    await markRead(page.items, context);
    context.audit({
      targetType: 'AuditLog',
      detail: { ...asked, ...(tenantId === undefined ? {} : { tenantId }), rows: page.items.length },
    });
    return page;
  },
});

/** The account or organization of a scope. */
function rootOf({ tenant, id }: NonNullable<AuditEventRecord['scope']>): Scope {
  return { tenant: tenant.startsWith('organization') ? 'organization' : 'account', id: id.slice(0, 36) };
}

/** One row in the log of each tenant of the page; a page that cannot be marked is not shown. */
async function markRead(items: readonly AuditEventRecord[], context: HandleContext<TenancyDeps>): Promise<void> {
  const roots = new Map(items.flatMap(({ scope }) => (scope === null ? [] : [[scope.id.slice(0, 36), rootOf(scope)] as const])));
  for (const scope of roots.values()) {
    const entry = { scope, targetType: 'AuditLog', targetId: scope.id };
    await writeAudit(context.tx, { operation: 'listPlatformAuditEvents', action, outcome: 'ok', entry }, context);
  }
}
