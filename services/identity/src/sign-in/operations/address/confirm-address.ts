import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import { emailProvider } from '../../../ground/domain/people.ts';
import { proveAddress } from '../../../people/address-owner.ts';
import { Success } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { forgetOneTimeTokens } from '../../../people/storage/one-time-tokens.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { assertRight, tryProof } from '../../factors/proof.ts';
import { findAddressCode, useAddressCode } from '../../storage/address-codes.ts';
import { Code } from '../second-factors/second-factor.ts';

export const confirmAddress = operation({
  name: 'confirmAddress',
  summary: 'Confirm the caller’s address with the code from the mail: from then on the account holds it',
  kind: 'mutation',
  input: strict({ code: Code }),
  output: Success,
  access: { signedIn: 'confirms the caller’s own address' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  audit: 'user.email-verified',
  events: ['user.updated'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/address-code/confirm' },
  graphql: { field: 'confirmAddress', type: 'SuccessResult' },

  async prepare({ code }, context) {
    const { deps, now, request } = context;
    const { userId, claims } = callerOf(context);
    const method = (await listMethods(deps.database, [userId])).find(({ provider }) => provider === emailProvider);
    if (method === undefined) throw errors.noAddressToHold();
    const place = { methodId: method.id, sessionId: claims.jti };
    const hash = await findAddressCode(deps.database, place, now);
    // A right code changes nothing yet: it is used up with the rest of the change.
    const isRight = hash !== undefined && deps.addressCodes.matches(code, `${place.methodId} ${place.sessionId}`, hash);
    const outcome = await tryProof(userId, async () => isRight, undefined, { deps, now, language: request.language });
    if (outcome === 'wrong' || hash === undefined)
      throw errors.wrongAddressCode({ audited: { targetType: 'AuthenticationMethod', targetId: method.id } });
    assertRight(outcome, userId);
    return { methodId: method.id, sessionId: claims.jti, hash };
  },

  async handle(_input, context, place) {
    const { tx, now, emit, audit } = context;
    const { userId } = callerOf(context);
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    // Used by a parallel request, or replaced by a newer one.
    if (!(await useAddressCode(tx, place, now))) throw errors.wrongAddressCode();
    const method = (await listMethods(tx, [userId])).find(({ id }) => id === place.methodId);
    if (method === undefined) throw errors.noAddressToHold();
    await proveAddress(tx, method, { isHeld: true }, now);
    await forgetOneTimeTokens(tx, method.id, 'verify-email');
    emit(await userUpdated(tx, userId));
    audit({ targetType: 'AuthenticationMethod', targetId: method.id, detail: { isHeld: true } });
    return { success: true };
  },
});
