import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { allowSupportAccess, findSupportAccess, lockSupportAccess } from '../../../apps/storage/support-accesses.ts';
import { isOwner } from '../../../sign-in/operations/connections/connection.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import {
  assertActable,
  assertIn,
  auditThere,
  beginWithinMs,
  consentFields,
  entryOf,
  requirePerson,
  SupportAccess,
  toSupportAccess,
} from './support-access.ts';
import { queueMails, readToTell } from './tell.ts';

export const grantSupportAccess = operation({
  name: 'grantSupportAccess',
  summary: 'Let a supporter act as a person of the organization, for the time that was asked for; for an Owner only an Owner can',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...consentFields }),
  output: SupportAccess,
  access: { permission: 'SupportAccess:Grant' },
  scopes: ['organization'],
  verification: 'by-scope',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'CONNECTION_REQUIRED', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'support.granted',
  events: [],
  leaves: { ends: 'by the clock, four hours after its beginning at the latest, and when anybody concerned ends it' },
  rest: { method: 'POST', path: '/api/support-access/:id/grant' },
  graphql: { field: 'grantSupportAccess', type: 'SupportAccess' },

  async prepare({ id }, context) {
    const { userId } = requirePerson(context);
    const row = assertIn(await findSupportAccess(context.deps.database, id), context);
    if (row.supporterId === userId) throw errors.supportByOneself();
    if ((await assertActable(row, context)) && !(await isOwner(context))) throw failures.forbidden();
    return { toTell: await readToTell(row, [row.supporterId, row.userId], context.deps) };
  },

  async handle({ id, mayWrite = false, mayExport = false }, context, { toTell }) {
    const { tx, deps, now, audit, request } = context;
    const row = assertIn(await lockSupportAccess(tx, id), context);
    if (row.status !== 'requested' || Date.parse(row.endsAt) <= now.getTime()) throw errors.supportNotOpen();
    const decision = {
      decidedBy: requirePerson(context).userId,
      decidedAt: now.toISOString(),
      mayWrite,
      mayExport,
      endsAt: new Date(now.getTime() + beginWithinMs).toISOString(),
    };
    await allowSupportAccess(tx, id, decision);
    const allowed = { ...row, ...decision, status: 'allowed' } as const;
    await queueMails(tx, 'support-allowed', allowed, toTell, { deps, now, language: request.language });
    audit(entryOf(allowed));
    await auditThere(tx, 'support.granted', allowed, context);
    return allowed;
  },

  async complete(row, context) {
    context.deps.mailer.poke();
    return toSupportAccess(row, context);
  },
});
