import { newId } from '@tessera/kernel/ids';
import { callerOf, strict } from '@tessera/kernel/operation';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { insertServiceCredential } from '../../storage/service-accounts.ts';
import {
  auditedCredential,
  CreatedCredential,
  createdCredential,
  credentialFields,
  futureTime,
  notHere,
} from '../service-accounts/create-credential.ts';
import { proofExamples, readProof } from '../service-accounts/credential-proof.ts';
import { byId, fresh, lockPlatformAccount } from './platform-account.ts';

export const createPlatformServiceAccountCredential = operation({
  name: 'createPlatformServiceAccountCredential',
  summary:
    'Add a credential to a service account of the platform, as to one of an organization: a secret, its public keys, or trust. Four at most',
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
  example: { input: proofExamples.secret, named: proofExamples },

  async handle({ id, expiresAt: end, ...given }, context) {
    const { tx, deps, now, audit } = context;
    if (given.type === 'directory') throw notHere();
    const expiresAt = futureTime(end, now);
    const { name } = await lockPlatformAccount(tx, id);
    const proof = readProof(given, deps);
    const ids = { id: newId(), accountId: id, createdBy: callerOf(context).userId };
    const made = await insertServiceCredential(tx, { ...ids, proof, expiresAt }, now);
    if (made === undefined) throw errors.enoughCredentials();
    audit({ targetType: 'ServiceAccount', targetId: id, detail: { name, ...auditedCredential(made) } });
    return createdCredential(made, id, proof);
  },
});
