import { countsOverTime, Id, periodField, periods, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { findApiKeyUse } from '../../storage/api-key-use.ts';
import { apiKeyScope, apiKeyTenants, targetKey } from './api-key.ts';

export const getApiKeyUse = operation({
  name: 'getApiKeyUse',
  summary: 'How often an API key was exchanged for a token over time',
  kind: 'query',
  input: strict({ scope: apiKeyScope, id: Id, ...periodField }),
  output: countsOverTime({ exchanged: Type.Integer({ minimum: 0 }) }),
  access: { permission: 'ApiKey:Query', target: targetKey },
  scopes: apiKeyTenants,
  verification: 'by-scope',
  isolation: { none: 'one query of the audit log, of a key that was found in its place' },
  errors: ['NOT_FOUND'],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/api-keys/:id/use' },
  graphql: { field: 'apiKeyUse', type: 'ApiKeyUse' },
  handle: async ({ id, period }, { deps }) => ({ unit: periods[period].unit, counts: await findApiKeyUse(deps.database, id, period) }),
});
