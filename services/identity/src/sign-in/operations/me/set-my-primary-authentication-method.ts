import { failures } from '@tessera/kernel/errors';
import { assertVersion, callerOf, Id, strict } from '@tessera/kernel/operation';
import { AuthenticationMethod, toMethod } from '../../../people/operations/entities.ts';
import { userUpdated } from '../../../people/person-event.ts';
import { listMethods, setPrimaryMethod } from '../../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';

export const setMyPrimaryAuthenticationMethod = operation({
  name: 'setMyPrimaryAuthenticationMethod',
  summary: 'Choose the primary method of the caller',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: AuthenticationMethod,
  access: { signedIn: 'changes methods of the caller only' },
  scopes: 'none',
  verification: 'account-settings',
  freshness: { minutes: 10 },
  errors: ['NOT_FOUND'],
  audit: 'authentication-method.made-primary',
  events: ['user.updated'],
  leaves: 'nothing',
  rest: { method: 'PATCH', path: '/api/me/authentication-methods/:id/primary' },
  graphql: { field: 'setMyPrimaryAuthenticationMethod', type: 'AuthenticationMethod' },
  clauses: ['spec:methods.7'],

  async handle({ id }, context) {
    const { tx, now, emit, audit } = context;
    const { userId } = callerOf(context);
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    const before = (await listMethods(tx, [userId])).find((method) => method.id === id);
    await assertVersion(context.request, async () => before);
    const method = await setPrimaryMethod(tx, userId, id, now);
    if (method === undefined) throw failures.notFound('AuthenticationMethod');
    emit(await userUpdated(tx, userId));
    const isPrimary = before?.isPrimary;
    audit({ targetType: 'AuthenticationMethod', targetId: id, before: { isPrimary }, after: { isPrimary: method.isPrimary } });
    return toMethod(method);
  },
});
