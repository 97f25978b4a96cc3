import { pageFields, pageOf, scopeOf, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageApiKeys } from '../../storage/api-keys.ts';
import { ApiKeySchema, apiKeyScope, apiKeyTenants, placeOfInput, toApiKey } from './api-key.ts';
import { roleOfApiKey } from './role-relation.ts';

export const listApiKeys = operation({
  name: 'listApiKeys',
  summary: 'List the API keys of a project, or of one user of it',
  kind: 'query',
  input: strict({ scope: apiKeyScope, ...pageFields(['name', 'createdAt', 'updatedAt', 'expiresAt', 'lastUsedAt'], ['role']) }),
  output: pageOf(ApiKeySchema),
  access: { permission: 'ApiKey:Query' },
  scopes: apiKeyTenants,
  verification: 'by-scope',
  errors: [],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/api-keys' },
  graphql: { field: 'apiKeys', type: 'ApiKeyPage', items: 'apiKeys' },
  relations: { role: roleOfApiKey },
  handle: async (input, { tx, ...context }) => {
    const { rows, totalCount, hasNextPage } = await pageApiKeys(tx, placeOfInput(input, { scope: scopeOf(context) }), input);
    return { items: rows.map(toApiKey), totalCount, hasNextPage };
  },
});
