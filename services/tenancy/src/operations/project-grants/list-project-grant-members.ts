import { failures } from '@tessera/kernel/errors';
import { annotate, Id, Nullable, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { grantScope, isInUse } from '../../domain/project-grant.ts';
import { findPeople } from '../../storage/people.ts';
import { findGrant } from '../../storage/project-grants.ts';
import { ownerSide, sideOf } from './project-grant.ts';

const Member = strict({
  userId: Id,
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  roles: Type.Array(strict({ id: Id, name: Type.String() })),
});

export const listProjectGrantMembers = operation({
  name: 'listProjectGrantMembers',
  summary: 'The people of a customer who hold a role in the project, for its owner, who serves them; nothing else of the customer',
  kind: 'query',
  input: strict({
    ...scopeField,
    id: Id,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'default 50' })),
    after: Type.Optional(annotate(Id, { description: 'The last id of the page before' })),
  }),
  output: strict({ members: Type.Array(Member), totalCount: Type.Integer(), nextAfter: Nullable(Id) }),
  access: { permission: 'ProjectGrant:Query' },
  scopes: ownerSide,
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/project-grants/:id/members' },
  graphql: { field: 'projectGrantMembers', type: 'ProjectGrantMemberPage' },
  handle: async ({ id, limit = 50, after = '' }, context) => {
    const grant = await findGrant(context.tx, sideOf(context), id);
    if (grant === undefined) throw failures.notFound('ProjectGrant');
    return { grant, limit, after };
  },
  complete: async ({ grant, limit, after }, { deps }) => {
    // What a customer does after the end is not the owner's to see.
    if (!isInUse(grant)) return { members: [], totalCount: 0, nextAfter: null };
    const { holders, totalCount } = await deps.roles.listHolders({ scope: grantScope(grant), after, limit });
    const userIds = holders.map(({ userId }) => userId);
    const people = new Map((await findPeople({ query: deps.database.query }, userIds)).map((person) => [person.userId, person]));
    const members = holders.map(({ userId, roles }) => ({
      userId,
      name: people.get(userId)?.name ?? null,
      email: people.get(userId)?.email ?? null,
      roles: roles.map(({ id, name }) => ({ id, name })),
    }));
    return { members, totalCount, nextAfter: holders.length < limit ? null : (userIds.at(-1) ?? null) };
  },
});
