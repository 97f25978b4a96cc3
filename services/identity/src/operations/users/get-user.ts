import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../dependencies.ts';
import { toUser, User } from '../entities.ts';
import { peopleScopes, requireInScope, targetOf } from '../scoped-people.ts';
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
  output: User,
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
  handle: async ({ id }, context) => toUser(await requireInScope(id, context), context.deps.settings.appUrl),
});
