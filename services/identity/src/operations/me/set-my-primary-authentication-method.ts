import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { addressOf } from '../../domain/people.ts';
import { isVerified } from '../../domain/session.ts';
import { listMethods, setPrimaryMethod } from '../../storage/authentication-methods.ts';
import { lockPerson } from '../../storage/people.ts';
import { AuthenticationMethod, toMethod } from '../entities.ts';

export const setMyPrimaryAuthenticationMethod = operation({
  name: 'setMyPrimaryAuthenticationMethod',
  summary: 'Choose the primary method of the caller',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: AuthenticationMethod,
  access: { signedIn: 'changes methods of the caller only' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['NOT_FOUND'],
  audit: 'authentication-method.made-primary',
  events: ['user.updated'],
  rest: { method: 'PATCH', path: '/api/me/authentication-methods/:id/primary' },
  graphql: { field: 'setMyPrimaryAuthenticationMethod' },
  clauses: ['spec:methods.7'],

  async handle({ id }, context) {
    const { tx, now, emit, audit } = context;
    const { userId } = callerOf(context);
    const person = await lockPerson(tx, userId);
    if (person === undefined) throw failures.unauthenticated();
    const method = await setPrimaryMethod(tx, userId, id, now);
    if (method === undefined) throw failures.notFound('AuthenticationMethod');
    const methods = await listMethods(tx, [userId]);
    const payload = { userId, name: person.name, email: addressOf(methods), isVerified: isVerified(methods) };
    emit({ type: 'user.updated', key: userId, payload });
    audit({ targetType: 'AuthenticationMethod', targetId: id });
    return toMethod(method);
  },
});
