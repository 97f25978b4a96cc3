import { callerOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { requestOptions } from '../../factors/passkeys.ts';
import { listPasskeys } from '../../storage/second-factors.ts';
import { CredentialOptions } from '../second-factors/second-factor.ts';

export const getConfirmOptions = operation({
  name: 'getConfirmOptions',
  summary: 'Options with which the browser confirms the caller by passkey',
  kind: 'query',
  input: strict({}),
  output: CredentialOptions,
  access: { signedIn: 'begins to prove the caller', whenLinked: true },
  scopes: 'none',
  verification: { exempt: 'an unverified user may prove to be themselves' },
  isolation: { none: 'one query, and the challenge is in the cache' },
  errors: [],
  audit: { none: 'nothing is changed' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/confirm/options' },
  graphql: { field: 'confirmOptions', type: 'JSON' },

  async handle(_input, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    return { ...(await requestOptions({ purpose: 'confirm', userId }, await listPasskeys(deps.database, userId), deps)) };
  },
});
