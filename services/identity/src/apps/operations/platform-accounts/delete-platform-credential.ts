import { failures } from '@tessera/kernel/errors';
import { Id, strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { deleteServiceCredential } from '../../storage/service-accounts.ts';
import { ServiceAccountCredential, toCredential } from '../service-accounts/service-account.ts';
import { byId, fresh, lockPlatformAccount } from './platform-account.ts';

export const deletePlatformServiceAccountCredential = operation({
  name: 'deletePlatformServiceAccountCredential',
  summary: 'Remove a credential of a service account of the platform; the tokens that it got end at once',
  kind: 'mutation',
  input: strict({ ...byId, credentialId: Id }),
  output: ServiceAccountCredential,
  ...ofPlatform,
  freshness: fresh,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: 'service-account.credential-deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/platform/service-accounts/:id/credentials/:credentialId' },
  graphql: { field: 'deletePlatformServiceAccountCredential', type: 'ServiceAccountCredential' },

  async handle({ id, credentialId }, { tx, deps, now, audit }) {
    const { name } = await lockPlatformAccount(tx, id);
    const gone = await deleteServiceCredential(tx, id, credentialId);
    if (gone === undefined) throw failures.notFound('ServiceAccountCredential');
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name, credentialId, type: gone.type, lastFour: gone.lastFour } });
    return { gone, revocations: await deps.revoker.revokeValues(tx, [credentialId], now) };
  },

  async complete({ gone, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return toCredential(gone);
  },
});
