import { parentScope } from '@tessera/kernel/scope';
import type { ProjectApp } from '../../domain/oauth/project-app.ts';
import type { ProviderIdentity } from '../../providers/profiles.ts';
import { createFrom, describePerson, isTaken, type SignedIn } from '../../sign-in/provider-identity.ts';
import type { ProtocolContext } from '../context.ts';
import { FlowRefusal } from '../refusal.ts';
import { transact, type Unit } from '../transact.ts';

/**
 * The id of a user of the app's project: one of its people, or a person who signs up where the app
 * allows it.
 */
export async function ensureProjectUser(
  known: SignedIn | undefined,
  identity: ProviderIdentity,
  app: ProjectApp,
  context: ProtocolContext,
): Promise<string> {
  if (known !== undefined && (await isProjectUser(known.userId, app, context))) return known.userId;
  if (!app.allowSignUp || app.signUpRoleId === null) throw new FlowRefusal('access_denied', 'is no user of the project');
  const userId = await signUp(known, identity, app, context);
  // A project that was deleted meanwhile gets no users.
  if (!(await isProjectUser(userId, app, context))) throw new FlowRefusal('access_denied', 'the project was deleted');
  return userId;
}

/**
 * A user who left the project while the token was signed must not get it: leaving revoked only the
 * tokens stored by then.
 */
export async function assertStillProjectUser(userId: string, app: ProjectApp, context: ProtocolContext): Promise<void> {
  if (!(await isProjectUser(userId, app, context))) throw new FlowRefusal('access_denied', 'left the project meanwhile');
}

/**
 * The people of a project are its own users, the members of its organization and the owner of its
 * account.
 */
async function isProjectUser(userId: string, { scope }: ProjectApp, { deps }: ProtocolContext): Promise<boolean> {
  const parent = parentScope(scope);
  const places = [scope, ...(parent === undefined ? [] : [parent])];
  const found = await Promise.all(places.map(({ tenant, id }) => deps.tenancy.filterPeople({ scope: { tenant, id }, userIds: [userId] })));
  return found.some(({ userIds }) => userIds.includes(userId));
}

/** Adds a new or known person to the project, with the app's sign-up role. */
async function signUp(known: SignedIn | undefined, identity: ProviderIdentity, app: ProjectApp, context: ProtocolContext): Promise<string> {
  try {
    const { result, isDelivered } = await transact(context, 'projectOauth', async (unit) => {
      const userId = known?.userId ?? (await createFrom(unit, identity)).userId;
      await join(unit, userId, app);
      return userId;
    });
    if (!isDelivered) throw new FlowRefusal('temporarily_unavailable', 'the other services have not received the new user yet');
    return result;
  } catch (error) {
    throw isTaken(error) ? new FlowRefusal('access_denied', 'the address belongs to another user') : error;
  }
}

async function join({ tx, emit, audit }: Unit, userId: string, { id: appId, scope, signUpRoleId }: ProjectApp): Promise<void> {
  const { name, email } = await describePerson(tx, userId);
  const roleIds = signUpRoleId === null ? [] : [signUpRoleId];
  const place = { tenant: scope.tenant, id: scope.id };
  const payload = { userId, name, email, scope: place, roleIds, tagIds: [], primaryTagId: null, createdBy: null };
  emit({ type: 'user.joined', key: userId, payload });
  audit('user.joined', { actorId: userId, targetType: 'User', targetId: userId, detail: { scope: place, roleIds, projectAppId: appId } });
}
