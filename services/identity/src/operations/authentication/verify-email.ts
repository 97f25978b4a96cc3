import { type HandleContext, strict } from '@tessera/kernel/operation';
import { type IdentityDeps, operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { userUpdated } from '../../sign-in/provider-identity.ts';
import { isUnverifiedAddition } from '../../sign-in/unverified-address.ts';
import { listMethods, markVerified } from '../../storage/authentication-methods.ts';
import { consumeOneTimeToken, forgetOneTimeTokens } from '../../storage/one-time-tokens.ts';
import { hashToken } from '../../tokens/opaque-token.ts';
import { OneTimeToken, Success } from '../entities.ts';

export const verifyEmail = operation({
  name: 'verifyEmail',
  summary: 'Confirm an email address with the token from the mail',
  kind: 'mutation',
  input: strict({ token: OneTimeToken }),
  output: Success,
  access: { optional: 'the token from the mail is the proof; an address that was added to an account also needs its session' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  errors: ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN'],
  audit: 'user.email-verified',
  events: ['user.updated'],
  rest: { method: 'POST', path: '/api/auth/verify-email' },
  graphql: { field: 'verifyEmail' },

  async handle({ token }, context) {
    const { tx, now, emit, audit } = context;
    const consumed = await consumeOneTimeToken(tx, hashToken(token), 'verify-email', now);
    if (consumed === undefined) throw errors.invalidOneTimeToken();
    const { userId, methodId } = consumed;
    await assertMayVerify(consumed, context);
    await markVerified(tx, methodId, now);
    await forgetOneTimeTokens(tx, methodId, 'verify-email');
    emit(await userUpdated(tx, userId));
    audit({ actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId });
    return { success: true };
  },
});

/**
 * The owner of a mailbox may click on a link without reading. That must not put the address into
 * an account which another person made and signs in to by other means (a trojan identifier).
 */
async function assertMayVerify(
  { userId, methodId }: { readonly userId: string; readonly methodId: string },
  { tx, actor }: HandleContext<IdentityDeps>,
): Promise<void> {
  const methods = await listMethods(tx, [userId]);
  const method = methods.find(({ id }) => id === methodId);
  if (method === undefined || !isUnverifiedAddition({ ...method, methods })) return;
  if (actor.kind === 'anonymous') throw errors.signInToVerify();
  if (actor.userId !== userId || actor.claims.type !== 'session') throw errors.addressOfAnotherAccount();
}
