import { failures } from '@tessera/kernel/errors';
import { assertVersion, Id, scopeField, strict } from '@tessera/kernel/operation';
import { exchangeGrant } from '@tessera/rules/app-types';
import { metadataPath } from '@tessera/rules/claims';
import Type from 'typebox';
import type { ProjectApp as App } from '../../ground/domain/project-app.ts';
import { operation } from '../deps.ts';
import { deleteArtifactsOfApps } from '../storage/openid-artifacts.ts';
import { deleteConsentsOfApp } from '../storage/project-app-consents.ts';
import { takeExchanged, takeTokensOfApps } from '../storage/project-app-tokens.ts';
import { type AppFields, lockProjectApp, updateProjectApp as updateRow } from '../storage/project-apps.ts';
import { directingFields } from './openid-fields.ts';
import {
  appFields,
  assertAppAllowed,
  assertRegistered,
  newVoucher,
  ProjectApp,
  projectScopeOf,
  projectTenants,
  requireProjectApp,
  targetOf,
  toProjectApp,
} from './project-app.ts';
import { emitTags, planTags } from './tag-project-app.ts';

export const updateProjectApp = operation({
  name: 'updateProjectApp',
  summary: 'Change an app; tokens that had more than its new scopes end',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...Type.Partial(Type.Object(appFields)).properties }),
  output: ProjectApp,
  access: { permission: 'ProjectApp:Update', target: targetOf },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'project-app.updated',
  events: ['entity.tagged'],
  leaves: 'vouched',
  changesDocuments: true,
  rest: { method: 'PATCH', path: '/api/project-apps/:id' },
  graphql: { field: 'updateProjectApp', type: 'ProjectApp' },

  async prepare({ scope: _scope, id, tagIds, primaryTagId, ...fields }, context) {
    const { enabledProviders, ...rest } = fields;
    const change: Partial<AppFields> = { ...rest, ...(enabledProviders === undefined ? {} : { enabledProviders: enabledProviders ?? [] }) };
    const app = await requireProjectApp(id, context);
    assertRegistered(app);
    const [tags, voucher] = await Promise.all([
      planTags(id, { tagIds, primaryTagId }, context),
      newVoucher(app, change, context),
      assertAppAllowed({ ...app, ...change }, change, context),
    ]);
    return { change, tags, voucher, judged: app };
  },

  async handle({ id }, context, { change, tags, voucher, judged }) {
    const { tx, deps, now, audit } = context;
    const scope = projectScopeOf(context);
    const before = await lockProjectApp(tx, scope, id);
    if (before === undefined) throw failures.notFound('ProjectApp');
    await assertVersion(context.request, async () => before);
    const wanted = { ...before, ...change };
    // Two parallel changes may each be allowed and together not, so the state that was checked must
    // still be current.
    if (isGuarded(change) && groundsOf(before) !== groundsOf(judged)) throw failures.conflict('ProjectApp', 'updatedAt');
    if (wanted.allowSignUp && wanted.allowOrganizationSignUp) throw failures.conflict('ProjectApp', 'allowOrganizationSignUp');
    if (wanted.allowSignUp && wanted.signUpRoleId === null) throw failures.conflict('ProjectApp', 'signUpRoleId');
    const after = await updateRow(tx, { scope, id }, wanted, voucher, now);
    if (after === undefined) throw failures.notFound('ProjectApp');
    emitTags(id, tags?.after, context);
    const asksAgain = readsMoreOfPeople(before, after);
    if (asksAgain) {
      await deleteConsentsOfApp(tx, id);
      await deleteArtifactsOfApps(tx, [id]);
    }
    const ended =
      asksAgain || narrows(before, after) ? await takeTokensOfApps(tx, [id]) : await takeExchanged(tx, id, removedFrom(before, after));
    const tagged = tags && { ...tags.after, tagIds: tags.after.tagIds.toSorted() };
    const detail = { name: after.name, endedTokens: ended.length };
    audit({ targetType: 'ProjectApp', targetId: id, before: { ...before, ...tags?.before }, after: { ...change, ...tagged }, detail });
    return { after, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ after, revocations }, { deps }) {
    deps.revoker.announce(revocations);
    return toProjectApp(after);
  },
});

/** The client ids that may exchange its tokens no more. */
function removedFrom(before: AppFields, { mayAct }: AppFields): readonly string[] {
  return before.mayAct.filter((clientId) => !mayAct.includes(clientId));
}

/** People allow an app what it reads of their metadata by its name, so they are asked again. */
function readsMoreOfPeople(before: AppFields, after: AppFields): boolean {
  const read = ({ claims }: AppFields) => claims.flatMap(({ source }) => (metadataPath(source)?.of === 'user' ? [source] : []));
  const known = read(before);
  return read(after).some((source) => !known.includes(source));
}

/** Whether tokens issued before have rights that new ones would not have. */
function narrows(before: AppFields, after: AppFields): boolean {
  if ((before.actsInGrants && !after.actsInGrants) || (after.dpopBoundAccessTokens && !before.dpopBoundAccessTokens)) return true;
  // What it exchanged is its own, and ends with its grant type.
  if (before.grantTypes.includes(exchangeGrant) && !after.grantTypes.includes(exchangeGrant)) return true;
  if (before.roleId !== after.roleId || (after.requireSecondFactor && !before.requireSecondFactor)) return true;
  if (before.scopes.length === 0) return after.scopes.length > 0;
  return before.scopes.some((scope) => !after.scopes.includes(scope));
}

/**
 * What decides whether a change of where tokens go, what they allow or who may sign up is allowed.
 */
const grounds = [
  ...(['redirectUris', 'postLogoutRedirectUris', 'backchannelLogoutUri', 'scopes', 'signUpRoleId', 'isFirstParty'] as const),
  ...(['enabledProviders', 'requireSecondFactor'] as const),
  ...directingFields,
] as const;

function isGuarded(change: Partial<AppFields>): boolean {
  return change.allowSignUp !== undefined || grounds.some((field) => change[field] !== undefined);
}

function groundsOf(app: App): string {
  return JSON.stringify([...grounds.map((field) => app[field]), app.voucher]);
}
