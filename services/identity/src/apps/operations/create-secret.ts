import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import { hasSecrets } from '@tessera/rules/app-types';
import Type from 'typebox';
import { newClientSecret } from '../../ground/tokens/opaque-token.ts';
import { operation } from '../deps.ts';
import { errors } from '../errors.ts';
import { insertAppSecret } from '../storage/project-app-secrets.ts';
import { lockProjectApp, updateProjectApp } from '../storage/project-apps.ts';
import { projectScopeOf, projectTenants, requireProjectApp, targetOf, vouch } from './project-app.ts';
import { AppSecret } from './secret.ts';

/** Who has a secret gets the app's tokens, so its maker vouches for the app. */
export const createProjectAppSecret = operation({
  name: 'createProjectAppSecret',
  summary: 'Add a client secret, shown here and never again; two may be valid while one replaces the other',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id }),
  output: Type.Object({ ...AppSecret.properties, clientSecret: Type.String({ secret: true, description: 'Shown once' }) }),
  access: { permission: 'ProjectApp:Update', target: targetOf },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'project-app.secret-created',
  events: [],
  leaves: { ends: 'the app has a voucher, who is asked at each sign-in and token' },
  rest: { method: 'POST', path: '/api/project-apps/:id/secrets', status: 201 },
  graphql: { field: 'createProjectAppSecret', type: 'CreatedProjectAppSecret' },

  async prepare({ id }, context) {
    const app = await requireProjectApp(id, context);
    if (!hasSecrets(app)) throw errors.noSecrets();
    return { judged: app, voucher: await vouch(app, app, context), clientSecret: newClientSecret() };
  },

  async handle({ id }, context, { judged, voucher, clientSecret }) {
    const { tx, now, audit } = context;
    const scope = projectScopeOf(context);
    // Locked, so that parallel calls make two secrets at most.
    const app = await lockProjectApp(tx, scope, id);
    if (app === undefined) throw failures.notFound('ProjectApp');
    if (app.updatedAt !== judged.updatedAt) throw failures.conflict('ProjectApp', 'updatedAt');
    const made = await insertAppSecret(tx, { id: newId(), projectAppId: id, secret: clientSecret }, now);
    if (made === undefined) throw errors.enoughSecrets();
    await updateProjectApp(tx, { scope, id }, app, voucher, now);
    audit({ targetType: 'ProjectApp', targetId: id, detail: { name: app.name, secretId: made.id, lastFour: made.lastFour } });
    return { ...made, clientSecret };
  },
});
