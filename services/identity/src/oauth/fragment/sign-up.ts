import { holdProjectApp } from '../../apps/storage/project-apps.ts';
import { isProjectUser, isShutOut } from '../../apps/voucher.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { transact, type Unit } from '../../ground/transact.ts';
import { describePerson } from '../../people/person-event.ts';
import type { ProviderIdentity } from '../../sign-in/connections/profiles.ts';
import { createFrom, isTaken, type SignedIn } from '../../sign-in/provider-identity.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';

/**
 * A user who left the project while the token was signed must not get it: leaving revoked only the
 * tokens stored by then.
 */
export async function assertStillProjectUser(userId: string, app: ProjectApp, context: ProtocolContext): Promise<void> {
  if (!(await isProjectUser(userId, app.scope, context.deps))) throw new FlowRefusal('access_denied', 'left the project meanwhile');
}

/**
 * Adds a new or known person to the project, with the app's sign-up role, if the app is still the
 * one that was judged. Returns the user's id.
 */
export async function signUp(
  known: SignedIn | undefined,
  identity: ProviderIdentity | undefined,
  app: ProjectApp,
  context: ProtocolContext,
): Promise<string> {
  // Joining would be a way back in.
  if (known !== undefined && (await isShutOut(known.userId, app.scope, context.deps)))
    throw new FlowRefusal('access_denied', 'is blocked, or has to choose a new password');
  try {
    const { result, isDelivered } = await transact(context, 'projectOauth', async (unit) => {
      if (!(await holdProjectApp(unit.tx, app))) throw new FlowRefusal('access_denied', 'the app was changed or deleted meanwhile');
      const userId = known?.userId ?? (await createPerson(unit, identity));
      await join(unit, userId, app);
      return userId;
    });
    if (!isDelivered) throw new FlowRefusal('temporarily_unavailable', 'the other services have not received the new user yet');
    // A project that was deleted meanwhile gets no users.
    if (!(await isProjectUser(result, app.scope, context.deps))) throw new FlowRefusal('access_denied', 'the project was deleted');
    return result;
  } catch (error) {
    throw isTaken(error) ? new FlowRefusal('access_denied', 'the address belongs to another user') : error;
  }
}

async function createPerson(unit: Unit, identity: ProviderIdentity | undefined): Promise<string> {
  if (identity === undefined) throw new FlowRefusal('access_denied', 'is nobody');
  return (await createFrom(unit, identity)).userId;
}

async function join({ tx, emit, audit }: Unit, userId: string, { id: appId, scope, signUpRoleId }: ProjectApp): Promise<void> {
  const { name, email } = await describePerson(tx, userId);
  const roleIds = signUpRoleId === null ? [] : [signUpRoleId];
  const place = { tenant: scope.tenant, id: scope.id };
  const payload = { userId, name, email, scope: place, roleIds, tagIds: [], primaryTagId: null, createdBy: null };
  emit({ type: 'user.joined', key: userId, payload });
  audit('user.joined', { actorId: userId, targetType: 'User', targetId: userId, detail: { scope: place, roleIds, projectAppId: appId } });
}
