import { Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { reasons } from '../../domain/decision.ts';
import { Text } from './input.ts';
import { presentCondition } from './matched-permission.ts';
import { pageAfter, searchActions } from './search-actions.ts';
import { rightsSearch, rightsSearchInput, searchOf } from './search-rights.ts';

export const findActions = operation({
  name: 'findActions',
  summary: 'What may the caller, or the subject that it names, do here? Every action that it holds, and whether its condition is met.',
  kind: 'query',
  input: strict({
    ...rightsSearchInput,
    resource: Type.Optional(Text),
  }),
  output: Type.Object({
    items: Type.Array(
      Type.Object({
        resource: Type.String(),
        action: Type.String(),
        authorized: Type.Boolean(),
        reason: Type.Enum([...reasons]),
        condition: Nullable(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
    nextCursor: Nullable(Type.String()),
  }),
  ...rightsSearch,
  rest: { method: 'POST', path: '/api/auth/search/actions' },
  graphql: { field: 'findActions', type: 'FoundActions' },
  handle: async ({ resource, cursor, limit = 100, ...asked }, context) => {
    const found = await searchActions(context.deps, { ...(await searchOf(context, asked)), resource });
    const { items, nextCursor } = pageAfter(found, (one) => `${one.resource}:${one.action}`, cursor, limit);
    return {
      items: items.map(({ decision: { authorized, reason, grant }, ...one }) => ({
        ...one,
        authorized,
        reason,
        condition: grant === undefined ? null : presentCondition(grant),
      })),
      nextCursor: nextCursor ?? null,
    };
  },
});
