import { pageFields, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { tagTable } from '../../storage/entity-tables.ts';
import { listEntities } from '../../storage/scoped-entity.ts';
import { TagPage } from '../schemas.ts';

export const listTags = operation({
  name: 'listTags',
  summary: 'Lists the tags of a scope.',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['name', 'color', 'createdAt', 'updatedAt']) }),
  output: TagPage,
  access: { permission: 'Tag:Query' },
  scopes: tenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'GET', path: '/api/tags' },
  graphql: { field: 'tags', type: 'TagPage', items: 'tags' },
  handle: async (input, context) => {
    const { rows, ...page } = await listEntities(context.tx, tagTable, scopeOf(context), input);
    return { items: rows, ...page };
  },
});
