import { pageFields, pageOf, scopeField, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { pageSetUpLinks } from '../../storage/set-up-links.ts';
import { organizationOf } from '../connections/connection.ts';
import { SetUpLink, setUpScopes, showSetUpLinks } from './set-up-link.ts';

export const listSetUpLinks = operation({
  name: 'listSetUpLinks',
  summary: 'The links by which the IT of an organization sets up its sign-in, with what became of them',
  kind: 'query',
  input: strict({ ...scopeField, ...pageFields(['createdAt', 'expiresAt']) }),
  output: pageOf(SetUpLink),
  access: { permission: 'Connection:Query' },
  scopes: setUpScopes,
  verification: 'by-scope',
  isolation: { none: 'one query' },
  errors: ['SERVICE_UNAVAILABLE'],
  audit: { none: 'a list' },
  events: [],
  rest: { method: 'GET', path: '/api/connections/set-up-links' },
  graphql: { field: 'setUpLinks', type: 'SetUpLinkPage', items: 'setUpLinks' },
  async handle({ scope: _scope, ...input }, context) {
    const { rows, ...page } = await pageSetUpLinks(context.deps.database, organizationOf(context), input);
    return { items: await showSetUpLinks(rows, context), ...page };
  },
});
