import { strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { forgetAttempts } from '../../sign-in/lockout.ts';
import { assertPasswordAllowed } from '../../sign-in/password.ts';
import { listMethods, setPasswordHash } from '../../storage/authentication-methods.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { consumeOneTimeToken, forgetOneTimeTokens, isOneTimeTokenKnown } from '../../storage/one-time-tokens.ts';
import { endSessions } from '../../storage/sessions.ts';
import { hashToken } from '../../tokens/opaque-token.ts';
import { OneTimeToken, Password, Success } from '../entities.ts';

export const resetPassword = operation({
  name: 'resetPassword',
  summary: 'Choose a new password with the token from the mail; ends all sessions',
  kind: 'mutation',
  input: strict({ token: OneTimeToken, newPassword: Password }),
  output: Success,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  errors: ['BAD_USER_INPUT'],
  audit: 'user.password-reset',
  events: [],
  rest: { method: 'POST', path: '/api/auth/reset-password' },
  graphql: { field: 'resetPassword' },

  async prepare({ token, newPassword }, { deps, now }) {
    await assertPasswordAllowed(newPassword, 'newPassword', deps);
    // Without a known token no password is hashed. The transaction decides whether the token is
    // still valid.
    if (!(await isOneTimeTokenKnown(deps.database, hashToken(token), 'reset-password', now))) throw errors.invalidOneTimeToken();
    return deps.hasher.hash(newPassword);
  },

  async handle({ token }, { tx, deps, now, audit }, passwordHash) {
    const consumed = await consumeOneTimeToken(tx, hashToken(token), 'reset-password', now);
    if (consumed === undefined) throw errors.invalidOneTimeToken();
    const { userId, methodId } = consumed;
    await setPasswordHash(tx, methodId, passwordHash, now);
    await forgetOneTimeTokens(tx, methodId, 'reset-password');
    await endDeferredSignInsOf(tx, userId);
    const ended = await endSessions(tx, userId);
    audit({ actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, detail: { endedSessions: ended.length } });
    const method = (await listMethods(tx, [userId])).find(({ id }) => id === methodId);
    return { address: method?.providerId ?? '', revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ address, revocations }, { deps, request }) {
    deps.revoker.announce(revocations);
    await forgetAttempts(address, request, deps);
    return { success: true };
  },
});
