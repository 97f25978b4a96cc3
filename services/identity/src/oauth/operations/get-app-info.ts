import { failures } from '@tessera/kernel/errors';
import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { findAppOfClient } from '../../apps/storage/project-apps.ts';
import { allowedProviders, originOf } from '../../ground/domain/project-app.ts';
import { operation } from '../deps.ts';

export const getAppInfo = operation({
  name: 'getAppInfo',
  summary: 'What pages show of an app on the way to it',
  kind: 'query',
  input: strict({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }),
  output: Type.Object({
    name: Type.String(),
    url: Type.Union([Type.String(), Type.Null()], { description: 'The origin of the app on the web; null for an app on devices' }),
    enabledProviders: Type.Array(Type.String(), { description: 'Those that can be used; all that are configured when the app names none' }),
    scopes: Type.Array(Type.String()),
  }),
  access: { open: 'shown before the sign-in' },
  scopes: 'none',
  verification: 'by-scope',
  errors: ['NOT_FOUND'],
  audit: { none: 'public facts' },
  events: [],
  rest: { method: 'GET', path: '/api/auth/project/app-info' },
  graphql: { none: 'REST only: a part of the sign-in to an app' },

  async handle({ client_id: clientId }, { tx, deps }) {
    const app = await findAppOfClient(tx, clientId);
    if (app === undefined) throw failures.notFound('ProjectApp');
    return {
      name: app.name,
      url: originOf(app),
      enabledProviders: allowedProviders(app, [...deps.connections.keys()]),
      scopes: [...app.scopes],
    };
  },
});
