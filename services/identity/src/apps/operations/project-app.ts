/** Project apps in the API, and the checks of their changes. */
import { failures, reasons } from '@tessera/kernel/errors';
import {
  annotate,
  callerOf,
  entityFields,
  Id,
  Name,
  Nullable,
  type OperationContext,
  type Row,
  scopeOf,
  type Target,
} from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { emailProvider } from '../../ground/domain/people.ts';
import type { ProjectApp as App, ProjectScope, Voucher } from '../../ground/domain/project-app.ts';
import { Tag } from '../../people/operations/entities.ts';
import { wireScope, wireSubject } from '../../people/operations/scoped-people.ts';
import type { AppsDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import { coversRolesOf } from '../role-cover.ts';
import { type AppFields, findProjectApp } from '../storage/project-apps.ts';
import { voucherOf } from '../voucher.ts';
import {
  assertClient,
  assertMachineRole,
  assertMayAct,
  assertMayBeFirstParty,
  assertMayReadSources,
  assertMayTakeOrganizations,
  directingFields,
  openidFields,
  shownOpenidFields,
} from './openid-fields.ts';

type Context = OperationContext<AppsDeps>;

export const projectTenants = ['accountProject', 'organizationProject'] as const;

export const ProjectApp = Type.Object({
  ...entityFields,
  projectId: Id,
  clientId: Type.String(),
  documentUrl: Nullable(
    Type.String({
      description: 'Of a client that is known by a document at this address: its client id in OAuth. It cannot be changed here',
    }),
  ),
  name: Type.String(),
  redirectUris: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  enabledProviders: Type.Array(Type.String()),
  allowSignUp: Type.Boolean(),
  signUpRoleId: Nullable(Id),
  ...shownOpenidFields,
});

const Action = Type.String({ minLength: 3, maxLength: 200, pattern: '^[^:\\s]+:[^:\\s]+$', description: "'resource:action'" });

/** The fields that a client may set. An update keeps omitted fields. */
export const appFields = {
  name: Name,
  redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'At least one, unless no grant comes back to an address',
  }),
  scopes: Type.Array(Action, { maxItems: 100, uniqueItems: true }),
  enabledProviders: Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 20, uniqueItems: true })),
  allowSignUp: Type.Boolean(),
  signUpRoleId: Nullable(annotate(Id, { description: 'Required when allowSignUp is set' })),
  tagIds: Type.Array(Id, { maxItems: 50, uniqueItems: true }),
  primaryTagId: Nullable(Id),
  ...openidFields,
};

export function toProjectApp({
  scope,
  createdBy: _createdBy,
  vouchedBy: _vouchedBy,
  voucher: _voucher,
  ...app
}: App): Static<typeof ProjectApp> {
  return {
    ...app,
    projectId: scope.id.slice(scope.id.indexOf(':') + 1),
    redirectUris: [...app.redirectUris],
    scopes: [...app.scopes],
    enabledProviders: [...app.enabledProviders],
    postLogoutRedirectUris: [...app.postLogoutRedirectUris],
    grantTypes: [...app.grantTypes],
    mayAct: [...app.mayAct],
    claims: [...app.claims],
    leftOutClaims: app.leftOutClaims && { names: [...app.leftOutClaims.names], at: app.leftOutClaims.at },
    jwks: app.jwks && { keys: [...app.jwks.keys] },
  };
}

export function projectScopeOf(context: Pick<Context, 'scope'>): ProjectScope {
  const { tenant, id } = scopeOf(context);
  const known = projectTenants.find((one) => one === tenant);
  if (known === undefined) throw failures.validation('scope.tenant', { en: 'must be a project', de: 'muss ein Projekt sein' });
  return { tenant: known, id };
}

/** The app as conditions see it; undefined for an app of another project. */
export async function targetOf({ id }: { readonly id: string }, context: Context): Promise<Target> {
  const app = await findProjectApp(context.deps.database, projectScopeOf(context), id);
  return app && { id, name: app.name, clientId: app.clientId, createdBy: app.createdBy, createdAt: app.createdAt };
}

/** The document alone says what such a client is. */
export function assertRegistered({ documentUrl }: App): void {
  if (documentUrl !== null) throw errors.ofDocument();
}

export async function requireProjectApp(id: string, context: Context): Promise<App> {
  const app = await findProjectApp(context.deps.database, projectScopeOf(context), id);
  if (app === undefined) throw failures.notFound('ProjectApp');
  return app;
}

/**
 * Refuses an app that would be unsafe or could not work. `changed` are the fields that the caller
 * sets; the others were checked before.
 */
export async function assertAppAllowed(app: AppFields & Pick<App, 'type'>, changed: Partial<AppFields>, context: Context): Promise<void> {
  assertClient(app, changed, context);
  if (changed.enabledProviders !== undefined) assertProviders(changed.enabledProviders, context);
  if (app.allowSignUp && app.signUpRoleId === null)
    throw failures.validation('signUpRoleId', {
      en: 'is required when allowSignUp is set',
      de: 'wird benötigt, wenn allowSignUp gesetzt ist',
    });
  const grantsRole = changed.signUpRoleId !== undefined || changed.allowSignUp === true ? app.signUpRoleId : null;
  await Promise.all([
    assertScopes(changed.scopes ?? [], context),
    assertSignUpRole(grantsRole, context),
    assertMachineRole(changed.roleId ?? null, context),
    assertMayBeFirstParty({ isFirstParty: changed.isFirstParty === true }, context),
    assertMayTakeOrganizations({ allowOrganizationSignUp: changed.allowOrganizationSignUp === true }, context),
    assertMayAct(changed.mayAct ?? [], context),
    assertMayReadSources(changed.claims ?? [], context),
  ]);
}

/**
 * Whether a change sets where an app's tokens, logout tokens or people go, what tokens are capped
 * to, or lets in more people. The caller then vouches for the app; so does who gives a stopped app
 * its addresses again.
 */
export function directs(before: App, changed: Partial<AppFields>): boolean {
  const { redirectUris, scopes, allowSignUp, signUpRoleId } = changed;
  if (directingFields.some((field) => changed[field] !== undefined)) return true;
  const isNewAddress = redirectUris?.some((redirectUri) => before.voucher === null || !before.redirectUris.includes(redirectUri)) === true;
  if (isNewAddress || scopes !== undefined || allowSignUp === true || (signUpRoleId ?? null) !== null) return true;
  return directsLogout(before, changed) || loosensSignIn(before, changed);
}

function directsLogout(before: App, { postLogoutRedirectUris = [], backchannelLogoutUri = null }: Partial<AppFields>): boolean {
  const isTold = backchannelLogoutUri !== null && backchannelLogoutUri !== before.backchannelLogoutUri;
  return isTold || postLogoutRedirectUris.some((address) => !before.postLogoutRedirectUris.includes(address));
}

/** No name of a provider is any of them. */
function loosensSignIn(before: App, { requireSecondFactor, allowEmailCode, enabledProviders }: Partial<AppFields>): boolean {
  if (requireSecondFactor === false && before.requireSecondFactor) return true;
  if (allowEmailCode === true && !before.allowEmailCode) return true;
  if (enabledProviders === undefined || before.enabledProviders.length === 0) return false;
  return enabledProviders.length === 0 || enabledProviders.some((name) => !before.enabledProviders.includes(name));
}

/**
 * Without a type and a cap an app does what a session does, so only sessions direct it. A typed app
 * without scopes may do nothing.
 */
export function assertMayBeUncapped({ type, scopes }: Pick<App, 'type' | 'scopes'>, context: Context): void {
  if (type === null && scopes.length === 0 && callerOf(context).claims.type !== 'session') throw errors.sessionOnly();
}

/**
 * The voucher that a change gives the app; undefined when the change directs nothing. Who directs
 * an app must hold what its tokens allow: each scope of the cap, or without one the roles of the
 * person who vouched before. No app vouches for itself.
 */
export async function newVoucher(before: App, changed: Partial<AppFields>, context: Context): Promise<Voucher | undefined> {
  return directs(before, changed) ? vouch(before, { ...before, ...changed }, context) : undefined;
}

/** The caller as the voucher of an app that is, and is to be. */
export async function vouch(before: App, after: App, context: Context): Promise<Voucher> {
  const { subject } = callerOf(context);
  for (const app of [before, after]) assertMayBeUncapped(app, context);
  const grounds = [
    assertMachineRole(after.roleId, context),
    assertMayBeFirstParty(after, context),
    assertMayTakeOrganizations(after, context),
    assertMayReadSources(after.claims, context),
  ];
  await Promise.all(grounds);
  if (after.scopes.length > 0) await assertScopes(after.scopes, context);
  else if (after.type === null && !(await coversRolesOf(wireSubject(subject), before.vouchedBy, before.scope, context.deps)))
    throw failures.forbidden();
  const voucher = await newVoucherOf(context);
  if (voucher.appId === before.id) throw failures.forbidden();
  return voucher;
}

/** A machine app vouches for no app: there is no person who would answer for it. */
export async function newVoucherOf(context: Context): Promise<Voucher> {
  const voucher = await voucherOf(callerOf(context).subject, context.deps);
  // The subject of a machine app's token is the app itself.
  if (voucher.appId === voucher.userId) throw errors.personNeeded();
  return voucher;
}

function assertProviders(names: readonly string[], { deps }: Context): void {
  const known = [...deps.connectionNames, emailProvider];
  const unknown = names.findIndex((name) => !known.includes(name));
  if (unknown !== -1) throw failures.validation(`enabledProviders.${unknown}`, reasons.oneOf(known));
}

/**
 * They exist in the project, and none of them is a built-in action that the caller does not hold
 * (no escalation).
 */
export async function assertScopes(scopes: readonly string[], context: Context, field = 'scopes'): Promise<void> {
  if (scopes.length === 0) return;
  const actor = wireSubject(callerOf(context).subject);
  const { verdicts } = await context.deps.catalogue.checkActions({ actor, scope: wireScope(scopeOf(context)), actions: [...scopes] });
  const verdictOf = new Map(verdicts.map(({ action, verdict }) => [action, verdict]));
  const unknown = scopes.findIndex((scope) => (verdictOf.get(scope) ?? 'not-found') === 'not-found');
  if (unknown !== -1)
    throw failures.validation(`${field}.${unknown}`, {
      en: 'is no action of a resource here',
      de: 'ist hier keine Aktion einer Ressource',
    });
  if (scopes.some((scope) => verdictOf.get(scope) !== 'allowed')) throw failures.forbidden();
}

/** A role of the project that the caller may grant. */
async function assertSignUpRole(roleId: string | null, context: Context): Promise<void> {
  if (roleId === null) return;
  const actor = wireSubject(callerOf(context).subject);
  const request = { actor, scope: wireScope(scopeOf(context)), roleIds: [roleId], givenTo: 'user' };
  const { verdicts } = await context.deps.roles.checkGrant(request);
  const verdict = verdicts.find((found) => found.roleId === roleId)?.verdict ?? 'not-found';
  if (verdict === 'not-found')
    throw failures.validation('signUpRoleId', { en: 'is no role of this project', de: 'ist keine Rolle dieses Projekts' });
  if (verdict !== 'allowed') throw failures.forbidden();
}

export async function loadAppTags(rows: readonly Row[], { deps, scope }: Context): Promise<unknown[]> {
  if (scope === undefined) return rows.map(() => []);
  const ids = rows.map(({ id }) => String(id));
  const { entities } = await deps.tags.listEntityTags({ scope: wireScope(scope), entity: 'projectApp', entityIds: ids });
  const tagsOf = new Map(entities.map(({ entityId, tags }) => [entityId, tags]));
  return ids.map((id) => (tagsOf.get(id) ?? []).map((tag) => ({ ...tag, deletedAt: null })));
}

export const projectAppRelations = { tags: { permission: 'Tag:Query', schema: Type.Array(Tag), load: loadAppTags } } as const;
