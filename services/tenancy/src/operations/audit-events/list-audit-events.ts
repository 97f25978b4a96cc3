import { type HandleContext, pastOf, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { type ParsedScope, rootId, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation, type TenancyDeps } from '../../deps.ts';
import { listEndedOrganizations } from '../../storage/ended-organizations.ts';
import { AuditEventPage, askedOf, filters, readPage } from './audit-event.ts';

/** What `prepare` says: a page of the log is shown, or the log is taken along as a file. */
export type Reading = { readonly forExport: boolean };

/**
 * An account, and the deleted organizations whose log its owner could read, or export, until the
 * end.
 */
async function tenantsOf(scope: ParsedScope, { forExport }: Reading, context: HandleContext<TenancyDeps>) {
  const tenantId = rootId(scope);
  const ended =
    scope.tenant === 'account'
      ? await context.deps.database.scoped(scope, (tx) => listEndedOrganizations(tx, forExport), { readOnly: true, past: pastOf(context) })
      : [];
  // A service of the version before reads `tenantId` alone.
  return ended.length === 0 ? { tenantId } : { tenantId, tenantIds: [tenantId, ...ended] };
}

export const listAuditEvents = operation({
  name: 'listAuditEvents',
  summary: 'What happened in a scope, newest first: every change, refusal and sign-in, from all services',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...filters,
    includeProjects: Type.Optional(
      Type.Boolean({
        description:
          'default true; false leaves out the projects of an account or organization, and the deleted organizations of an account',
      }),
    ),
  }),
  output: AuditEventPage,
  access: { permission: 'AuditEvent:Query' },
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'each service reads its own log' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/audit-events' },
  graphql: { field: 'auditEvents', type: 'AuditEventPage', items: 'auditEvents' },
  prepare: async (): Promise<Reading> => ({ forExport: false }),
  handle: async ({ includeProjects = true, ...given }, context, reading) => {
    const scope = scopeOf(context);
    const isWhole = includeProjects && scope.projectId === undefined;
    const whose = isWhole ? await tenantsOf(scope, reading, context) : { scopeId: scope.id };
    return readPage({ ...askedOf(given), ...whose }, scope, context);
  },
});
