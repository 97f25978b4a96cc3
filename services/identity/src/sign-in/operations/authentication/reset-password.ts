import { strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { forgetPasswordDemands } from '../../../apps/storage/member-restrictions.ts';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { proveAddress } from '../../../people/address-owner.ts';
import { holdsAddress } from '../../../people/domain/proven-address.ts';
import { OneTimeToken, Password, Success } from '../../../people/operations/entities.ts';
import { assertPasswordAllowed } from '../../../people/password.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { listMethods, setPasswordHash } from '../../../people/storage/authentication-methods.ts';
import { consumeOneTimeToken, forgetOneTimeTokens, isOneTimeTokenKnown } from '../../../people/storage/one-time-tokens.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { notifyPasswordChanged } from '../../factors/notify.ts';
import { forgetAttempts } from '../../lockout.ts';
import { endEarlierAccess } from '../../reclaim.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { endSessions } from '../../storage/sessions.ts';

async function endSessionsOf(tx: Transaction, userId: string, { revoker }: SignInDeps, now: Date) {
  await endDeferredSignInsOf(tx, userId);
  const ended = await endSessions(tx, userId);
  return { revocations: await revoker.revokeSessions(tx, ended, now), ended: { endedSessions: ended.length } };
}

export const resetPassword = operation({
  name: 'resetPassword',
  summary:
    'Choose a new password with the token from the mail; ends all sessions, and in an account that does not hold its address all that was made before',
  kind: 'mutation',
  input: strict({ token: OneTimeToken, newPassword: Password }),
  output: Success,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'CONFLICT', 'SIGN_IN_BUSY'],
  audit: 'user.password-reset',
  events: ['user.updated', 'user.reclaimed', 'user.passwordChanged'],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/auth/reset-password' },
  graphql: { field: 'resetPassword', type: 'SuccessResult' },

  async prepare({ token, newPassword }, { deps, now }) {
    await assertPasswordAllowed(newPassword, 'newPassword', deps);
    // Without a known token no password is hashed. The transaction decides whether the token is
    // still valid.
    if (!(await isOneTimeTokenKnown(deps.database, hashToken(token), 'reset-password', now))) throw errors.invalidOneTimeToken();
    return deps.hasher.hash(newPassword);
  },

  async handle({ token }, { tx, deps, now, request, emit, audit }, passwordHash) {
    const consumed = await consumeOneTimeToken(tx, hashToken(token), 'reset-password', now);
    if (consumed === undefined || (await lockPerson(tx, consumed.userId)) === undefined) throw errors.invalidOneTimeToken();
    const { userId, methodId } = consumed;
    const methods = await listMethods(tx, [userId]);
    const method = methods.find(({ id }) => id === methodId);
    if (method === undefined) throw errors.invalidOneTimeToken();
    // The maker of an account that does not hold its address may have been a stranger.
    const { revocations, ended } = await (holdsAddress(methods)
      ? endSessionsOf(tx, userId, deps, now)
      : endEarlierAccess({ tx, now, emit }, userId, deps));
    await setPasswordHash(tx, methodId, passwordHash, now);
    await forgetOneTimeTokens(tx, methodId, 'reset-password');
    // The mailbox has answered, and knows the password of the account from now on.
    if (await proveAddress(tx, method, { isHeld: true }, now)) emit(await userUpdated(tx, userId));
    await notifyPasswordChanged(tx, userId, request, deps, now);
    await forgetPasswordDemands(tx, userId);
    emit({ type: 'user.passwordChanged', key: userId, payload: { userId } });
    audit({ actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, detail: ended });
    return { address: method.providerId, revocations };
  },

  async complete({ address, revocations }, { deps, request }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    await forgetAttempts(address, request, deps);
    return { success: true };
  },
});
