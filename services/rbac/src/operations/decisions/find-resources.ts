import { freshnessOf, Nullable, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { jsonRecord } from '../../domain/condition.ts';
import { optionalScope, optionalSubject, ownQuestions, pageInput, Target, Text } from './input.ts';
import { whoseRights } from './named.ts';
import { pageAfter, searchResources } from './search-actions.ts';

export const findResources = operation({
  name: 'findResources',
  summary: 'On which resources may the caller, or the subject that it names, do this here?',
  kind: 'query',
  input: strict({
    ...{ ...optionalScope, ...optionalSubject, ...pageInput },
    action: Text,
    context: Type.Optional(strict({ resource: Type.Optional(Target) })),
  }),
  output: Type.Object({
    items: Type.Array(Type.Object({ slug: Type.String() })),
    nextCursor: Nullable(Type.String()),
  }),
  access: ownQuestions,
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: ['FORBIDDEN'],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/search/resources' },
  graphql: { field: 'findResources' },
  handle: async ({ subject, scope, action, context: given, cursor, limit = 100 }, context) => {
    const whose = await whoseRights(context, subject, scope);
    const target = jsonRecord(given?.resource ?? {});
    const found = await searchResources(context.deps, { whose, action, target, ...freshnessOf(context) });
    const { items, nextCursor } = pageAfter(found, (slug) => slug, cursor, limit);
    return { items: items.map((slug) => ({ slug })), nextCursor: nextCursor ?? null };
  },
});
