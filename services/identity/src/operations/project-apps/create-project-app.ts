import { newId } from '@tessera/kernel/ids';
import { callerOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { untyped } from '../../domain/oauth/project-app.ts';
import { voucherOf } from '../../sign-in/voucher.ts';
import { holdScope } from '../../storage/ended-scopes.ts';
import { insertProjectApp } from '../../storage/project-apps.ts';
import { newOpaqueToken } from '../../tokens/opaque-token.ts';
import {
  appFields,
  assertAppAllowed,
  assertMayBeUncapped,
  ProjectApp,
  projectScopeOf,
  projectTenants,
  toProjectApp,
} from './project-app.ts';
import { emitTags, planTags } from './tag-project-app.ts';

const { name, redirectUris, ...others } = appFields;

export const createProjectApp = operation({
  name: 'createProjectApp',
  summary: 'Register an app that people of a project can sign in to',
  kind: 'mutation',
  input: strict({ ...scopeField, name, redirectUris, ...Type.Partial(Type.Object(others)).properties }),
  output: ProjectApp,
  access: { permission: 'ProjectApp:Create' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'project-app.created',
  events: ['entity.tagged'],
  rest: { method: 'POST', path: '/api/project-apps', status: 201 },
  graphql: { field: 'createProjectApp' },
  clauses: ['spec:apps.1', 'spec:apps.2', 'spec:apps.3', 'spec:apps.4', 'spec:apps.5'],

  async prepare(input, context) {
    const { name, redirectUris, scopes = [], enabledProviders, allowSignUp = false, signUpRoleId = null } = input;
    const own = { name, redirectUris, scopes, enabledProviders: enabledProviders ?? [], allowSignUp, signUpRoleId };
    const fields = { ...untyped, ...own };
    assertMayBeUncapped(fields, context);
    const [tags, voucher] = await Promise.all([
      planTags(undefined, input, context),
      voucherOf(callerOf(context).subject, context.deps),
      assertAppAllowed(fields, fields, context),
    ]);
    return { app: { ...fields, voucher, id: newId(), clientId: `app_${newOpaqueToken().slice(0, 32)}` }, tags };
  },

  async handle(_input, context, { app, tags }) {
    const { tx, now, audit } = context;
    const scope = projectScopeOf(context);
    await holdScope(tx, scope.id);
    const made = await insertProjectApp(tx, { ...app, scope }, now);
    emitTags(app.id, tags, context);
    const { redirectUris, scopes, allowSignUp, signUpRoleId } = app;
    audit({ targetType: 'ProjectApp', targetId: app.id, detail: { redirectUris, scopes, allowSignUp, signUpRoleId } });
    return toProjectApp(made);
  },
});
