/** Access tokens of typed apps: the specification's projectApp JWTs. */
import type { Transaction } from '@tessera/kernel/postgres';
import { joinTokenScope, parseScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import { type AccessToken, type ClientCredentials, errors } from 'oidc-provider';
import { noteUse } from '../../apps/storage/acting-apps.ts';
import { holdGrant } from '../../apps/storage/openid-artifacts.ts';
import { markConsentUsed } from '../../apps/storage/project-app-consents.ts';
import { holdToken, insertAppToken, insertMachineToken } from '../../apps/storage/project-app-tokens.ts';
import { holdProjectApp } from '../../apps/storage/project-apps.ts';
import { machineMayAct } from '../../apps/voucher.ts';
import { oauthIdOf, type ProjectApp } from '../../ground/domain/project-app.ts';
import { transact } from '../../ground/transact.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import { cappedScopesOf, requireVouched } from '../fragment/decide-grant.ts';
import { standardScopes } from '../standard-scopes.ts';
import { rememberVisit } from '../storage/openid-visits.ts';
import { organizationClaims } from './accounts.ts';
import { endExchanged, endGrant } from './adapter.ts';
import { claimsOfApp } from './app-claims.ts';
import { requireClientApp } from './clients.ts';
import { isInPlace, placeOf } from './organizations.ts';
import { issuePlatformToken } from './platform-tokens.ts';
import { noteOfRotation } from './refresh-rotation.ts';
import type { OpenidRequest } from './request.ts';
import { boundClaims } from './resources.ts';
import type { Act, Exchange } from './token-exchange.ts';

/**
 * Signs the token with the project's key and stores its id, if grant and app still stand. Its
 * scopes are those that were granted, that the person has now, and that the voucher may still give.
 */
export async function issueAccessToken(token: AccessToken, request: OpenidRequest): Promise<string> {
  const { accountId, clientId = '' } = token;
  if (accountId === undefined) throw new errors.InvalidGrant('no person');
  if (request.issuer.scope === undefined) return refusing(() => issuePlatformToken(token, request));
  const app = await requireClientApp(clientId, request);
  if (request.exchange !== undefined) return refusing(() => issueExchanged(token, { userId: accountId, app }, request));
  return refusing(async () => {
    const scopes = await scopesOf(token, accountId, app, request);
    const standard = [...token.scopes].filter((name) => standardScopes.some((known) => known === name));
    const mapped = await claimsOfApp(app, 'accessToken', { userId: accountId, scopes: new Set(standard) }, request);
    token.scope = [...standard, ...scopes].join(' ');
    const signed = await sign(token, { userId: accountId, app, scopes, mapped }, request);
    await store(token, { userId: accountId, app, expiresAt: signed.expiresAt }, request);
    await assertStillHere(token, accountId, app, request);
    return signed.token;
  });
}

/**
 * A machine app acts for itself: a token of type apiKey whose rights are those of its role. The
 * app's id stands in the place of the user.
 */
export async function issueClientToken(token: ClientCredentials, request: OpenidRequest): Promise<string> {
  const { context } = request;
  const app = await requireClientApp(token.clientId ?? '', request);
  const { roleId, scope: place, clientId, actsInGrants } = app;
  if (roleId === null) throw new errors.UnauthorizedClient('the app has no role');
  const { checks } = context.deps;
  const check = () => machineMayAct({ ...app, roleId }, context.deps);
  // A change of the app is a check of its own, and so is another voucher.
  const key = `${app.id} ${app.updatedAt} ${app.voucher?.tokenId ?? ''}`;
  return refusing(async () => {
    assertAllowed(await checks.recent(key, check));
    const signed = await context.deps.sign({
      scope: { tenant: place.tenant, id: place.id },
      type: 'apiKey',
      subject: app.id,
      tokenId: token.jti,
      audience: '',
      lifetimeSeconds: token.expiration,
      claimsJson: JSON.stringify({
        scope: joinTokenScope(place, app.id),
        roleId,
        client_id: clientId,
        ...(actsInGrants && { actsInGrants }),
        ...boundClaims(token),
      }),
    });
    await transact(context, 'openid', async ({ tx, audit }) => {
      const stored = { id: token.jti, app, expiresAt: new Date(signed.expiresAt * 1_000) };
      if (!(await insertMachineToken(tx, stored))) throw new FlowRefusal('access_denied', 'the app was changed or deleted meanwhile');
      audit('openid.token', {
        targetType: 'ProjectApp',
        targetId: app.id,
        detail: { grantType: 'client_credentials', tokenId: token.jti },
      });
    });
    // The end of the voucher's right finds what is stored: what it missed is not handed out.
    assertAllowed(await checks.next(key, check));
    return signed.token;
  });
}

/**
 * A token by exchange: no more than the one before, than each app may have now, and than the person
 * has. It hangs on the grant, the session and the token that it came from, and ends with each.
 */
async function issueExchanged(
  token: AccessToken,
  { userId, app }: Pick<Signing, 'userId' | 'app'>,
  request: OpenidRequest,
): Promise<string> {
  const { context, organizationId, exchange } = request;
  if (exchange === undefined) throw new Error('the request exchanges no token');
  const { parentApp, scopes: wanted, act } = exchange;
  const place = placeOf(app, organizationId);
  const person = { type: 'session', userId, tokenId: '', scopes: [] };
  const held = await Promise.all([
    actionsOf(person, place, context),
    actionsOfApp(parentApp, place, context),
    actionsOfApp(app, place, context),
  ]);
  const scopes = wanted.filter((name) => held.every((actions) => actions.has(name)));
  if (scopes.length === 0) throw new FlowRefusal('access_denied', 'of the scopes nothing is left that person and apps may do');
  token.scope = scopes.join(' ');
  const signed = await sign(token, { userId, app, scopes, act }, request);
  await storeExchanged(token, { userId, app, expiresAt: signed.expiresAt }, exchange, request);
  // What ended the right of an app meanwhile found what was stored by then.
  const standing = await Promise.all([app, parentApp].map((one) => actionsOfApp(one, place, context)));
  const isHere = standing.every((actions) => scopes.every((name) => actions.has(name))) && (await isInPlace(userId, app, request));
  if (!isHere) {
    await endExchanged(token.jti, context);
    throw new FlowRefusal('access_denied', 'the person or an app ended meanwhile');
  }
  return signed.token;
}

async function actionsOf(subject: rbac.Subject, { tenant, id }: Scope, { deps }: OpenidRequest['context']): Promise<ReadonlySet<string>> {
  const { permissions } = await deps.permissions.listPermissions({ subject, scope: { tenant, id } });
  return new Set(permissions.map(({ resource, action }) => `${resource}:${action}`));
}

/** What an app may do for a person: its scopes, or of a machine app its role. */
async function actionsOfApp(app: ProjectApp, place: Scope, context: OpenidRequest['context']): Promise<ReadonlySet<string>> {
  const vouched = await requireVouched(app, context);
  const { roleId, actsInGrants, scope } = app;
  if (roleId === null) return new Set(vouched.scopes);
  const tokenScope = joinTokenScope(scope, app.id);
  const machine = { type: 'apiKey', userId: app.id, tokenId: '', scopes: [], tokenScope, roleId, ...(actsInGrants && { actsInGrants }) };
  return actionsOf(machine, place, context);
}

async function storeExchanged(
  token: AccessToken,
  { userId, app, expiresAt }: Storing,
  { parentId, parent, parentApp, act }: Exchange,
  request: OpenidRequest,
): Promise<void> {
  const { context, issuer, organizationId } = request;
  const { sessionId, grantId } = parent;
  await transact(context, 'openid', async ({ tx, audit }) => {
    for (const one of [app, parentApp].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      if (!(await holdProjectApp(tx, one))) throw new FlowRefusal('access_denied', 'an app was changed or deleted meanwhile');
    await assertNotEnded(tx, { userId, app, isByExchange: true }, request);
    await markConsentUsed(tx, { userId, projectAppId: parentApp.id, organizationId: organizationId ?? null }, context.now);
    if (!(await holdGrant(tx, issuer.url, grantId)) || !(await holdToken(tx, parentId)))
      throw new FlowRefusal('access_denied', 'the token that is exchanged has ended');
    const ids = { id: token.jti, appId: app.id, userId, grantId, sessionId, parentId, organizationId };
    await insertAppToken(tx, { ...ids, expiresAt: new Date(expiresAt * 1_000) });
    const place = organizationId === undefined ? {} : { organizationId };
    const detail = {
      grantType: token.gty,
      scope: token.scope,
      tokenId: token.jti,
      parentTokenId: parentId,
      actors: clientIdsOf(act),
      ...place,
    };
    const scope = parseScope(placeOf(app, organizationId));
    audit('openid.token', { actorId: userId, targetType: 'ProjectApp', targetId: app.id, scope, detail });
  });
}

/** The newest first. */
function clientIdsOf({ client_id: clientId, act }: Act): string[] {
  return [clientId, ...(act === undefined ? [] : clientIdsOf(act))];
}

function assertAllowed(isAllowed: boolean): void {
  if (!isAllowed) throw new FlowRefusal('access_denied', 'nobody who vouches for the app may give its role now');
}

async function scopesOf(
  { scopes: granted }: AccessToken,
  userId: string,
  app: ProjectApp,
  { context, organizationId }: OpenidRequest,
): Promise<readonly string[]> {
  const vouched = await requireVouched(app, context);
  if (!app.scopes.some((name) => granted.has(name))) return [];
  const holder = { type: 'session', userId, tokenId: '', scopes: [] };
  return (await cappedScopesOf(vouched, holder, context, placeOf(app, organizationId))).filter((name) => granted.has(name));
}

type Signing = { readonly userId: string; readonly app: ProjectApp; readonly scopes: readonly string[]; readonly act?: Act } & {
  /** The claims of the app. A token by exchange has none: they were allowed to another app. */
  readonly mapped?: object;
};

/** With the key of the project, whose the app is, also for an organization that uses it. */
function sign(token: AccessToken, { userId, app, scopes, act, mapped = {} }: Signing, request: OpenidRequest) {
  const { context, organizationId } = request;
  const { jti, expiration } = token;
  const { tenant, id } = app.scope;
  const clientId = oauthIdOf(app);
  const scope = joinTokenScope(placeOf(app, organizationId), userId);
  return context.deps.sign({
    scope: { tenant, id },
    type: 'projectApp',
    subject: userId,
    tokenId: jti,
    audience: clientId,
    lifetimeSeconds: expiration,
    claimsJson: JSON.stringify({
      scope,
      scopes,
      client_id: clientId,
      scp: scopes.join(' '),
      ...organizationClaims(request),
      ...boundClaims(token),
      act,
      ...(Object.keys(mapped).length > 0 && { mapped }),
    }),
  });
}

type Storing = { readonly userId: string; readonly app: ProjectApp; readonly expiresAt: number };

async function store(token: AccessToken, { userId, app, expiresAt }: Storing, request: OpenidRequest): Promise<void> {
  const { context, issuer, organizationId } = request;
  const { grantId = '', sessionUid } = token;
  await transact(context, 'openid', async ({ tx, audit }) => {
    if (!(await holdProjectApp(tx, app))) throw new FlowRefusal('access_denied', 'the app was changed or deleted meanwhile');
    await assertNotEnded(tx, { userId, app, isByExchange: false }, request);
    await markConsentUsed(tx, { userId, projectAppId: app.id, organizationId: organizationId ?? null }, context.now);
    if (!(await holdGrant(tx, issuer.url, grantId))) throw new FlowRefusal('access_denied', 'the grant has ended');
    const ids = { id: token.jti, appId: app.id, userId, grantId, ...(sessionUid === undefined ? {} : { sessionId: sessionUid }) };
    await insertAppToken(tx, { ...ids, organizationId, expiresAt: new Date(expiresAt * 1_000) });
    if (app.backchannelLogoutUri !== null && sessionUid !== undefined)
      await rememberVisit(tx, { sessionId: sessionUid, projectAppId: app.id, userId }, context.now);
    const place = organizationId === undefined ? {} : { organizationId };
    const { resource } = boundClaims(token);
    const detail = {
      grantType: token.gty,
      scope: token.scope,
      tokenId: token.jti,
      ...(resource === undefined ? {} : { resource }),
      ...place,
      ...noteOfRotation(request),
    };
    // Who signs in for another organization stands in its log, not in the log of the app’s owner.
    const scope = parseScope(placeOf(app, organizationId));
    audit('openid.token', { actorId: userId, targetType: 'ProjectApp', targetId: app.id, scope, detail });
  });
}

type Acting = Pick<Storing, 'userId' | 'app'> & { readonly isByExchange: boolean };

/** The row is locked before the consent and the grant, in the order in which an end locks them. */
async function assertNotEnded(tx: Transaction, { userId, app, isByExchange }: Acting, request: OpenidRequest): Promise<void> {
  const { id: placeId } = placeOf(app, request.organizationId);
  const use = { userId, projectAppId: app.id, placeId, isByExchange };
  if (!(await noteUse(tx, use, request.context.now)))
    throw new FlowRefusal('access_denied', 'the person or their organization has ended what this app may do for them');
}

/** A person who left meanwhile gets no token: leaving ended only what was stored by then. */
async function assertStillHere({ grantId = '' }: AccessToken, userId: string, app: ProjectApp, request: OpenidRequest): Promise<void> {
  const { context, issuer } = request;
  if (await isInPlace(userId, app, request)) return;
  await endGrant(issuer.url, grantId, context);
  throw new FlowRefusal('access_denied', 'left the project meanwhile');
}

/** To the client a refusal is an invalid grant; the audit log has the reason. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FlowRefusal) throw new errors.InvalidGrant(error.message);
    throw error;
  }
}
