import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { takeConsentByClient } from '../../../apps/storage/project-app-consents.ts';
import { Success } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { endGrants } from '../../openid/end-grants.ts';

export const deleteMyConsent = operation({
  name: 'deleteMyConsent',
  summary: 'Withdraw what the caller allowed an app; the tokens that it gave end at once',
  kind: 'mutation',
  input: strict({ clientId: Type.String({ minLength: 1, maxLength: 200 }) }),
  output: Success,
  access: { signedIn: 'withdraws the caller’s own consent only' },
  scopes: 'none',
  verification: { exempt: 'to take back what an app may do is always allowed' },
  errors: ['NOT_FOUND'],
  audit: 'consent.withdrawn',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/consents/:clientId' },
  graphql: { field: 'deleteMyConsent', type: 'SuccessResult' },

  async handle({ clientId }, context) {
    const { tx, deps, now, audit } = context;
    const { userId } = callerOf(context);
    const projectAppId = await takeConsentByClient(tx, userId, clientId);
    if (projectAppId === undefined) throw failures.notFound('ProjectAppConsent');
    audit({ targetType: 'ProjectApp', targetId: projectAppId, detail: { clientId } });
    return endGrants(tx, { userId, projectAppId }, deps.revoker, now);
  },

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    return { success: true };
  },
});
