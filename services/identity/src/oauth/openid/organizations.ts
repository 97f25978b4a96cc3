/**
 * For which organization a person signs in (docs/decisions/018): the project's own, or one that
 * uses the project. Nothing is remembered of who belongs where: tenancy is asked each time.
 */

import { hash } from 'node:crypto';
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { isId } from '@tessera/kernel/ids';
import type { RequestFacts } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type * as tenancy from '@tessera/proto/types/tenancy.v1';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { findEnds } from '../../apps/storage/acting-apps.ts';
import { listShutOut } from '../../apps/storage/member-restrictions.ts';
import { isProjectUser, vouchedApp, wireVoucher } from '../../apps/voucher.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import type { SignedInSession } from '../../sign-in/storage/sessions.ts';
import type { OauthDeps } from '../deps.ts';
import { findClientApp } from './clients.ts';
import { askedScopes } from './offline-access.ts';
import { type OpenidRequest, openidOf } from './request.ts';

export type Organization = tenancy.OrganizationName;

export type Choice =
  /** The project itself, by its own rules; whether the person is of it, where tenancy was asked. */
  | { readonly kind: 'own'; readonly isHere?: boolean }
  | { readonly kind: 'customer'; readonly organization: Organization }
  /** The person is asked, who may have none. */
  | { readonly kind: 'ask'; readonly organizations: readonly Organization[] };

/** The name of the library's prompt, which a client may send as `prompt`. */
export const organizationPrompt = 'select_account';

/** What the page has answered. The owner of the project stands for the project itself. */
export type Answer = { readonly organizationId: string; readonly userId: string };

type App = Pick<ProjectApp, 'scope' | 'allowSignUp' | 'allowOrganizationSignUp'>;
type Deps = Pick<OauthDeps, 'tenancy' | 'database'>;

/** Where this person may sign in to the app; undefined in a project that no other one can use. */
export async function findPlaces(userId: string, { scope }: Pick<App, 'scope'>, { tenancy, database }: Deps, organizationId = '') {
  if (scope.tenant !== 'organizationProject') return undefined;
  const project = { tenant: scope.tenant, id: scope.id };
  const places = await ignoreUnknownMethod(tenancy.listPlaces({ userId, project, organizationId }));
  if (places?.owner === undefined) return undefined;
  const { owner, customers } = places;
  const shutOut = await listShutOut(
    database,
    userId,
    [owner, ...customers].map((place) => place.organizationId),
  );
  return {
    ...places,
    owner,
    isHere: places.isHere && !shutOut.has(owner.organizationId),
    customers: customers.filter((place) => !shutOut.has(place.organizationId)),
  };
}
type Places = NonNullable<Awaited<ReturnType<typeof findPlaces>>>;

export function optionsOf({ isHere, owner, customers }: Places): readonly Organization[] {
  return [...(isHere ? [owner] : []), ...customers];
}

/**
 * Whether a person may make an organization as they sign in. Each gives the project to one more, so
 * who vouches for the app must be allowed to do that now.
 */
export async function maySignUp(app: ProjectApp, places: Places, deps: OauthDeps): Promise<boolean> {
  if (!app.allowOrganizationSignUp || places.canSignUp !== true) return false;
  const vouched = await vouchedApp(app, deps);
  if (vouched === undefined) return false;
  const asked = { actor: wireVoucher(vouched.voucher), scope: { tenant: app.scope.tenant, id: app.scope.id }, actions: [grantAction] };
  const { verdicts } = await deps.catalogue.checkActions(asked);
  return verdicts.some(({ action, verdict }) => action === grantAction && verdict === 'allowed');
}
const grantAction = 'ProjectGrant:Create';

/** Decided once a request. It also says for which organization the tokens of this request are. */
export function choiceOf(ctx: KoaContextWithOIDC): Promise<Choice> {
  const request = openidOf(ctx);
  request.choice ??= decide(ctx, request);
  return request.choice;
}

async function decide(ctx: KoaContextWithOIDC, request: OpenidRequest): Promise<Choice> {
  const choice = await choose(ctx, request);
  if (choice.kind === 'customer') {
    request.organizationId = choice.organization.organizationId;
    request.organization = choice.organization;
  }
  return choice;
}

async function choose(ctx: KoaContextWithOIDC, request: OpenidRequest): Promise<Choice> {
  const { session, context } = request;
  const app = await findClientApp(ctx.oidc.client?.clientId ?? '', request);
  if (session === undefined || app === undefined) return { kind: 'own' };
  // Another person may sign in first.
  if (ctx.oidc.promptPending('login')) return { kind: 'ask', organizations: [] };
  const names = namesIn(ctx);
  const places = await findPlaces(session.userId, app, context.deps);
  if (places === undefined) {
    if (names.length > 0) throw noPlace();
    return { kind: 'own' };
  }
  return names.length > 0 ? named(names, places) : unnamed(app, places, answerOf(ctx, session), ctx);
}

/** The same for a foreign, an unknown and a malformed one. */
function noPlace(): errors.AccessDenied {
  return new errors.AccessDenied('is no member of an organization of this name that uses the project');
}

/** Every name that was asked for: the organization must be called by each. */
function namesIn({ oidc }: KoaContextWithOIDC): readonly string[] {
  const names = oidc.params?.['organization'];
  return typeof names === 'string' ? names.split(' ').filter((name) => name !== '') : [];
}

const scopePrefix = 'organization:';

/**
 * The scope value `organization:<id>` says the same as the parameter. The library drops scopes that
 * it does not know, so they are moved there before an interaction or a device code keeps it.
 */
export function readOrganizationScope(ctx: KoaContextWithOIDC, organization: string | undefined): void {
  const { params } = ctx.oidc;
  const inScope = askedScopes(ctx).filter((name) => name.startsWith(scopePrefix));
  const names = [...(organization === undefined ? [] : [organization]), ...inScope.map((name) => name.slice(scopePrefix.length))];
  if (params !== undefined && inScope.length > 0) params['organization'] = names.join(' ');
}

function named(names: readonly string[], { isHere, owner, customers }: Places): Choice {
  const is = ({ organizationId, slug }: Organization) => names.every((name) => name === (isId(name) ? organizationId : slug));
  if (is(owner)) return { kind: 'own', isHere };
  const organization = customers.find(is);
  if (organization === undefined) throw noPlace();
  return { kind: 'customer', organization };
}

function unnamed(app: App, places: Places, answer: Answer | undefined, ctx: KoaContextWithOIDC): Choice {
  const options = optionsOf(places);
  const choiceFor = (id: string | undefined): Choice | undefined => {
    if (id === places.owner.organizationId) return { kind: 'own', isHere: places.isHere };
    const organization = places.customers.find(({ organizationId }) => organizationId === id);
    return organization && { kind: 'customer', organization };
  };
  const answered = choiceFor(answer?.organizationId);
  if (answered !== undefined) return answered;
  if (options.length === 0) {
    if (!app.allowOrganizationSignUp && (app.allowSignUp || !places.isGranted)) return { kind: 'own', isHere: false };
    // Who could make one is asked, which the app must hear as such.
    const mayBeAsked = app.allowOrganizationSignUp && places.canSignUp === true;
    if (ctx.oidc.promptPending('none') && !mayBeAsked) throw noPlace();
    return { kind: 'ask', organizations: [] };
  }
  const isAskedAgain = ctx.oidc.promptPending(organizationPrompt);
  const known = isAskedAgain ? undefined : rememberedBy(openidOf(ctx));
  const [only] = options.length === 1 ? options : options.filter(({ organizationId }) => organizationId === known);
  return choiceFor(only?.organizationId) ?? { kind: 'ask', organizations: options };
}

/** Of this person alone: another one may have signed in meanwhile. */
function answerOf({ oidc }: KoaContextWithOIDC, { userId }: SignedInSession): Answer | undefined {
  // Only `continueInteraction` writes it.
  const answer = oidc.result?.[organizationPrompt] as Answer | undefined;
  return answer?.userId === userId ? answer : undefined;
}

const rememberedSeconds = 180 * 86_400;

function cookieName({ key }: OpenidRequest['issuer'], appUrl: string): string {
  return `${appUrl.startsWith('https:') ? '__Host-' : ''}openid_organization_${key}`;
}

/** A browser may have several people. The value only picks one of the person's own. */
function markOf({ key }: OpenidRequest['issuer'], userId: string): string {
  return hash('sha256', `${key} ${userId}`, 'base64url').slice(0, 22);
}

export function cookieOfChoice(issuer: OpenidRequest['issuer'], { organizationId, userId }: Answer, appUrl: string) {
  const value = `${organizationId}.${markOf(issuer, userId)}`;
  return { name: cookieName(issuer, appUrl), value, maxAgeSeconds: rememberedSeconds, secure: appUrl.startsWith('https:') };
}

function rememberedBy({ issuer, context, session }: OpenidRequest): string | undefined {
  const { cookies }: Pick<RequestFacts, 'cookies'> = context.request;
  const [organizationId, mark] = (cookies[cookieName(issuer, context.deps.settings.appUrl)] ?? '').split('.');
  return session !== undefined && mark === markOf(issuer, session.userId) ? organizationId : undefined;
}

/** The scope in which the person's rights in the app are asked. */
export function placeOf(
  { scope }: Pick<App, 'scope'>,
  organizationId: string | undefined,
): Pick<Scope, 'id'> & { readonly tenant: ProjectApp['scope']['tenant'] } {
  const { tenant, id } = scope;
  return { tenant, id: organizationId === undefined ? id : `${organizationId}:${id.slice(id.indexOf(':') + 1)}` };
}

/**
 * Whose log has a step of a person before their organization is known: the app's owner learns of
 * its own people, and of those who are in no organization that uses the project. A person of one
 * customer is that customer's; of several, none's until they have chosen.
 */
export async function logOf(userId: string, app: Pick<App, 'scope'>, deps: Deps): Promise<ReturnType<typeof placeOf> | undefined> {
  const { isHere = true, customers = [] } = (await findPlaces(userId, app, deps)) ?? {};
  const [first, ...more] = customers;
  if (isHere || first === undefined) return placeOf(app, undefined);
  return more.length === 0 ? placeOf(app, first.organizationId) : undefined;
}

/** Whether the organization of the place has ended what the app may do for this member. */
export async function isEndedThere(
  userId: string,
  app: Pick<ProjectApp, 'id' | 'scope'>,
  { organizationId, context }: OpenidRequest,
): Promise<boolean> {
  const key = { userId, projectAppId: app.id, placeId: placeOf(app, organizationId).id };
  return (await findEnds(context.deps.database, key)).endedByOrganizationAt !== null;
}

/**
 * Whether the person is, now, where the tokens of this request are for, and their organization lets
 * the app act for them. The name of the organization is then known to the request.
 */
export async function isInPlace(userId: string, app: Pick<ProjectApp, 'id' | 'scope'>, request: OpenidRequest): Promise<boolean> {
  const { organizationId, context } = request;
  if (await isEndedThere(userId, app, request)) return false;
  if (organizationId === undefined) return isProjectUser(userId, app.scope, context.deps);
  const [organization] = (await findPlaces(userId, app, context.deps, organizationId))?.customers ?? [];
  if (organization !== undefined) request.organization = organization;
  return organization !== undefined;
}
