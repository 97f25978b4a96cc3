import { parentScope } from '@tessera/kernel/scope';
import { cappedScopes, type ProjectApp } from '../../domain/oauth/project-app.ts';
import type { ProtocolContext } from '../context.ts';
import { FlowRefusal } from '../refusal.ts';

export type Grant = { readonly type: 'projectApp'; readonly scopes: readonly string[] } | { readonly type: 'apiKey' };

/** An app with scopes gets a token for itself, capped to them; one without gets a token that acts for the user, uncapped. */
export async function decideGrant(userId: string, app: ProjectApp, context: ProtocolContext): Promise<Grant> {
  if (app.scopes.length > 0) return { type: 'projectApp', scopes: await cap(userId, app, context) };
  await assertCreatorCovers(userId, app, context);
  return { type: 'apiKey' };
}

/** What the app may ask for and the user may do here. Nothing in common stays an empty list: a token that may do nothing. */
async function cap(userId: string, app: ProjectApp, { deps }: ProtocolContext): Promise<string[]> {
  const { tenant, id } = app.scope;
  const { permissions } = await deps.oauth.permissions.listPermissions({ subject: subjectOf(userId), scope: { tenant, id } });
  return cappedScopes(app, permissions);
}

/**
 * A token without a cap carries all that the user may do in the project, into the hands of whoever made the app. So it is handed out
 * only where that person could give those roles themselves: nobody gains rights by having somebody above them sign in.
 */
async function assertCreatorCovers(userId: string, { scope, createdBy }: ProjectApp, { deps }: ProtocolContext): Promise<void> {
  if (userId === createdBy) return;
  const parent = parentScope(scope);
  const places = [scope, ...(parent === undefined ? [] : [parent])].map(({ tenant, id }) => ({ tenant, id }));
  const held = await Promise.all(places.map((place) => deps.roles.listSubjectRoles({ scope: place, userIds: [userId] })));
  const roleIds = held.flatMap(({ subjects }) => subjects.flatMap(({ roles }) => roles.map(({ id }) => id)));
  if (roleIds.length === 0) return;
  const place = { tenant: scope.tenant, id: scope.id };
  const { verdicts } = await deps.roles.checkGrant({ actor: subjectOf(createdBy), scope: place, roleIds, givenTo: 'key' });
  const isCovered = roleIds.every((roleId) => verdicts.some((found) => found.roleId === roleId && found.verdict === 'allowed'));
  if (!isCovered) throw new FlowRefusal('access_denied', 'the app would act above its creator');
}

const subjectOf = (userId: string) => ({ type: 'session', userId, tokenId: '', scopes: [] });
