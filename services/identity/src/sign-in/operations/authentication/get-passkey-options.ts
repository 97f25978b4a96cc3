import { strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { requestOptions } from '../../factors/passkeys.ts';
import { CredentialOptions } from '../second-factors/second-factor.ts';

export const getPasskeyOptions = operation({
  name: 'getPasskeyOptions',
  summary: 'Options with which the browser signs in by passkey, without a name or password',
  kind: 'query',
  input: strict({}),
  output: CredentialOptions,
  access: { open: 'the caller has no token yet; the options name no person' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { none: 'the challenge is in the cache' },
  errors: [],
  audit: { none: 'nothing is known of the caller yet' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/passkey/options' },
  graphql: { field: 'passkeyRequestOptions', type: 'JSON' },
  handle: async (_input, { deps }) => ({ ...(await requestOptions({ purpose: 'sign-in' }, undefined, deps)) }),
});
