import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import { forgetPasswordDemands } from '../../../apps/storage/member-restrictions.ts';
import { Password, Success } from '../../../people/operations/entities.ts';
import { assertPasswordAllowed } from '../../../people/password.ts';
import { findPasswordHash, replacePasswordHash } from '../../../people/storage/authentication-methods.ts';
import { forgetOneTimeTokens } from '../../../people/storage/one-time-tokens.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { notifyPasswordChanged } from '../../factors/notify.ts';
import { assertRight } from '../../factors/proof.ts';
import { provePassword } from '../../prove-password.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { endSessions } from '../../storage/sessions.ts';

function wrongCurrent(userId: string) {
  return errors.wrongCurrentPassword({ extensions: { field: 'currentPassword' }, audited: { targetType: 'User', targetId: userId } });
}

export const changePassword = operation({
  name: 'changePassword',
  summary: 'Change one’s password; ends the other sessions',
  kind: 'mutation',
  input: strict({ currentPassword: Password, newPassword: Password, confirmPassword: Password }),
  output: Success,
  access: { signedIn: 'changes the caller’s own password' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  limit: 'auth',
  errors: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE', 'SIGN_IN_BUSY'],
  audit: 'user.password-changed',
  events: ['user.passwordChanged'],
  leaves: { ends: 'a way to sign in ends when it is removed, or with the person' },
  rest: { method: 'POST', path: '/api/me/change-password' },
  graphql: { field: 'changeMyPassword', type: 'SuccessResult' },

  async prepare({ currentPassword, newPassword, confirmPassword }, context) {
    const { deps } = context;
    if (newPassword !== confirmPassword) throw errors.passwordsDiffer({ extensions: { field: 'confirmPassword' } });
    await assertPasswordAllowed(newPassword, 'newPassword', deps);
    const { userId } = callerOf(context);
    const known = await findPasswordHash(deps.database, userId);
    if (known === undefined) throw failures.notFound('AuthenticationMethod');
    const { id: methodId, passwordHash: from } = known;
    const outcome = await provePassword(currentPassword, known, context);
    if (outcome === 'wrong' || from === null) throw wrongCurrent(userId);
    assertRight(outcome, userId);
    return { methodId, from, to: await deps.hasher.hash(newPassword) };
  },

  async handle(_input, context, { methodId, from, to }) {
    const { tx, deps, now, request, audit, emit } = context;
    const { userId, claims } = callerOf(context);
    // The password was changed since it was compared.
    if (!(await replacePasswordHash(tx, methodId, from, to, now))) throw wrongCurrent(userId);
    // An earlier reset link must not change the new password.
    await forgetOneTimeTokens(tx, methodId, 'reset-password');
    await endDeferredSignInsOf(tx, userId);
    const ended = await endSessions(tx, userId, claims.jti);
    await notifyPasswordChanged(tx, userId, request, deps, now);
    await forgetPasswordDemands(tx, userId);
    emit({ type: 'user.passwordChanged', key: userId, payload: { userId } });
    audit({ targetType: 'AuthenticationMethod', targetId: methodId, detail: { endedSessions: ended.length } });
    return deps.revoker.revokeSessions(tx, ended, now);
  },

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return { success: true };
  },
});
