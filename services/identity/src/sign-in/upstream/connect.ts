import { transact, type Unit } from '../../ground/transact.ts';
import { assertHolds } from '../../people/address-owner.ts';
import { userUpdated } from '../../people/person-event.ts';
import { listMethods, useProviderMethod } from '../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../people/storage/people.ts';
import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import { addFurtherMethod, type SignedIn } from '../provider-identity.ts';
import { listSessions } from '../storage/sessions.ts';
import { FlowRefusal } from './refusal.ts';
import { refusalOfTaken } from './trip.ts';

/**
 * Adds the identity to the account that requested it, while its session exists. The database
 * enforces rules 4 and 5.
 */
export async function connect(identity: ProviderIdentity, { connecting }: PlatformFlow, context: ProtocolContext): Promise<SignedIn> {
  if (connecting === undefined) throw new FlowRefusal('session_ended');
  try {
    const { result } = await transact(context, 'platformOauth', (unit) => add(unit, identity, connecting, context));
    context.deps.mailer.poke();
    return result;
  } catch (error) {
    throw refusalOfTaken(error);
  }
}

async function add(
  unit: Unit,
  identity: ProviderIdentity,
  owner: NonNullable<PlatformFlow['connecting']>,
  context: ProtocolContext,
): Promise<SignedIn> {
  const { userId, sessionId } = owner;
  const { provider, providerId } = identity;
  if ((await lockPerson(unit.tx, userId)) === undefined) throw new FlowRefusal('session_ended');
  if (!(await listSessions(unit.tx, userId, unit.now)).some(({ id }) => id === sessionId)) throw new FlowRefusal('session_ended');
  const methods = await listMethods(unit.tx, [userId]);
  const known = methods.find((method) => method.provider === provider && method.providerId === providerId);
  if (known !== undefined) {
    if (await useProviderMethod(unit.tx, known.id, identity, unit.now, true)) {
      unit.emit(await userUpdated(unit.tx, userId));
      const entry = { actorId: userId, targetType: 'AuthenticationMethod', targetId: known.id, detail: { provider } };
      unit.audit('user.email-verified', entry);
    }
    return { userId, methodId: known.id, how: 'known' };
  }
  await assertHolds(unit.tx, userId);
  return addFurtherMethod(unit, userId, identity, context);
}
