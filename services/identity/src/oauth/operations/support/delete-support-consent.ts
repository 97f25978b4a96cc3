import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { endSupportOfConsent, deleteSupportConsent as take } from '../../../apps/storage/support-accesses.ts';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';

export const deleteSupportConsent = operation({
  name: 'deleteSupportConsent',
  summary: 'Withdraw a standing consent; what was begun by it ends at once',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Success,
  access: { permission: 'SupportAccess:Revoke' },
  scopes: ['organization'],
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: 'support.consent-withdrawn',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/support-consents/:id' },
  graphql: { field: 'deleteSupportConsent', type: 'SuccessResult' },

  async handle({ id }, context) {
    const { tx, deps, now, audit } = context;
    const consent = await take(tx, scopeOf(context).id, id);
    if (consent === undefined) throw failures.notFound('SupportConsent');
    audit({ targetType: 'SupportConsent', targetId: id, detail: { project: consent.projectScopeId } });
    return deps.revoker.revokeSessions(tx, await endSupportOfConsent(tx, id, now), now);
  },

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
