import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { findAppSecrets } from '../storage/project-app-secrets.ts';
import { projectTenants, targetOf } from './project-app.ts';
import { AppSecret } from './secret.ts';

export const listProjectAppSecrets = operation({
  name: 'listProjectAppSecrets',
  summary: 'The client secrets of an app: when each was made and last used, and its last four characters',
  kind: 'query',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({ items: Type.Array(AppSecret) }),
  access: { permission: 'ProjectApp:Query', target: targetOf },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/project-apps/:id/secrets' },
  graphql: { field: 'projectAppSecrets', type: 'ProjectAppSecretList' },

  async handle({ id }, { tx }) {
    const secrets = await findAppSecrets(tx, id);
    return { items: secrets.map(({ digest: _digest, ...secret }) => secret) };
  },
});
