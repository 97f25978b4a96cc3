import { newId } from '@tessera/kernel/ids';
import { annotate, scopeField, strict } from '@tessera/kernel/operation';
import { defaultsOf, hasSecrets } from '@tessera/rules/app-types';
import Type, { type Static } from 'typebox';
import { type ProjectApp as App, untyped } from '../../ground/domain/project-app.ts';
import { holdScope } from '../../ground/storage/ended-scopes.ts';
import { newClientSecret, newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { operation } from '../deps.ts';
import { insertAppSecret } from '../storage/project-app-secrets.ts';
import { type AppFields, insertProjectApp } from '../storage/project-apps.ts';
import { AppType } from './openid-fields.ts';
import {
  appFields,
  assertAppAllowed,
  assertMayBeUncapped,
  newVoucherOf,
  ProjectApp,
  projectScopeOf,
  projectTenants,
  toProjectApp,
} from './project-app.ts';
import { emitTags, planTags } from './tag-project-app.ts';

const { name, tagIds, primaryTagId, ...others } = appFields;
const fieldsInput = strict({
  name,
  type: Type.Optional(annotate(AppType, { description: 'Left out, the app is one of the fragment flow' })),
  ...Type.Partial(Type.Object(others)).properties,
});

export const createProjectApp = operation({
  name: 'createProjectApp',
  summary: 'Register an app that people of a project can sign in to',
  kind: 'mutation',
  input: strict({ ...scopeField, ...fieldsInput.properties, ...Type.Partial(Type.Object({ tagIds, primaryTagId })).properties }),
  output: Type.Object({
    ...ProjectApp.properties,
    clientSecret: Type.Optional(Type.String({ secret: true, description: 'Shown once, for types web and machine' })),
  }),
  access: { permission: 'ProjectApp:Create' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'project-app.created',
  events: ['entity.tagged'],
  leaves: 'vouched',
  changesDocuments: true,
  rest: { method: 'POST', path: '/api/project-apps', status: 201 },
  graphql: { field: 'createProjectApp', type: 'ProjectApp' },
  example: { input: { redirectUris: ['https://app.example.com/callback'] }, records: ['name', 'redirectUris'] },
  clauses: ['spec:apps.1', 'spec:apps.2', 'spec:apps.3', 'spec:apps.4', 'spec:apps.5'],

  async prepare(input, context) {
    const { scope: _scope, tagIds: _tagIds, primaryTagId: _primaryTagId, ...given } = input;
    const fields = fieldsOfInput(given);
    assertMayBeUncapped(fields, context);
    const [tags, voucher] = await Promise.all([
      planTags(undefined, input, context),
      newVoucherOf(context),
      assertAppAllowed(fields, fields, context),
    ]);
    const clientSecret = hasSecrets(fields) ? newClientSecret() : null;
    return {
      app: { ...fields, documentUrl: null, voucher, id: newId(), clientId: `app_${newOpaqueToken().slice(0, 32)}` },
      tags,
      clientSecret,
    };
  },

  async handle(_input, context, { app, tags, clientSecret }) {
    const { tx, now, audit } = context;
    const scope = projectScopeOf(context);
    await holdScope(tx, scope.id);
    const made = await insertProjectApp(tx, { ...app, scope }, now);
    if (clientSecret !== null) await insertAppSecret(tx, { id: newId(), projectAppId: app.id, secret: clientSecret }, now);
    emitTags(app.id, tags?.after, context);
    const { redirectUris, scopes, allowSignUp, signUpRoleId, type, roleId, isFirstParty, allowOrganizationSignUp } = app;
    const typed = type === null ? {} : { type, roleId, isFirstParty, allowOrganizationSignUp };
    const detail = { redirectUris, scopes, allowSignUp, signUpRoleId, ...typed };
    audit({ targetType: 'ProjectApp', targetId: app.id, detail, ...(tags && { after: { tagIds: tags.after.tagIds.toSorted() } }) });
    return { ...toProjectApp(made), ...(clientSecret === null ? {} : { clientSecret }) };
  },
});

/** With the defaults of the app's type (docs/openid.md). */
function fieldsOfInput({ type, enabledProviders, ...given }: Static<typeof fieldsInput>): AppFields & Pick<App, 'type'> {
  const defaults = { redirectUris: [], scopes: [], allowSignUp: false, signUpRoleId: null, ...untyped };
  return { ...defaults, ...(type && defaultsOf(type)), ...given, enabledProviders: enabledProviders ?? [], type: type ?? null };
}
