import { strict } from '@tessera/kernel/operation';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { OneTimeToken, Success } from '../../../people/operations/entities.ts';
import { deleteUnverified, listMethods } from '../../../people/storage/authentication-methods.ts';
import { findOneTimeToken } from '../../../people/storage/one-time-tokens.ts';
import { isUnverifiedAddition } from '../../../people/unverified-address.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { deleteRegistration } from '../../reject-registration.ts';

export const rejectRegistration = operation({
  name: 'rejectRegistration',
  summary: 'Say, with the token of a verification mail, that one did not register: deletes the registration, or the address that was added',
  kind: 'mutation',
  input: strict({ token: OneTimeToken }),
  output: Success,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'user.registration-rejected',
  // accounts.closed, which tenancy emits, deletes the person and emits user.deleted.
  events: ['user.reclaimed', 'user.deleted'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/reject-registration' },
  graphql: { field: 'rejectRegistration', type: 'SuccessResult' },

  async prepare({ token }, context) {
    const { deps, now } = context;
    const known = await findOneTimeToken(deps.database, hashToken(token), 'verify-email', now);
    if (known === undefined) throw errors.invalidOneTimeToken();
    const methods = await listMethods(deps.database, [known.userId]);
    const method = methods.find(({ id }) => id === known.methodId);
    if (method === undefined) throw errors.invalidOneTimeToken();
    const isAddition = isUnverifiedAddition({ isVerified: method.isVerified, methods });
    if (!isAddition) await deleteRegistration(known.userId, context);
    return { ...known, isAddition };
  },

  async handle(_input, { tx, audit }, { userId, methodId, isAddition }) {
    if (isAddition && !(await deleteUnverified(tx, methodId))) throw errors.invalidOneTimeToken();
    audit({ targetType: isAddition ? 'AuthenticationMethod' : 'User', targetId: isAddition ? methodId : userId });
    return { success: true };
  },
});
