import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import { addressOf } from '../../../ground/domain/people.ts';
import { holdsAnAddress } from '../../../people/address-owner.ts';
import { operation } from '../../deps.ts';
import { creationOptions } from '../../factors/passkeys.ts';
import { listPasskeys } from '../../storage/second-factors.ts';
import { readProfile } from '../me/profile.ts';
import { CredentialOptions } from './second-factor.ts';

export const getPasskeyCreationOptions = operation({
  name: 'getPasskeyCreationOptions',
  summary: 'Options with which the browser makes a passkey',
  kind: 'mutation',
  input: strict({}),
  output: CredentialOptions,
  access: { signedIn: 'begins to add a passkey of the caller' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['ADDRESS_NOT_HELD'],
  audit: 'passkey.requested',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/passkeys/options' },
  graphql: { field: 'passkeyCreationOptions', type: 'JSON' },

  async prepare(_input, context) {
    const { deps } = context;
    const { userId } = callerOf(context);
    const [{ person, methods }, known] = await Promise.all([readProfile(deps.database, userId), listPasskeys(deps.database, userId)]);
    if (!(await holdsAnAddress(deps.database, userId))) throw failures.addressNotHeld();
    return creationOptions({ userId, name: person.name, address: addressOf(methods) ?? person.name }, known, deps);
  },
  handle: async (_input, _context, options) => ({ ...options }),
});
