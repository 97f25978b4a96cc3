import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { stopRulesOfCredential } from '../../storage/client-documents.ts';
import { deleteArtifactsOfApps } from '../../storage/openid-artifacts.ts';
import { takeTokensOfApps } from '../../storage/project-app-tokens.ts';
import { stopAppsOfCredential } from '../../storage/project-apps.ts';
import { deleteServiceCredential, lockServiceAccount } from '../../storage/service-accounts.ts';
import {
  assertMayDirect,
  requireServiceAccount,
  ServiceAccountCredential,
  serviceScopeOf,
  serviceTenants,
  targetOf,
  toCredential,
} from './service-account.ts';

export const deleteServiceAccountCredential = operation({
  name: 'deleteServiceAccountCredential',
  summary: 'Remove a credential of a service account; the tokens that it got, and the apps and webhooks that it made, end at once',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, credentialId: Id }),
  output: ServiceAccountCredential,
  access: { permission: 'ServiceAccount:Update', target: targetOf },
  scopes: serviceTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'service-account.credential-deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/service-accounts/:id/credentials/:credentialId' },
  graphql: { field: 'deleteServiceAccountCredential', type: 'ServiceAccountCredential' },

  async prepare({ id }, context) {
    const judged = await requireServiceAccount(id, context);
    if (callerOf(context).userId !== id) await assertMayDirect(judged, context);
  },

  async handle({ id, credentialId }, context) {
    const { tx, deps, now, audit } = context;
    const account = await lockServiceAccount(tx, serviceScopeOf(context), id);
    if (account === undefined) throw failures.notFound('ServiceAccount');
    const gone = await deleteServiceCredential(tx, id, credentialId);
    if (gone === undefined) throw failures.notFound('ServiceAccountCredential');
    audit({
      targetType: 'ServiceAccount',
      targetId: id,
      detail: { name: account.name, credentialId, type: gone.type, lastFour: gone.lastFour },
    });
    const apps = await stopAppsOfCredential(tx, id, credentialId);
    await stopRulesOfCredential(tx, id, credentialId);
    await deleteArtifactsOfApps(tx, apps);
    const ofApps = await deps.revoker.revokeSessions(tx, await takeTokensOfApps(tx, apps), now);
    return { gone, revocations: [...ofApps, ...(await deps.revoker.revokeValues(tx, [credentialId], now))] };
  },

  async complete({ gone, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return toCredential(gone);
  },
});
