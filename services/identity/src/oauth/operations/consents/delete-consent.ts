import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { projectTenants, requireProjectApp } from '../../../apps/operations/project-app.ts';
import { deleteConsent } from '../../../apps/storage/project-app-consents.ts';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { endGrants } from '../../openid/end-grants.ts';

export const deleteProjectAppConsent = operation({
  name: 'deleteProjectAppConsent',
  summary: 'Withdraw what a person allowed an app; the tokens that it gave end at once',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, userId: Id }),
  output: Success,
  access: { permission: 'User:ExportData' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: 'project-app.consent-withdrawn',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/project-apps/:id/consents/:userId' },
  graphql: { field: 'deleteProjectAppConsent', type: 'SuccessResult' },

  async prepare({ id }, context) {
    await requireProjectApp(id, context);
  },

  async handle({ id, userId }, { tx, deps, now, audit }) {
    if (!(await deleteConsent(tx, userId, id))) throw failures.notFound('ProjectAppConsent');
    audit({ targetType: 'ProjectApp', targetId: id, detail: { userId } });
    return endGrants(tx, { userId, projectAppId: id }, deps.revoker, now);
  },

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
