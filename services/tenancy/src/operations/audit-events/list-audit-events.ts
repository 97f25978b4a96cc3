import { scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { rootId, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { AuditEventPage, askedOf, filters, readPage } from './audit-event.ts';

export const listAuditEvents = operation({
  name: 'listAuditEvents',
  summary: 'What happened in a scope, newest first: every change, refusal and sign-in, from all services',
  kind: 'query',
  input: strict({
    ...scopeField,
    ...filters,
    includeProjects: Type.Optional(
      Type.Boolean({ description: 'default true; false leaves the projects of an account or organization out' }),
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
  handle: ({ includeProjects = true, ...given }, context) => {
    const scope = scopeOf(context);
    const isWhole = includeProjects && scope.projectId === undefined;
    const whose = isWhole ? { tenantId: rootId(scope) } : { scopeId: scope.id };
    return readPage({ ...askedOf(given), ...whose }, scope, context);
  },
});
