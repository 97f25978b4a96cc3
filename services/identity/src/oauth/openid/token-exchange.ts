/**
 * Token exchange (RFC 8693): an app that holds a person's token of another app gets one of its own,
 * to act for the person. What it may do shrinks with each exchange (docs/decisions/026).
 */
import { parseScope } from '@tessera/kernel/scope';
import { longestChain } from '@tessera/kernel/tokens';
import { exchangeGrant } from '@tessera/rules/app-types';
import type Provider from 'oidc-provider';
import { type AccessToken, type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type ExchangeableToken, findExchangeableToken } from '../../apps/storage/project-app-tokens.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { demandsOf, isByEnabledProvider, type UnmetDemand, unmetDemand } from '../../sign-in/demands.ts';
import { requiredConnection } from '../../sign-in/enforcement.ts';
import { isWithinReach, secondFactorIn } from '../../sign-in/own-level.ts';
import { findSignedInSession } from '../../sign-in/storage/sessions.ts';
import { findClientApp, requireClientApp } from './clients.ts';
import { isInPlace } from './organizations.ts';
import { type OpenidRequest, openidOf } from './request.ts';

/** One link of `act`, as the token says it. */
export type Act = {
  readonly sub: string;
  readonly client_id: string;
  readonly role_id?: string;
  readonly act?: Act;
};

/** What is exchanged, once it is known that this client may. */
export type Exchange = {
  readonly parentId: string;
  readonly parent: ExchangeableToken;
  /** The app that the token was given to. */
  readonly parentApp: ProjectApp;
  /** Of the token, as far as they were requested. */
  readonly scopes: readonly string[];
  /** The API that the token before was for: the new one is for no other. */
  readonly resource: string | undefined;
  readonly act: Act;
};

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const parameters = [
  ...(['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'] as const),
  ...(['requested_token_type', 'audience', 'resource', 'scope'] as const),
];

/** The platform's own issuer gives no tokens of apps. */
export function serveTokenExchange(provider: Provider): void {
  provider.registerGrantType(exchangeGrant, exchangeToken, parameters, ['audience', 'resource']);
}

async function exchangeToken(ctx: KoaContextWithOIDC): Promise<void> {
  const request = openidOf(ctx);
  const { client, params = {}, provider } = ctx.oidc;
  if (client === undefined) throw new errors.InvalidClient('the client is not known');
  const app = await requireClientApp(client.clientId, request);
  assertShape(params);
  const exchange = await acceptExchange(String(params['subject_token']), app, request);
  const scopes = shrink(exchange.scopes, params['scope']);
  assertAudience(params, [app.clientId, exchange.resource]);
  assertUnbound(client);
  await assertAllowed(exchange.parent, app, request);
  request.exchange = { ...exchange, scopes };
  const { userId, expiresAt } = exchange.parent;
  const left = Math.floor((Date.parse(expiresAt) - request.context.now.getTime()) / 1_000);
  // The library takes 0 as none given, and gives a whole lifetime.
  if (left < 1) throw noSubject();
  const expiresIn = Math.min(left, request.context.deps.accessTokenSeconds);
  const fields = { accountId: userId, client, gty: 'token_exchange', scope: scopes.join(' '), expiresIn };
  // The library's types want a grant. That of the token before is another client's.
  const token: AccessToken = Reflect.construct(provider.AccessToken, [fields]);
  if (exchange.resource !== undefined) token.setAudience(exchange.resource);
  ctx.oidc.entity('AccessToken', token);
  const value = await token.save();
  ctx.body = {
    access_token: value,
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: token.expiration,
    scope: token.scope ?? '',
  };
}

type Parameters = Readonly<Record<string, unknown>>;

/** The client itself is the actor: it has proven that, and a second token says nothing more. */
function assertShape(params: Parameters): void {
  if (typeof params['subject_token'] !== 'string') throw new errors.InvalidRequest('subject_token is missing');
  if (params['subject_token_type'] !== accessTokenType) throw new errors.InvalidRequest(`subject_token_type must be ${accessTokenType}`);
  const { requested_token_type: requested = accessTokenType } = params;
  if (requested !== accessTokenType) throw new errors.InvalidRequest(`requested_token_type must be ${accessTokenType}`);
  if ((params['actor_token'] ?? params['actor_token_type']) !== undefined)
    throw new errors.InvalidRequest('actor_token is not supported: the app that asks is the actor');
}

/** One answer for every token that is none: who sends one learns nothing of it. */
const noSubject = () => new errors.InvalidRequest('subject_token is no access token of a person, of this issuer, that is alive');

async function acceptExchange(subjectToken: string, app: ProjectApp, request: OpenidRequest): Promise<Exchange> {
  const { context, issuer } = request;
  const { database, verifyToken } = context.deps;
  const claims = await verifyToken(subjectToken).catch(() => undefined);
  if (claims?.type !== 'projectApp' || claims.iss !== issuer.url) throw noSubject();
  const [parent, parentApp] = await Promise.all([
    findExchangeableToken(database, claims.jti, context.now),
    findClientApp(claims.aud, request),
  ]);
  if (parent === undefined || parentApp === undefined || parent.appId !== parentApp.id || parent.userId !== claims.sub) throw noSubject();
  if (!parentApp.mayAct.includes(app.clientId))
    throw new errors.UnauthorizedClient('the app of the token does not name this one in mayAct');
  if (claims.keyThumbprint !== undefined)
    throw new errors.InvalidRequest('subject_token is bound to a key (DPoP), and an exchange gives tokens without one');
  const { actors = [] } = claims;
  const chain = actors.map(({ id }) => id);
  if (chain.includes(app.id) || parentApp.id === app.id) throw new errors.InvalidRequest('the app is in the chain already');
  if (chain.length >= longestChain) throw new errors.InvalidRequest(`a chain has at most ${longestChain} apps`);
  return { parentId: claims.jti, parent, parentApp, scopes: claims.scopes ?? [], resource: claims.resource, act: actOf(app, actors) };
}

type Link = { readonly id: string; readonly clientId: string; readonly roleId?: string | null | undefined };

/** The newest outside (RFC 8693 section 4.1). */
function actOf(app: Link, before: readonly Link[]): Act {
  const [next, ...rest] = before;
  return {
    sub: app.id,
    client_id: app.clientId,
    ...(app.roleId ? { role_id: app.roleId } : {}),
    ...(next === undefined ? {} : { act: actOf(next, rest) }),
  };
}

/** What the token before did not have is refused, and not left out in silence. */
function shrink(granted: readonly string[], requested: unknown): readonly string[] {
  if (typeof requested !== 'string' || requested.trim() === '') return granted;
  const names = [...new Set(requested.split(' ').filter((name) => name !== ''))];
  const more = names.filter((name) => !granted.includes(name));
  if (more.length > 0) throw new errors.InvalidScope('the token that is exchanged does not have these scopes', more.join(' '));
  return names;
}

/** It is for the app that asks, as each token of an app is, and for the API of the token before. */
function assertAudience({ audience, resource }: Parameters, allowed: readonly (string | undefined)[]): void {
  const names = [audience, resource].flat().filter((name) => name !== undefined);
  if (names.some((name) => !allowed.includes(String(name))))
    throw new errors.InvalidTarget('the token is for the app that asks, and for the API of the token before, if it has one');
}

/** Tokens by exchange are not bound to a key, which an app may demand of all that are its own. */
function assertUnbound(client: Client): void {
  if (Reflect.get(client, 'dpopBoundAccessTokens') === true)
    throw new errors.UnauthorizedClient('the app demands tokens that are bound to a key; an exchange gives none');
}

/** The person is still there, and signed in as the app that asks demands. */
async function assertAllowed(
  { userId, sessionId, organizationId }: ExchangeableToken,
  app: ProjectApp,
  request: OpenidRequest,
): Promise<void> {
  const { deps, now } = request.context;
  if (organizationId !== null) request.organizationId = organizationId;
  if (organizationId !== null && app.type === 'machine' && !app.actsInGrants)
    throw new errors.UnauthorizedClient('the app acts for no organization that uses the project (actsInGrants)');
  const [session, demands, isHere] = await Promise.all([
    findSignedInSession(deps.database, sessionId, now),
    demandsOf(app, deps, organizationId ?? undefined),
    isInPlace(userId, app, request),
  ]);
  if (session === undefined || !isHere) throw noSubject();
  if (!isByEnabledProvider(session, app)) throw new errors.InvalidRequest(unmetWords.way_to_sign_in);
  if (!(await isWithinReach(session, organizationId ?? parseScope(app.scope).organizationId, deps.database))) throw noSubject();
  const level = {
    acr: session.acr,
    amr: session.amr,
    authenticatedAtMs: Date.parse(session.authenticatedAt),
    secondFactorIn: await secondFactorIn(session, deps.database),
  };
  const required = await requiredConnection({ ...session, ...level }, { scope: app.scope, customerId: organizationId ?? undefined }, deps);
  const unmet = required === undefined ? unmetDemand(demands, level, now) : 'connection';
  if (unmet !== undefined) throw new errors.InvalidRequest(unmetWords[unmet]);
}

const unmetWords: Readonly<Record<UnmetDemand, string>> = {
  way_to_sign_in: 'the app or its organization does not allow the way by which the person signed in',
  connection: 'the organization lets its members in by its own identity provider only',
  second_factor: 'the app demands a second factor, and the person signed in without one',
  session_age: 'the sign-in of the person is older than the organization allows',
};
