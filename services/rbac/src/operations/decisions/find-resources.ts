import { Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { Text } from './input.ts';
import { pageAfter, searchResources } from './search-actions.ts';
import { rightsSearch, rightsSearchInput, searchOf } from './search-rights.ts';

export const findResources = operation({
  name: 'findResources',
  summary: 'On which resources may the caller, or the subject that it names, do this here?',
  kind: 'query',
  input: strict({ ...rightsSearchInput, action: Text }),
  output: Type.Object({
    items: Type.Array(Type.Object({ slug: Type.String() })),
    nextCursor: Nullable(Type.String()),
  }),
  ...rightsSearch,
  rest: { method: 'POST', path: '/api/auth/search/resources' },
  graphql: { field: 'findResources', type: 'FoundResources' },
  handle: async ({ action, cursor, limit = 100, ...asked }, context) => {
    const found = await searchResources(context.deps, { ...(await searchOf(context, asked)), action });
    const { items, nextCursor } = pageAfter(found, (slug) => slug, cursor, limit);
    return { items: items.map((slug) => ({ slug })), nextCursor: nextCursor ?? null };
  },
});
