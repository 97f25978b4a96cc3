import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../dependencies.ts';
import { errors } from '../../errors.ts';
import { deleteMethod, listMethods } from '../../storage/authentication-methods.ts';
import { lockPerson } from '../../storage/people.ts';
import { AuthenticationMethod, toMethod } from '../entities.ts';

export const deleteMyAuthenticationMethod = operation({
  name: 'deleteMyAuthenticationMethod',
  summary: 'Remove a method; neither the primary one nor the last one',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: AuthenticationMethod,
  access: { signedIn: 'removes methods of the caller only' },
  scopes: 'none',
  verification: 'account-settings',
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'authentication-method.deleted',
  events: [],
  rest: { method: 'DELETE', path: '/api/me/authentication-methods/:id' },
  graphql: { field: 'deleteMyUserAuthenticationMethod' },
  clauses: ['spec:methods.8'],

  async handle({ id }, context) {
    const { tx, audit } = context;
    const { userId } = callerOf(context);
    if ((await lockPerson(tx, userId)) === undefined) throw failures.unauthenticated();
    const deleted = await deleteMethod(tx, userId, id);
    if (deleted === undefined) {
      const isMine = (await listMethods(tx, [userId])).some((method) => method.id === id);
      throw isMine
        ? errors.primaryMethod({ extensions: { resource: 'AuthenticationMethod', field: 'isPrimary' } })
        : failures.notFound('AuthenticationMethod');
    }
    audit({ targetType: 'AuthenticationMethod', targetId: id, detail: { provider: deleted.provider } });
    return toMethod(deleted);
  },
});
