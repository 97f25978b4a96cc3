import { transact } from '../../ground/transact.ts';
import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import { findOrLink, hasAnother, isTaken, retryIfTaken, type SignedIn } from '../provider-identity.ts';
import { FlowRefusal } from './refusal.ts';

/**
 * Finds a person by this identity, or by an address that both sides have verified. It creates none:
 * `register` does.
 */
export async function login(identity: ProviderIdentity, _flow: PlatformFlow, context: ProtocolContext): Promise<SignedIn> {
  const { provider } = identity;
  try {
    const { result: signedIn } = await retryIfTaken(() =>
      transact(context, 'platformOauth', async (unit) => {
        const signedIn = await findOrLink(unit, identity, context);
        if (signedIn === undefined) throw new FlowRefusal('account_not_found');
        const { userId, methodId, how } = signedIn;
        unit.audit('oauth.login', { actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, detail: { provider, how } });
        return signedIn;
      }),
    );
    if (signedIn.how === 'linked') context.deps.mailer.poke();
    return signedIn;
  } catch (error) {
    if (isTaken(error)) throw new FlowRefusal('identity_taken');
    throw hasAnother(error) ? new FlowRefusal('method_exists') : error;
  }
}
