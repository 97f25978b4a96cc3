import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { hardDeletePerson, hasSignIn, softDeletePerson } from '../../storage/people.ts';
import { ScopedUser, toUser } from '../entities.ts';
import { belongsAbove, peopleScopes, requireInScope, targetOf, wireScope, wireSubject } from '../scoped-people.ts';

export const deleteUser = operation({
  name: 'deleteUser',
  summary: 'Take a person out of a scope; who exists for this scope only is deleted',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, hardDelete: Type.Optional(Type.Boolean()) }),
  output: ScopedUser,
  access: { permission: 'User:Delete', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: 'user.deleted',
  events: ['user.deleted'],
  rest: { method: 'DELETE', path: '/api/users/:id' },
  graphql: { field: 'deleteUser' },

  async prepare({ id, hardDelete = false }, context) {
    const { tenancy, roles } = context.deps;
    const scope = wireScope(scopeOf(context));
    const person = await requireInScope(id, context);
    // Ends with user.left, which ends what the user had in the scope. An organization's membership
    // is rbac's to end: it keeps the last Owner.
    if (scope.tenant === 'organization')
      await roles.endMembership({ actor: wireSubject(callerOf(context).subject), scope, userId: id }, { timeoutMs: 8_000 });
    else {
      const { removed } = await tenancy.removePerson({ scope, userId: id, hard: hardDelete }, { timeoutMs: 8_000 });
      // A member of the organization, or the account's owner, is no user of the project.
      if (!removed && (await belongsAbove(id, context))) throw failures.conflict('User', 'id');
    }
    return person;
  },

  async handle({ id, hardDelete = false }, context, person) {
    const { tx, deps, now, emit, audit } = context;
    const scope = scopeOf(context);
    const isHome = person.home?.tenant === scope.tenant && person.home.id === scope.id;
    const goes = isHome && !(await hasSignIn(tx, id));
    const gone = goes ? await (hardDelete ? hardDeletePerson(tx, id) : softDeletePerson(tx, id, now)) : undefined;
    if (gone !== undefined) emit({ type: 'user.deleted', key: id, payload: { userId: id, hard: hardDelete } });
    const detail = { hardDelete, removed: goes ? 'user' : 'from scope' };
    // What was to be forgotten is not kept in the log.
    audit({ targetType: 'User', targetId: id, detail, ...(hardDelete ? { before: {} } : {}) });
    return { ...toUser({ ...person, deletedAt: now.toISOString() }, deps.settings.appUrl), primaryTagId: null };
  },
});
