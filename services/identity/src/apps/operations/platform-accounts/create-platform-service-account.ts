import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { insertServiceAccount } from '../../storage/service-accounts.ts';
import { assertNetworks } from '../service-accounts/service-account.ts';
import { fresh, PlatformServiceAccount, platform, platformFields, toPlatformAccount } from './platform-account.ts';

export const createPlatformServiceAccount = operation({
  name: 'createPlatformServiceAccount',
  summary: 'Make an account for a machine that makes organizations, restricts and lists them; it sees nothing inside them',
  kind: 'mutation',
  input: strict(platformFields),
  output: PlatformServiceAccount,
  ...ofPlatform,
  freshness: fresh,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED'],
  audit: 'service-account.created',
  events: [],
  leaves: { ends: 'it is the platform’s: each administrator changes or deletes it' },
  rest: { method: 'POST', path: '/api/platform/service-accounts', status: 201 },
  graphql: { field: 'createPlatformServiceAccount', type: 'ServiceAccount' },

  async handle({ name, description = null, allowedNetworks = [] }, context) {
    const { tx, now, audit } = context;
    assertNetworks(allowedNetworks);
    const ids = { id: newId(), generation: newId(), createdBy: callerOf(context).userId };
    const fields = { name, description, elevated: [], allowedNetworks, roleIds: null };
    const account = await insertServiceAccount(tx, { ...fields, ...ids, scope: platform }, now);
    audit({ targetType: 'ServiceAccount', targetId: account.id, detail: { name } });
    return toPlatformAccount({ account, credentials: [] });
  },
});
