import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import { newClientSecret } from '../../../ground/tokens/opaque-token.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { insertServiceSecret } from '../../storage/service-accounts.ts';
import { CreatedCredential, credentialFields, futureTime } from '../service-accounts/create-credential.ts';
import { byId, fresh, lockPlatformAccount, ofPlatform } from './platform-account.ts';

export const createPlatformServiceAccountCredential = operation({
  name: 'createPlatformServiceAccountCredential',
  summary: 'Add a credential to a service account of the platform; a secret is shown here and never again. Four at most',
  kind: 'mutation',
  input: strict({ ...byId, ...credentialFields }),
  output: CreatedCredential,
  ...ofPlatform,
  freshness: fresh,
  errors: ['CONFLICT', 'FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
  audit: 'service-account.credential-created',
  events: [],
  leaves: { ends: 'it is the platform’s, and ends with the account or its own deletion' },
  rest: { method: 'POST', path: '/api/platform/service-accounts/:id/credentials', status: 201 },
  graphql: { field: 'createPlatformServiceAccountCredential', type: 'CreatedServiceAccountCredential' },
  example: { input: { type: 'secret' } },

  async handle({ id, expiresAt: end }, context) {
    const { tx, now, audit } = context;
    const expiresAt = futureTime(end, now);
    const { name } = await lockPlatformAccount(tx, id);
    const clientSecret = newClientSecret();
    const ids = { id: newId(), accountId: id, createdBy: callerOf(context).userId };
    const made = await insertServiceSecret(tx, { ...ids, secret: clientSecret, expiresAt }, now);
    if (made === undefined) throw errors.enoughCredentials();
    const detail = { name, credentialId: made.id, type: made.type, lastFour: made.lastFour, expiresAt };
    audit({ targetType: 'ServiceAccount', targetId: id, detail });
    return { ...made, clientId: id, clientSecret };
  },
});
