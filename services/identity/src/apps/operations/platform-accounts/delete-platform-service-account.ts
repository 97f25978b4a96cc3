import { strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { deleteServiceAccountRow } from '../../storage/service-accounts.ts';
import { byId, fresh, lockPlatformAccount, PlatformServiceAccount, toPlatformAccount } from './platform-account.ts';

export const deletePlatformServiceAccount = operation({
  name: 'deletePlatformServiceAccount',
  summary: 'Delete a service account of the platform; its tokens end at once, and the organizations that it made stay',
  kind: 'mutation',
  input: strict(byId),
  output: PlatformServiceAccount,
  ...ofPlatform,
  freshness: fresh,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: 'service-account.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/platform/service-accounts/:id' },
  graphql: { field: 'deletePlatformServiceAccount', type: 'ServiceAccount' },

  async handle({ id }, { tx, deps, now, audit }) {
    const account = await lockPlatformAccount(tx, id);
    await deleteServiceAccountRow(tx, id, now);
    audit({ targetType: 'ServiceAccount', targetId: id, before: account, detail: { name: account.name } });
    return { account, revocations: await deps.revoker.revokeValues(tx, [account.generation], now) };
  },

  async complete({ account, revocations }, { deps, now }) {
    deps.revoker.announce(revocations);
    return toPlatformAccount({ account: { ...account, deletedAt: now.toISOString() }, credentials: [] });
  },
});
