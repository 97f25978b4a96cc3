import { annotate, strict } from '@tessera/kernel/operation';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { OneTimeToken, Success } from '../../../people/operations/entities.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { notifyPerson } from '../../factors/notify.ts';
import { findPersonOfRecoveryLink, takeRecovery } from '../../storage/account-recoveries.ts';
import { endDeferredSignInsOf } from '../../storage/deferred-sign-ins.ts';
import { deleteFactorsOf } from '../../storage/second-factors.ts';
import { endSessions } from '../../storage/sessions.ts';

export const finishRecovery = operation({
  name: 'finishRecovery',
  summary: 'Remove every second factor with the token from the mail, once the wait is over; ends all sessions',
  kind: 'mutation',
  input: strict({ token: annotate(OneTimeToken, { description: 'From the mail that is sent when the wait is over' }) }),
  output: Success,
  access: { open: 'the token from the mail is the proof' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT'],
  audit: 'recovery.finished',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/auth/recovery/finish' },
  graphql: { field: 'finishRecovery', type: 'SuccessResult' },

  async handle({ token }, { tx, deps, now, request: { language }, audit }) {
    const hash = hashToken(token);
    // The person first, as every sign-in does: a sign-in in the last second stops this, or waits.
    const userId = await findPersonOfRecoveryLink(tx, hash);
    if (userId === undefined || (await lockPerson(tx, userId)) === undefined) throw errors.endedRecovery();
    if ((await takeRecovery(tx, hash, now)) === undefined) throw errors.endedRecovery();
    const removed = await deleteFactorsOf(tx, userId);
    await endDeferredSignInsOf(tx, userId);
    const ended = await endSessions(tx, userId);
    await notifyPerson(tx, userId, { template: 'factors-removed', language }, deps, now);
    audit({ actorId: userId, targetType: 'User', targetId: userId, detail: { removed, endedSessions: ended.length } });
    return deps.revoker.revokeSessions(tx, ended, now);
  },

  async complete(revocations, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return { success: true };
  },
});
