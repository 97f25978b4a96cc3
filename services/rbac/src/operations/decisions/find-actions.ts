import { freshnessOf, Nullable, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { jsonRecord } from '../../domain/condition.ts';
import { reasons } from '../../domain/decision.ts';
import { optionalScope, optionalSubject, ownQuestions, pageInput, Target, Text } from './input.ts';
import { presentCondition } from './matched-permission.ts';
import { whoseRights } from './named.ts';
import { pageAfter, searchActions } from './search-actions.ts';

export const findActions = operation({
  name: 'findActions',
  summary: 'What may the caller, or the subject that it names, do here? Every action that it holds, and whether its condition is met.',
  kind: 'query',
  input: strict({
    ...{ ...optionalScope, ...optionalSubject, ...pageInput },
    resource: Type.Optional(Text),
    context: Type.Optional(strict({ resource: Type.Optional(Target) })),
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
  access: ownQuestions,
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: ['FORBIDDEN'],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/search/actions' },
  graphql: { field: 'findActions' },
  handle: async ({ subject, scope, resource, context: given, cursor, limit = 100 }, context) => {
    const whose = await whoseRights(context, subject, scope);
    const target = jsonRecord(given?.resource ?? {});
    const found = await searchActions(context.deps, { whose, resource, target, ...freshnessOf(context) });
    const { items, nextCursor } = pageAfter(found, (one) => `${one.resource}:${one.action}`, cursor, limit);
    return {
      items: items.map(({ decision: { authorized, reason, grant }, ...one }) => ({
        ...{ ...one, authorized, reason },
        condition: grant === undefined ? null : presentCondition(grant),
      })),
      nextCursor: nextCursor ?? null,
    };
  },
});
