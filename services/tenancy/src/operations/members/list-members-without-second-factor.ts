import { Id, Nullable, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { listMembersAfter, type MemberContact } from '../../storage/members.ts';

const batch = 500;
/** So that one request stays short where nearly every member has a factor. */
const mostBatches = 10;

export const listMembersWithoutSecondFactor = operation({
  name: 'listMembersWithoutSecondFactor',
  summary: 'Members who could not go on if the organization demanded a second factor',
  kind: 'query',
  input: strict({
    ...scopeField,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    cursor: Type.Optional(Type.String({ format: 'uuid', description: 'The nextCursor of the page before' })),
  }),
  output: strict({
    items: Type.Array(strict({ userId: Id, name: Type.String(), email: Nullable(Type.String()) })),
    nextCursor: Nullable(Type.String({ description: 'Of the next page, which may be empty; null after the last one' })),
  }),
  // Not for all who see the members: it tells whose password alone opens an account.
  access: { permission: 'Organization:Update' },
  scopes: ['organization'],
  isolation: { none: 'the preparation opens its own scoped transactions' },
  verification: 'by-scope',
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/organization-members/without-second-factor' },
  graphql: { field: 'membersWithoutSecondFactor', type: 'MembersWithoutSecondFactorPage' },

  async prepare({ limit = 50, cursor }, context) {
    const scope = scopeOf(context);
    const { database, identity } = context.deps;
    const items: MemberContact[] = [];
    let after = cursor;
    for (let round = 0; round < mostBatches; round += 1) {
      const from = after;
      const members = await database.scoped(scope, (tx) => listMembersAfter(tx, scope.id, from, batch), { readOnly: true });
      const { userIds } = await identity.filterWithoutSecondFactor({ userIds: members.map(({ userId }) => userId) });
      const without = new Set(userIds);
      for (const member of members) {
        if (items.length === limit) return { items, nextCursor: after ?? null };
        after = member.userId;
        if (without.has(member.userId)) items.push(member);
      }
      if (members.length < batch) return { items, nextCursor: null };
    }
    return { items, nextCursor: after ?? null };
  },
  handle: async (_input, _context, page) => page,
});
