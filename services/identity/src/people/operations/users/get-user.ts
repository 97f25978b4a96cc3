import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { ScopedUser, toUser } from '../entities.ts';
import { peopleScopes, primaryTagsOf, requireInScope, targetOf } from '../scoped-people.ts';
import { userRelationNames, userRelations } from './user-relations.ts';

export const getUser = operation({
  name: 'getUser',
  summary: 'One person of an organization or a project',
  kind: 'query',
  input: strict({
    ...scopeField,
    id: Id,
    relations: Type.Optional(Type.Array(Type.Enum([...userRelationNames]), { maxItems: 20 })),
  }),
  output: ScopedUser,
  access: { permission: 'User:Read', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { none: 'read with the check that the person belongs to the scope' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'reads one person' },
  events: [],
  rest: { method: 'GET', path: '/api/users/:id' },
  graphql: { none: 'users(input: { ids })' },
  relations: userRelations,

  async handle({ id }, context) {
    const [person, [primaryTagId = null]] = await Promise.all([requireInScope(id, context), primaryTagsOf([id], context)]);
    return { ...toUser(person, context.deps.settings.appUrl), primaryTagId };
  },
});
