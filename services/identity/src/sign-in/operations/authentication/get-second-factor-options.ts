import { strict } from '@tessera/kernel/operation';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { requestOptions } from '../../factors/passkeys.ts';
import { findDeferredSignIn } from '../../storage/deferred-sign-ins.ts';
import { listPasskeys } from '../../storage/second-factors.ts';
import { CredentialOptions } from '../second-factors/second-factor.ts';

export const getSecondFactorOptions = operation({
  name: 'getSecondFactorOptions',
  summary: 'Options with which the browser uses a passkey as second factor',
  kind: 'mutation',
  input: strict({ token: OneTimeToken }),
  output: CredentialOptions,
  access: { open: 'the token proves the first factor' },
  scopes: 'none',
  verification: { exempt: 'an unverified user may sign in' },
  limit: { global: 'the token has 256 random bits, and no code is checked' },
  errors: ['BAD_USER_INPUT'],
  audit: 'passkey.requested',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/second-factor/options' },
  graphql: { field: 'secondFactorOptions', type: 'JSON' },

  async prepare({ token }, { deps, now }) {
    const first = await findDeferredSignIn(deps.database, hashToken(token), now);
    if (first === undefined) throw errors.endedSignIn();
    const { userId } = first;
    const options = await requestOptions({ purpose: 'second-factor', userId }, await listPasskeys(deps.database, userId), deps);
    return { options, userId };
  },
  handle: async (_input, { audit }, { options, userId }) => {
    audit({ actorId: userId, targetType: 'User', targetId: userId });
    return { ...options };
  },
});
