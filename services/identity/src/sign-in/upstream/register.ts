import { newId } from '@tessera/kernel/ids';
import { transact } from '../../ground/transact.ts';
import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import { createFrom, findOwnerOfAddress, isTaken, type SignedIn } from '../provider-identity.ts';
import { FlowRefusal } from './refusal.ts';

/**
 * Creates a person with an account. A person with a known, verified address signs in instead, which
 * links the two.
 */
export async function register(identity: ProviderIdentity, { accountType }: PlatformFlow, context: ProtocolContext): Promise<SignedIn> {
  const { provider, email, isEmailVerified: isVerified } = identity;
  try {
    const { result } = await transact(context, 'platformOauth', async (unit) => {
      if ((await findOwnerOfAddress(unit.tx, identity)) !== undefined) throw new FlowRefusal('account_exists');
      const account = { id: newId(), type: accountType };
      const { person, ...signedIn } = await createFrom(unit, identity, account);
      const payload = { userId: person.id, name: person.name, email, isVerified, account };
      unit.emit({ type: 'user.registered', key: person.id, payload });
      unit.audit('user.registered', { actorId: person.id, targetType: 'User', targetId: person.id, detail: { provider } });
      return signedIn;
    });
    return result;
  } catch (error) {
    throw isTaken(error) ? new FlowRefusal('account_exists') : error;
  }
}
