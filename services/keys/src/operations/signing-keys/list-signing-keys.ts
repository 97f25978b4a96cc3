import { pageFields, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageSigningKeys } from '../../storage/signing-keys.ts';
import { projectOf } from '../api-keys/api-key.ts';
import { projectTenants, SigningKeySchema, toSigningKey } from './signing-key.ts';

export const listSigningKeys = operation({
  name: 'listSigningKeys',
  summary: 'List the signing keys of a project, without key material',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['createdAt', 'activatedAt', 'rotatedAt', 'status']) }),
  output: pageOf(SigningKeySchema),
  access: { permission: 'SigningKey:Query' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'signing keys are in no pivot: the scope stands in the key and in every query' },
  errors: [],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/signing-keys' },
  graphql: { field: 'signingKeys', type: 'SigningKeyPage', items: 'signingKeys' },
  handle: async (input, { tx, ...context }) => {
    const { rows, totalCount, hasNextPage } = await pageSigningKeys(tx, projectOf(context), input);
    return { items: rows.map(toSigningKey), totalCount, hasNextPage };
  },
});
