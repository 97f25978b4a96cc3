/** What a person allows an app: from the remembered consents. */
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { findEnds } from '../../apps/storage/acting-apps.ts';
import { findConsent } from '../../apps/storage/project-app-consents.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { findPlatformClient, requireClientApp } from './clients.ts';
import { choiceOf, isInPlace, placeOf } from './organizations.ts';
import { type OpenidRequest, openidOf } from './request.ts';
import { scopesAt } from './resources.ts';

/**
 * The grant of this session and app, with what the remembered consent allows now. A first-party app
 * gets what it asks for, from people of the project only.
 */
export async function loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const request = openidOf(ctx);
  const { context } = request;
  const { oidc } = ctx;
  const { client, session, provider, requestParamScopes: asked } = oidc;
  const accountId = session?.accountId;
  if (accountId !== undefined && (await choiceOf(ctx)).kind === 'ask') return undefined;
  const grantId = client && session?.grantIdFor(client.clientId);
  if (client === undefined || accountId === undefined || grantId === undefined) return undefined;
  const { clientId } = client;
  const granted = (scopes: readonly string[], refused: readonly string[] = []) =>
    save(new provider.Grant({ accountId, clientId }), grantId, { scopes, refused, resourceServers: oidc.resourceServers ?? {} });
  const own = findPlatformClient(client.clientId, request);
  if (own !== undefined)
    return own.isFirstParty || oidc.result?.consent !== undefined ? granted([...new Set([...asked, 'offline_access'])]) : undefined;
  const app = await requireClientApp(client.clientId, request);
  const isTrusted = app.isFirstParty && (await mayGoOn(accountId, app, request)) && (await isInPlace(accountId, app, request));
  const consent = isTrusted
    ? undefined
    : await findConsent(context.deps.database, { userId: accountId, projectAppId: app.id, organizationId: request.organizationId ?? null });
  const allowed = isTrusted ? [...asked] : consent?.scopes;
  if (allowed === undefined) return undefined;
  const before = await provider.Grant.find(grantId);
  // What an earlier authorization of this session granted stays: its tokens are alive.
  const earlier = isTrusted ? (before?.getOIDCScope() ?? '') : '';
  // The person has just chosen: what they left out is not asked again now.
  const declined = oidc.result?.consent === undefined ? [] : [...asked].filter((name) => !allowed.includes(name));
  return granted([...new Set([...allowed, ...earlier.split(' ').filter((name) => name !== '')])], declined);
}

/** A person who has ended an app is asked before it acts for them again. */
async function mayGoOn(userId: string, app: ProjectApp, request: OpenidRequest): Promise<boolean> {
  const key = { userId, projectAppId: app.id, placeId: placeOf(app, request.organizationId).id };
  return (await findEnds(request.context.deps.database, key)).endedAt === null;
}

type Allowed = {
  readonly scopes: readonly string[];
  readonly refused: readonly string[];
  readonly resourceServers: NonNullable<KoaContextWithOIDC['oidc']['resourceServers']>;
};

/** Of each resource that is requested it has the scopes that the person allowed the app. */
async function save(grant: Grant, grantId: string, { scopes, refused, resourceServers }: Allowed): Promise<Grant> {
  grant.jti = grantId;
  grant.addOIDCScope(scopes.join(' '));
  if (refused.length > 0) grant.rejectOIDCScope(refused.join(' '));
  for (const [identifier, server] of Object.entries(resourceServers)) {
    grant.addResourceScope(identifier, scopesAt(server.scopes, scopes));
    if (refused.length > 0) grant.rejectResourceScope(identifier, scopesAt(server.scopes, refused));
  }
  await grant.save();
  return grant;
}
