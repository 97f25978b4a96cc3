import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { assertVersion, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { updateServiceAccount as updateRow } from '../../storage/service-accounts.ts';
import { assertNetworks, credentialsOf, isSameList } from '../service-accounts/service-account.ts';
import { byId, fresh, lockPlatformAccount, PlatformServiceAccount, platformFields, toPlatformAccount } from './platform-account.ts';

export const updatePlatformServiceAccount = operation({
  name: 'updatePlatformServiceAccount',
  summary: 'Change a service account of the platform. Other networks end its tokens',
  kind: 'mutation',
  input: strict({ ...byId, ...Type.Partial(Type.Object(platformFields)).properties }),
  output: PlatformServiceAccount,
  ...ofPlatform,
  freshness: fresh,
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: 'service-account.updated',
  events: [],
  leaves: { ends: 'it is the platform’s: each administrator changes or deletes it' },
  rest: { method: 'PATCH', path: '/api/platform/service-accounts/:id' },
  graphql: { field: 'updatePlatformServiceAccount', type: 'ServiceAccount' },

  async handle({ id, roleIds: _, ...given }, { tx, deps, now, audit, request }) {
    const before = await lockPlatformAccount(tx, id);
    await assertVersion(request, async () => before);
    const { name, description, elevated, allowedNetworks } = { ...before, ...given };
    assertNetworks(allowedNetworks);
    const ends = !isSameList(before.allowedNetworks, allowedNetworks);
    const generation = ends ? newId() : before.generation;
    const account = await updateRow(tx, id, { name, description, elevated, allowedNetworks, roleIds: null, generation }, now);
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name }, before, after: given });
    const revocations = ends ? await deps.revoker.revokeValues(tx, [before.generation], now) : [];
    return { shown: await credentialsOf(tx, [account]), revocations };
  },

  async complete({ shown: [shown], revocations }, { deps }) {
    deps.revoker.announce(revocations);
    if (shown === undefined) throw failures.notFound('ServiceAccount');
    return toPlatformAccount(shown);
  },
});
