import { failures } from '@tessera/kernel/errors';
import { auditMessage, callerOf, differences, Id, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { hardDeletePerson, hasSignIn, softDeletePerson } from '../../storage/people.ts';
import { ScopedUser, toUser } from '../entities.ts';
import { belongsAbove, peopleScopes, requireInScope, targetOf, wireScope, wireSubject } from '../scoped-people.ts';

const declared = { operation: 'deleteUser', action: 'user.deleted' } as const;

export const deleteUser = operation({
  name: declared.operation,
  summary: 'Take a person out of a scope; who exists for this scope only is deleted',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    hardDelete: Type.Optional(Type.Boolean({ description: 'Remove the rows instead of hiding them' })),
  }),
  output: ScopedUser,
  access: { permission: 'User:Delete', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  audit: declared.action,
  events: ['user.deleted'],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/users/:id' },
  graphql: { field: 'deleteUser', type: 'User' },

  async prepare({ id, hardDelete = false }, context) {
    const { tenancy, roles, database, settings } = context.deps;
    const scope = wireScope(scopeOf(context));
    const person = await requireInScope(id, context);
    const isHome = person.home?.tenant === scope.tenant && person.home.id === scope.id;
    const goes = isHome && !(await hasSignIn(database, id));
    // What was to be forgotten is not kept in the log.
    const before = hardDelete ? {} : toUser(person, settings.appUrl);
    const audited = { targetType: 'User', targetId: id, detail: { hardDelete, removed: goes ? 'user' : 'from scope' } };
    const changes = differences(Object.keys(before), before, {});
    const message = auditMessage({ ...declared, outcome: 'ok', entry: audited, changes }, context);
    const leaving = { scope, userId: id, hard: hardDelete, auditJson: message };
    // Ends with user.left, which ends what the user had in the scope and deletes who has only it.
    // An organization's membership is rbac's to end: it keeps the last Owner.
    const { isAudited } =
      scope.tenant === 'organization'
        ? await roles.endMembership({ ...leaving, actor: wireSubject(callerOf(context).subject) }, { timeoutMs: 8_000 })
        : await removeFromProject();
    return { person, goes, entry: { ...audited, before, ...(isAudited ? { isWritten: true as const } : {}) } };

    async function removeFromProject() {
      const answer = await tenancy.removePerson(leaving, { timeoutMs: 8_000 });
      // A member of the organization, or the account's owner, is no user of the project.
      if (!answer.removed && (await belongsAbove(id, context))) throw failures.conflict('User', 'id');
      return answer;
    }
  },

  async handle({ id, hardDelete = false }, { tx, deps, now, emit, audit }, { person, goes, entry }) {
    const gone =
      goes && !(await hasSignIn(tx, id)) ? await (hardDelete ? hardDeletePerson(tx, id) : softDeletePerson(tx, id, now)) : undefined;
    if (gone !== undefined) emit({ type: 'user.deleted', key: id, payload: { userId: id, hard: hardDelete } });
    audit(entry);
    return { ...toUser({ ...person, deletedAt: now.toISOString() }, deps.settings.appUrl), primaryTagId: null };
  },
});
