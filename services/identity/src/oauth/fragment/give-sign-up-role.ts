import { AppError } from '@tessera/kernel/errors';
import { parentScope } from '@tessera/kernel/scope';
import { vouchedApp, wireVoucher } from '../../apps/voucher.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';
import { decideSignUp } from './decide-grant.ts';

/**
 * Gives the app's sign-up role to a member of the organization, or the owner of the account, who
 * has no role of the project yet. The same check as for a sign-up; where it refuses, the sign-in
 * goes on without the role. True if the role was given.
 */
export async function giveSignUpRole(userId: string, app: ProjectApp, context: ProtocolContext): Promise<boolean> {
  const { tenancy, roles } = context.deps;
  const [scope, parent] = [{ tenant: app.scope.tenant, id: app.scope.id }, parentScope(app.scope)];
  if (!app.allowSignUp || app.signUpRoleId === null || parent === undefined) return false;
  const [above, { subjects }] = await Promise.all([
    tenancy.filterPeople({ scope: { tenant: parent.tenant, id: parent.id }, userIds: [userId] }),
    roles.listSubjectRoles({ scope, userIds: [userId] }),
  ]);
  if (!above.userIds.includes(userId) || subjects.some((subject) => subject.roles.length > 0)) return false;
  try {
    await decideSignUp(app, context);
    const vouched = await vouchedApp(app, context.deps);
    if (vouched === undefined) return false;
    // rbac asserts under its lock that the voucher may give the role to this member.
    await roles.setSubjectRoles({ actor: wireVoucher(vouched.voucher), scope, userId, roleIds: [app.signUpRoleId] });
    return true;
  } catch (error) {
    if (error instanceof FlowRefusal || (error instanceof AppError && (error.kind === 'forbidden' || error.kind === 'not-found')))
      return false;
    throw error;
  }
}
