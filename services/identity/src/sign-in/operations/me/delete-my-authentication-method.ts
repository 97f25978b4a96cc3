import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import { notifyOwner } from '../../../people/notify-owner.ts';
import { AuthenticationMethod, toMethod } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { deleteMethod, listMethods } from '../../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { endSessionsOfMethod } from '../../storage/sessions.ts';

export const deleteMyAuthenticationMethod = operation({
  name: 'deleteMyAuthenticationMethod',
  summary: 'Remove a method, neither the primary one nor the last one; ends the other sessions that it opened',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: AuthenticationMethod,
  access: { signedIn: 'removes methods of the caller only' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'authentication-method.deleted',
  events: ['user.updated'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/me/authentication-methods/:id' },
  graphql: { field: 'deleteMyUserAuthenticationMethod', type: 'AuthenticationMethod' },
  clauses: ['spec:methods.8'],

  async handle({ id }, context) {
    const { tx, deps, now, request, emit, audit } = context;
    const { userId, claims } = callerOf(context);
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    const before = await listMethods(tx, [userId]);
    const ended = await endSessionsOfMethod(tx, userId, id, claims.jti);
    const deleted = await deleteMethod(tx, userId, id);
    if (deleted === undefined) {
      throw before.some((method) => method.id === id)
        ? errors.primaryMethod({ extensions: { resource: 'AuthenticationMethod', field: 'isPrimary' } })
        : failures.notFound('AuthenticationMethod');
    }
    emit(await userUpdated(tx, userId));
    await notifyOwner(tx, { template: 'method-removed', provider: deleted.provider, before, language: request.language }, deps, now);
    const detail = { provider: deleted.provider, endedSessions: ended.length };
    audit({ targetType: 'AuthenticationMethod', targetId: id, before: toMethod(deleted), detail });
    return { deleted, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ deleted, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    deps.mailer.poke();
    return toMethod(deleted);
  },
});
