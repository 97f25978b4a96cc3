import type { ProviderIdentity } from '../../providers/profiles.ts';
import { findOrLink, hasAnother, isTaken, type SignedIn, twiceIfTaken } from '../../sign-in/provider-identity.ts';
import type { ProtocolContext } from '../context.ts';
import { FlowRefusal } from '../refusal.ts';
import { transact } from '../transact.ts';

/** The global user: found by provider, or linked by an address that both sides have verified. Undefined for somebody new. */
export async function resolveUser(identity: ProviderIdentity, context: ProtocolContext): Promise<SignedIn | undefined> {
  try {
    const { result } = await twiceIfTaken(() =>
      transact(context, 'projectOauth', async (unit) => {
        const found = await findOrLink(unit, identity);
        if (found?.how === 'linked') {
          const { userId: actorId, methodId: targetId } = found;
          const detail = { provider: identity.provider };
          unit.audit('authentication-method.created', { actorId, targetType: 'AuthenticationMethod', targetId, detail });
        }
        return found;
      }),
    );
    return result;
  } catch (error) {
    throw isTaken(error) || hasAnother(error) ? new FlowRefusal('access_denied', 'the address belongs to somebody else') : error;
  }
}
