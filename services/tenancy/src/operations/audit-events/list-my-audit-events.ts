import { callerOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { AuditEventPage, askedOf, filters, readPage } from './audit-event.ts';

export const listMyAuditEvents = operation({
  name: 'listMyAuditEvents',
  summary: 'What the caller did, wherever it was, and sign-ins to their account that were refused',
  kind: 'query',
  input: strict(filters),
  output: AuditEventPage,
  access: { signedIn: 'shows the caller’s own acts only' },
  scopes: 'none',
  verification: 'by-scope',
  isolation: { none: 'each service reads its own log' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/me/audit-events' },
  graphql: { field: 'myAuditEvents', type: 'AuditEventPage', items: 'auditEvents' },
  handle: (given, context) => readPage({ ...askedOf(given), personId: callerOf(context).userId }, undefined, context),
});
