import { type OperationContext, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { proveAddress } from '../../../people/address-owner.ts';
import { OneTimeToken, Password } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { findPasswordHash, listMethods } from '../../../people/storage/authentication-methods.ts';
import { consumeOneTimeToken, findOneTimeToken, forgetOneTimeTokens } from '../../../people/storage/one-time-tokens.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { isUnverifiedAddition } from '../../../people/unverified-address.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { assertRight, tryProof } from '../../factors/proof.ts';
import { comparePassword } from '../../lockout.ts';
import { findCaller } from '../../own-session.ts';

export const verifyEmail = operation({
  name: 'verifyEmail',
  summary: 'Confirm an email address with the token from the mail; in the account’s session, or with its password, the account holds it',
  kind: 'mutation',
  input: strict({ token: OneTimeToken, password: Type.Optional(Password) }),
  output: Type.Object({
    success: Type.Boolean(),
    isHeld: Type.Boolean({ description: 'Whether mailbox and account came together: in its session, or with its password' }),
  }),
  access: { optional: 'the token from the mail is the proof; the session of the account, if there is one, lets it hold the address' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'user.email-verified',
  events: ['user.updated'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/verify-email' },
  graphql: { field: 'verifyEmail', type: 'VerifiedResult' },

  async prepare({ token, password }, context) {
    const { deps, now } = context;
    const known = await findOneTimeToken(deps.database, hashToken(token), 'verify-email', now);
    if (known === undefined) throw errors.invalidOneTimeToken();
    const passwordHash = password === undefined ? undefined : await provePassword(known.userId, password, context);
    return { caller: await findCaller(context), passwordHash };
  },

  async handle({ token }, { tx, now, emit, audit }, { caller, passwordHash }) {
    const consumed = await consumeOneTimeToken(tx, hashToken(token), 'verify-email', now);
    if (consumed === undefined || (await lockPerson(tx, consumed.userId)) === undefined) throw errors.invalidOneTimeToken();
    const { userId, methodId } = consumed;
    const methods = await listMethods(tx, [userId]);
    const method = methods.find(({ id }) => id === methodId);
    if (method === undefined) throw errors.invalidOneTimeToken();
    const isCurrent = passwordHash === undefined || (await findPasswordHash(tx, userId))?.passwordHash === passwordHash;
    if (!isCurrent) throw errors.wrongSecondFactor({ audited: { targetType: 'User', targetId: userId } });
    const isHeld = caller === userId || passwordHash !== undefined;
    // The owner of a mailbox may click on a link without reading. That must not put the address
    // into an account which another person made and signs in to by other means (a trojan
    // identifier).
    if (!isHeld && isUnverifiedAddition({ isVerified: method.isVerified, methods }))
      throw caller === undefined ? errors.signInToVerify() : errors.addressOfAnotherAccount();
    await proveAddress(tx, method, { isHeld }, now);
    await forgetOneTimeTokens(tx, methodId, 'verify-email');
    emit(await userUpdated(tx, userId));
    audit({ actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, detail: { isHeld } });
    return { success: true, isHeld };
  },
});

/** Counted as at a confirmation. Returns the hash that matched: it may be changed meanwhile. */
async function provePassword(userId: string, password: string, { deps, now, request }: OperationContext<SignInDeps>): Promise<string> {
  const known = await findPasswordHash(deps.database, userId);
  if (known?.passwordHash == null) throw errors.noPassword();
  const matches = await comparePassword(known.address, password, known, request, deps);
  assertRight(await tryProof(userId, async () => matches, undefined, { deps, now, language: request.language }), userId);
  return known.passwordHash;
}
