import { annotate, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { hashToken } from '../../../ground/tokens/opaque-token.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { provenAddresses } from '../../factors/notify.ts';
import { beginRecovery } from '../../factors/recovery.ts';
import { findRecovery } from '../../storage/account-recoveries.ts';
import { findDeferredSignIn } from '../../storage/deferred-sign-ins.ts';

export const startRecovery = operation({
  name: 'startRecovery',
  summary: 'Say that every second factor is lost; after a wait, a mail leads on. Any sign-in stops it',
  kind: 'mutation',
  input: strict({ token: annotate(OneTimeToken, { description: 'Of a sign-in that waits for its second factor' }) }),
  output: Type.Object({ dueAt: Timestamp }),
  access: { open: 'the token proves the first factor' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  limit: 'auth',
  errors: ['BAD_USER_INPUT', 'CONFLICT'],
  audit: 'recovery.started',
  events: [],
  leaves: { ends: 'the link in the mail works once, and for hours' },
  rest: { method: 'POST', path: '/api/auth/recovery' },
  graphql: { field: 'startRecovery', type: 'StartRecoveryResult' },

  async handle({ token }, { tx, deps, now, request, audit }) {
    const hash = hashToken(token);
    const first = await findDeferredSignIn(tx, hash, now);
    // Locked, then looked at again: a sign-in that ends at this moment either comes first and has
    // ended the token, or finds the recovery and stops it.
    if (first === undefined || (await lockPerson(tx, first.userId)) === undefined) throw errors.endedSignIn();
    if ((await findDeferredSignIn(tx, hash, now)) === undefined) throw errors.endedSignIn();
    const { userId } = first;
    if ((await provenAddresses(tx, userId)).size === 0) throw errors.noProvenAddress();
    const begun = await beginRecovery(tx, { userId, language: request.language }, deps, now);
    const recovery = begun ?? (await findRecovery(tx, userId));
    if (recovery === undefined) throw errors.endedSignIn();
    audit({ actorId: userId, targetType: 'User', targetId: userId, detail: { isNew: begun !== undefined, dueAt: recovery.dueAt } });
    return { dueAt: recovery.dueAt };
  },
  complete: async (result, { deps }) => {
    deps.mailer.poke();
    return result;
  },
});
