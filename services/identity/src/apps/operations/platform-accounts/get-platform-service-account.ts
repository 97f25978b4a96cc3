import { failures } from '@tessera/kernel/errors';
import { strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { findServiceAccount } from '../../storage/service-accounts.ts';
import { credentialsOf } from '../service-accounts/service-account.ts';
import { byId, PlatformServiceAccount, platform, toPlatformAccount } from './platform-account.ts';

export const getPlatformServiceAccount = operation({
  name: 'getPlatformServiceAccount',
  summary: 'One service account of the platform, with its credentials but without their secrets',
  kind: 'query',
  input: strict(byId),
  output: PlatformServiceAccount,
  ...ofPlatform,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/platform/service-accounts/:id' },
  graphql: { field: 'platformServiceAccount', type: 'ServiceAccount' },

  async handle({ id }, { tx }) {
    const account = await findServiceAccount(tx, platform, id);
    const [shown] = account === undefined ? [] : await credentialsOf(tx, [account]);
    if (shown === undefined) throw failures.notFound('ServiceAccount');
    return toPlatformAccount(shown);
  },
});
