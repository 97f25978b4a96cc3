import { pageFields, pageOf, strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { pageServiceAccounts } from '../../storage/service-accounts.ts';
import { credentialsOf } from '../service-accounts/service-account.ts';
import { PlatformServiceAccount, platform, toPlatformAccount } from './platform-account.ts';

const { relations: _, ...page } = pageFields(['name', 'createdAt', 'updatedAt']);

export const listPlatformServiceAccounts = operation({
  name: 'listPlatformServiceAccounts',
  summary: 'The service accounts of the platform: who made each, and when and from where it was last used',
  kind: 'query',
  input: strict(page),
  output: pageOf(PlatformServiceAccount),
  ...ofPlatform,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/platform/service-accounts' },
  graphql: { field: 'platformServiceAccounts', type: 'ServiceAccountPage', items: 'serviceAccounts' },

  async handle(input, { tx }) {
    const { rows, totalCount, hasNextPage } = await pageServiceAccounts(tx, platform, input);
    return { items: (await credentialsOf(tx, rows)).map(toPlatformAccount), totalCount, hasNextPage };
  },
});
