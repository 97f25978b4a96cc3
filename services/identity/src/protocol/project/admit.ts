import { parentScope } from '@tessera/kernel/scope';
import type { ProjectApp } from '../../domain/oauth/project-app.ts';
import type { ProviderIdentity } from '../../providers/profiles.ts';
import { createFrom, describePerson, isTaken, type SignedIn } from '../../sign-in/provider-identity.ts';
import type { ProtocolContext } from '../context.ts';
import { FlowRefusal } from '../refusal.ts';
import { transact, type Unit } from '../transact.ts';

/** The user's id, once they belong to the app's project: as one of its people already, or by signing up where the app allows it. */
export async function admit(
  known: SignedIn | undefined,
  identity: ProviderIdentity,
  app: ProjectApp,
  context: ProtocolContext,
): Promise<string> {
  if (known !== undefined && (await belongs(known.userId, app, context))) return known.userId;
  if (!app.allowSignUp || app.signUpRoleId === null) throw new FlowRefusal('access_denied', 'not one of the project');
  const userId = await signUp(known, identity, app, context);
  // A project that was deleted meanwhile takes nobody in.
  if (!(await belongs(userId, app, context))) throw new FlowRefusal('access_denied', 'the project took nobody in');
  return userId;
}

/** Whoever left while the token was made does not get it: their leaving took back only what had been kept by then. */
export async function assertStillBelongs(userId: string, app: ProjectApp, context: ProtocolContext): Promise<void> {
  if (!(await belongs(userId, app, context))) throw new FlowRefusal('access_denied', 'left the project meanwhile');
}

/** The people of a project are its own users, the members of its organization and the owner of its account. */
async function belongs(userId: string, { scope }: ProjectApp, { deps }: ProtocolContext): Promise<boolean> {
  const parent = parentScope(scope);
  const places = [scope, ...(parent === undefined ? [] : [parent])];
  const found = await Promise.all(places.map(({ tenant, id }) => deps.tenancy.filterPeople({ scope: { tenant, id }, userIds: [userId] })));
  return found.some(({ userIds }) => userIds.includes(userId));
}

/** A new person, or one who is new to the project, with the role that the app gives. */
async function signUp(known: SignedIn | undefined, identity: ProviderIdentity, app: ProjectApp, context: ProtocolContext): Promise<string> {
  try {
    const { result, isDelivered } = await transact(context, 'projectOauth', async (unit) => {
      const userId = known?.userId ?? (await createFrom(unit, identity)).userId;
      await join(unit, userId, app);
      return userId;
    });
    if (!isDelivered) throw new FlowRefusal('temporarily_unavailable', 'the project has not heard of the new user yet');
    return result;
  } catch (error) {
    throw isTaken(error) ? new FlowRefusal('access_denied', 'the address belongs to somebody else') : error;
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
