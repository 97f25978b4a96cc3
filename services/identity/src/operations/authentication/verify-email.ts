import { strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { userUpdated } from '../../sign-in/provider-identity.ts';
import { markVerified } from '../../storage/authentication-methods.ts';
import { consumeOneTimeToken, forgetOneTimeTokens } from '../../storage/one-time-tokens.ts';
import { hashToken } from '../../tokens/opaque-token.ts';
import { OneTimeToken, Success } from '../entities.ts';

export const verifyEmail = operation({
  name: 'verifyEmail',
  summary: 'Confirm an email address with the token from the mail',
  kind: 'mutation',
  input: strict({ token: OneTimeToken }),
  output: Success,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'it verifies the user' },
  errors: ['BAD_USER_INPUT'],
  audit: 'user.email-verified',
  events: ['user.updated'],
  rest: { method: 'POST', path: '/api/auth/verify-email' },
  graphql: { field: 'verifyEmail' },

  async handle({ token }, { tx, now, emit, audit }) {
    const consumed = await consumeOneTimeToken(tx, hashToken(token), 'verify-email', now);
    if (consumed === undefined) throw errors.invalidOneTimeToken();
    const { userId, methodId } = consumed;
    await markVerified(tx, methodId, now);
    await forgetOneTimeTokens(tx, methodId, 'verify-email');
    emit(await userUpdated(tx, userId));
    audit({ actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId });
    return { success: true };
  },
});
