import { cappedScopes, type ProjectApp } from '../../domain/oauth/project-app.ts';
import { coversRolesOf } from '../../sign-in/role-cover.ts';
import type { ProtocolContext } from '../context.ts';
import { FlowRefusal } from '../refusal.ts';

export type Grant = { readonly type: 'projectApp'; readonly scopes: readonly string[] } | { readonly type: 'apiKey' };

/**
 * An app with scopes gets a token for itself, capped to them; one without gets a token that acts
 * for the user, uncapped.
 */
export async function decideGrant(userId: string, app: ProjectApp, context: ProtocolContext): Promise<Grant> {
  if (app.scopes.length > 0) return { type: 'projectApp', scopes: await cap(userId, app, context) };
  await assertVoucherCovers(userId, app, context);
  return { type: 'apiKey' };
}

/**
 * The scopes of the app that the user holds here. Without any the list is empty, and the token
 * allows nothing.
 */
async function cap(userId: string, app: ProjectApp, { deps }: ProtocolContext): Promise<string[]> {
  const { tenant, id } = app.scope;
  const { permissions } = await deps.oauth.permissions.listPermissions({ subject: subjectOf(userId), scope: { tenant, id } });
  return cappedScopes(app, permissions);
}

/**
 * A token without a cap has all rights of the user in the project, and goes to an address that the
 * app's voucher chose.
 */
async function assertVoucherCovers(userId: string, { scope, vouchedBy }: ProjectApp, { deps }: ProtocolContext): Promise<void> {
  const isCovered = await coversRolesOf(subjectOf(vouchedBy), userId, scope, deps);
  if (!isCovered) throw new FlowRefusal('access_denied', 'the app would have more rights than the person who vouches for it');
}

function subjectOf(userId: string) {
  return { type: 'session', userId, tokenId: '', scopes: [] };
}
