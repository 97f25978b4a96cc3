import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { endSupportOfConsent, replaceSupportConsent } from '../../../apps/storage/support-accesses.ts';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { isOwner } from '../../../sign-in/operations/connections/connection.ts';
import { operation } from '../../deps.ts';
import { consentFields, requirePerson } from './support-access.ts';
import { SupportConsent, toSupportConsents } from './support-consent.ts';

const dayMs = 86_400_000;

export const createSupportConsent = operation({
  name: 'createSupportConsent',
  summary:
    'Let supporters of a project that the organization uses begin without asking, for some days; never as an Owner. Replaces the one before',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    ownerOrganizationId: Id,
    projectId: Id,
    days: Type.Integer({ minimum: 1, maximum: 30 }),
    ...consentFields,
  }),
  output: SupportConsent,
  access: { permission: 'SupportAccess:Grant' },
  scopes: ['organization'],
  verification: 'by-scope',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'support.consent-given',
  events: [],
  leaves: { ends: 'after its days, and when it is withdrawn; each access is told to the person, who can end it' },
  rest: { method: 'POST', path: '/api/support-consents', status: 201 },
  graphql: { field: 'createSupportConsent', type: 'SupportConsent' },

  async prepare({ ownerOrganizationId, projectId }, context) {
    const { userId } = requirePerson(context);
    if (!(await isOwner(context))) throw failures.forbidden();
    const { id: organizationId } = scopeOf(context);
    const project = wireScope({ tenant: 'organizationProject', id: `${ownerOrganizationId}:${projectId}` });
    const { customers } = await context.deps.tenancy.listPlaces({ userId, project, organizationId });
    if (!customers.some((customer) => customer.organizationId === organizationId)) throw failures.notFound('Project');
    return { organizationId, projectScopeId: project.id, givenBy: userId };
  },

  async handle({ days, mayWrite = false, mayExport = false }, { tx, deps, now, audit }, given) {
    await holdScope(tx, given.organizationId);
    const endsAt = new Date(now.getTime() + days * dayMs).toISOString();
    const consent = { id: newId(), ...given, mayWrite, mayExport, givenAt: now.toISOString(), endsAt };
    const before = await replaceSupportConsent(tx, consent);
    const ended = before === undefined ? [] : await endSupportOfConsent(tx, before, now);
    audit({ targetType: 'SupportConsent', targetId: consent.id, detail: { project: given.projectScopeId, mayWrite, mayExport, endsAt } });
    return { consent, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ consent, revocations }, context) {
    context.deps.revoker.announce(revocations);
    const [shown] = await toSupportConsents([consent], context);
    if (shown === undefined) throw failures.notFound('SupportConsent');
    return shown;
  },
});
