import { newId } from '@tessera/kernel/ids';
import { joinTokenScope, parentScope } from '@tessera/kernel/scope';
import { noteUse, resumeOwn } from '../../apps/storage/acting-apps.ts';
import { insertAppToken } from '../../apps/storage/project-app-tokens.ts';
import { holdProjectApp } from '../../apps/storage/project-apps.ts';
import { emailProvider } from '../../ground/domain/people.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { transact } from '../../ground/transact.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';
import type { Grant } from './decide-grant.ts';

export type IssuedToken = { readonly token: string; readonly expiresIn: number };

/**
 * Signs a token with the project's key. It is issued only if the app is unchanged, and its id is
 * stored so that it can be revoked.
 */
export async function issueToken(
  userId: string,
  grant: Grant,
  app: ProjectApp,
  flow: ProjectFlow,
  context: ProtocolContext,
): Promise<IssuedToken> {
  const { sign, accessTokenSeconds } = context.deps;
  const { tenant, id } = app.scope;
  const tokenId = newId();
  const scope = joinTokenScope(app.scope, userId);
  const signed = sign({
    scope: { tenant, id },
    type: grant.type,
    subject: userId,
    tokenId,
    audience: grant.type === 'projectApp' ? app.clientId : '',
    lifetimeSeconds: accessTokenSeconds,
    claimsJson: JSON.stringify(grant.type === 'projectApp' ? { scope, scopes: grant.scopes } : { scope }),
  });
  const [{ token, expiresAt }, roleIds] = await Promise.all([signed, rolesOf(userId, app, context)]);
  await transact(context, 'projectOauth', async ({ tx, audit }) => {
    if (!(await holdProjectApp(tx, app))) throw new FlowRefusal('access_denied', 'the app was changed or deleted meanwhile');
    // Each token of this flow follows a sign-in of the person.
    const key = { userId, projectAppId: app.id, placeId: app.scope.id };
    await resumeOwn(tx, key);
    if (!(await noteUse(tx, { ...key, isByExchange: false }, context.now)))
      throw new FlowRefusal('access_denied', 'the organization has ended what this app may do for its member');
    await insertAppToken(tx, { id: tokenId, appId: app.id, userId, expiresAt: new Date(expiresAt * 1_000) });
    const provider = flow.by === 'email' ? emailProvider : flow.provider;
    const detail = { provider, type: grant.type, tokenId, roleIds, ...(grant.type === 'projectApp' ? { scopes: grant.scopes } : {}) };
    audit('project-oauth.login', { actorId: userId, targetType: 'ProjectApp', targetId: app.id, detail });
  });
  return { token, expiresIn: accessTokenSeconds };
}

/** The roles that the person has in the project and above it, for the audit log. */
async function rolesOf(userId: string, { scope }: ProjectApp, { deps }: ProtocolContext): Promise<string[]> {
  const parent = parentScope(scope);
  const places = [scope, ...(parent === undefined ? [] : [parent])].map(({ tenant, id }) => ({ tenant, id }));
  const held = await Promise.all(places.map((place) => deps.roles.listSubjectRoles({ scope: place, userIds: [userId] })));
  return held.flatMap(({ subjects }) => subjects.flatMap(({ roles }) => roles.map(({ id }) => id)));
}
