/**
 * Access tokens of the platform's own issuer. The command line gets a session of
 * its own, so that it is listed, ended and revoked like every other one; the operator's tools get
 * a handle that opens userinfo and nothing else.
 */
import Provider, { type AccessToken } from 'oidc-provider';
import { holdGrant, moveToOwnGrant } from '../../apps/storage/openid-artifacts.ts';
import { newOpaqueToken } from '../../ground/tokens/opaque-token.ts';
import { transact } from '../../ground/transact.ts';
import { notifyPerson } from '../../sign-in/factors/notify.ts';
import { findSigner, openSignIn, planSignIn, sessionOf, settleSignIn } from '../../sign-in/sign-in.ts';
import { holdGranter } from '../../sign-in/storage/granter.ts';
import { extendSession, findSessionToCopy } from '../../sign-in/storage/session-copies.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { PlatformClient } from '../platform-clients.ts';
import { requirePlatformClient } from './clients.ts';
import { grantIdOf } from './derived-ids.ts';
import { noteOfRotation } from './refresh-rotation.ts';
import type { OpenidRequest } from './request.ts';

/** No JWT begins like this. */
export const handlePrefix = 'tth_';

export async function issuePlatformToken(token: AccessToken, request: OpenidRequest): Promise<string> {
  const client = requirePlatformClient(token.clientId ?? '', request);
  if (!client.opensSessions) return issueHandle(token, request);
  return isRefresh(token) ? renewSession(token, request) : openOwnSession(token, client, request);
}

function isRefresh({ gty }: AccessToken): boolean {
  return gty?.endsWith('refresh_token') === true;
}

async function issueHandle(token: AccessToken, openid: OpenidRequest): Promise<string> {
  const { context, issuer } = openid;
  token.jti = handlePrefix + newOpaqueToken();
  await transact(context, 'openid', async ({ tx, audit }) => {
    if (!(await holdGrant(tx, issuer.url, token.grantId ?? ''))) throw new FlowRefusal('access_denied', 'the grant has ended');
    audit('openid.token', entryOf(token, openid));
  });
  return token.jti;
}

/**
 * The first tokens of a grant. The session has the factors of the browser's session that granted
 * it, and no freshness: what was proven in one browser says nothing of who holds the other program.
 */
async function openOwnSession(token: AccessToken, { clientId, name }: PlatformClient, openid: OpenidRequest): Promise<string> {
  const { context, issuer } = openid;
  const { deps, now, request } = context;
  const granting = await findSessionToCopy(deps.database, token.sessionUid ?? '', now);
  if (granting?.authenticationMethodId == null) throw new FlowRefusal('access_denied', 'the session has ended');
  const { userId, amr, authenticationMethodId: methodId, connectionId } = granting;
  // Another device than the browser's: the two never share a session.
  const device = { userAgent: `${name} · ${request.userAgent}`, ipAddress: request.ipAddress };
  const refusal = () => new FlowRefusal('access_denied', 'the way to sign in has changed');
  const person = await findSigner(userId, { deps, now, request: device });
  if (person === undefined) throw refusal();
  const proof = { methodId, amr, connectionId, authenticatedAt: new Date(0) };
  const planned = await planSignIn({ door: 'program', person, proof, detail: {}, refusal }, { deps, now, request: device });
  const { result: opened } = await transact(context, 'openid', async ({ tx, audit }) => {
    const granter = await holdGranter(tx, userId, token.sessionUid ?? '', now);
    if (granter === undefined) throw new FlowRefusal('access_denied', 'the session has ended');
    if (!(await holdGrant(tx, issuer.url, token.grantId ?? ''))) throw new FlowRefusal('access_denied', 'the grant has ended');
    const session = sessionOf(await openSignIn(planned, { tx, deps, now, granter }));
    const { sessionId } = session.opened;
    const own = { sessionId, grantId: grantIdOf(issuer.url, sessionId, clientId) };
    await moveToOwnGrant(tx, { issuer: issuer.url, from: token.grantId ?? '', own, code: codeOfRequest() });
    const data = { program: name, ipAddress: request.ipAddress, at: now.toISOString() };
    await notifyPerson(tx, userId, { template: 'program-signed-in', language: request.language, data }, deps, now);
    audit('openid.token', entryOf(token, openid));
    return { session, own };
  });
  deps.mailer.poke();
  const { accessToken } = await settleSignIn(opened.session, deps);
  openid.own = opened.own;
  Object.assign(token, { jti: opened.own.sessionId, sessionUid: opened.own.sessionId, grantId: opened.own.grantId });
  return accessToken;
}

async function renewSession(token: AccessToken, openid: OpenidRequest): Promise<string> {
  const { context, issuer } = openid;
  const { deps, now } = context;
  const sessionId = token.sessionUid ?? '';
  const session = await findSessionToCopy(deps.database, sessionId, now);
  if (session === undefined) throw new FlowRefusal('access_denied', 'the session has ended');
  const { userId, amr, authenticatedAt, connectionId } = session;
  const proof = { amr, authenticatedAt: new Date(authenticatedAt) };
  const holder = { userId, methods: await deps.methodsOf(userId), scope: null, proof, connectionId };
  const accessToken = await deps.sessions.signAccessToken(sessionId, holder);
  await transact(context, 'openid', async ({ tx, audit }) => {
    if (!(await extendSession(tx, sessionId, deps.sessions.refreshExpiry(now), now)))
      throw new FlowRefusal('access_denied', 'the session has ended');
    if (!(await holdGrant(tx, issuer.url, token.grantId ?? ''))) throw new FlowRefusal('access_denied', 'the grant has ended');
    audit('openid.token', entryOf(token, openid));
  });
  token.jti = sessionId;
  return accessToken;
}

/** What this request spends: used again, it ends what it gives now. */
function codeOfRequest() {
  const { AuthorizationCode: code, DeviceCode: device } = Provider.ctx?.oidc.entities ?? {};
  if (code !== undefined) return { model: 'AuthorizationCode', value: code.jti };
  return { model: 'DeviceCode', value: device?.jti ?? '' };
}

function entryOf({ accountId, clientId, gty, scope }: AccessToken, openid: OpenidRequest) {
  return {
    ...(accountId === undefined ? {} : { actorId: accountId }),
    targetType: 'OpenidClient',
    detail: { clientId, grantType: gty, scope, ...noteOfRotation(openid) },
  };
}
