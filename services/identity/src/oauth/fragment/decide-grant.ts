import { joinTokenScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import { coversRolesOf } from '../../apps/role-cover.ts';
import { vouchedApp, wireVoucher } from '../../apps/voucher.ts';
import { cappedScopes, type ProjectApp, type Voucher } from '../../ground/domain/project-app.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';

export type Grant = { readonly type: 'projectApp'; readonly scopes: readonly string[] } | { readonly type: 'apiKey' };
type VouchedApp = ProjectApp & { readonly voucher: Voucher };

/**
 * An app with scopes gets a token for itself, capped to them; one without gets a token that acts
 * for the user, uncapped. Neither gets more than its voucher could give now.
 */
export async function decideGrant(userId: string, app: ProjectApp, context: ProtocolContext): Promise<Grant> {
  const vouched = await requireVouched(app, context);
  if (app.scopes.length > 0) return cappedGrant(vouched, { type: 'session', userId, tokenId: '', scopes: [] }, context);
  assertCovered(await coversRolesOf(wireVoucher(vouched.voucher), userId, app.scope, context.deps));
  return { type: 'apiKey' };
}

/**
 * The same for a person who will have the app's sign-up role and no other. The voucher must be
 * allowed to give that role now.
 */
export async function decideSignUp(app: ProjectApp, context: ProtocolContext): Promise<Grant> {
  if (!app.allowSignUp || app.signUpRoleId === null) throw new FlowRefusal('access_denied', 'is no user of the project');
  const vouched = await requireVouched(app, context);
  const roleId = app.signUpRoleId;
  await assertMayGive(vouched, roleId, 'user', context);
  if (app.scopes.length === 0) {
    await assertMayGive(vouched, roleId, 'key', context);
    return { type: 'apiKey' };
  }
  const { userId } = vouched.voucher;
  const holder = { type: 'apiKey', userId, tokenId: '', scopes: [], tokenScope: joinTokenScope(app.scope, userId), roleId };
  return cappedGrant(vouched, holder, context);
}

export async function requireVouched(app: ProjectApp, { deps }: ProtocolContext): Promise<VouchedApp> {
  const vouched = await vouchedApp(app, deps);
  if (vouched === undefined) throw new FlowRefusal('access_denied', 'no member vouches for the app any more');
  return vouched;
}

/**
 * The scopes of the app that the holder has here. Without any the list is empty, and the token
 * allows nothing. `place`: where an organization uses the project.
 */
export async function cappedScopesOf(
  app: VouchedApp,
  subject: rbac.Subject,
  { deps }: ProtocolContext,
  { tenant, id }: Scope = app.scope,
): Promise<readonly string[]> {
  const { permissions } = await deps.permissions.listPermissions({ subject, scope: { tenant, id } });
  return cappedScopes(app, permissions);
}

async function cappedGrant(app: VouchedApp, subject: rbac.Subject, context: ProtocolContext): Promise<Grant> {
  return { type: 'projectApp', scopes: await cappedScopesOf(app, subject, context) };
}

export async function assertMayGive(
  { voucher, scope: { tenant, id } }: VouchedApp,
  roleId: string,
  givenTo: 'user' | 'key',
  { deps }: ProtocolContext,
): Promise<void> {
  const asked = { actor: wireVoucher(voucher), scope: { tenant, id }, roleIds: [roleId], givenTo };
  const { verdicts } = await deps.roles.checkGrant(asked);
  assertCovered(verdicts.some((found) => found.roleId === roleId && found.verdict === 'allowed'));
}

/** A token has all rights that it is given in the project, and goes where the voucher chose. */
function assertCovered(isCovered: boolean): void {
  if (!isCovered) throw new FlowRefusal('access_denied', 'the app would have more rights than the person who vouches for it');
}
