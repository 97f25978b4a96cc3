import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import type { SignedIn } from '../provider-identity.ts';
import { FlowRefusal } from './refusal.ts';
import { findPersonOf } from './trip.ts';

/**
 * Finds a person by this identity, or by an address that both sides have verified. It creates none:
 * `register` does.
 */
export function login(identity: ProviderIdentity, _flow: PlatformFlow, context: ProtocolContext): Promise<SignedIn> {
  const { provider } = identity;
  return findPersonOf(identity, 'platformOauth', context, (signedIn, unit) => {
    if (signedIn === undefined) throw new FlowRefusal('account_not_found');
    const { userId, methodId, how } = signedIn;
    unit.audit('oauth.login', { actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, detail: { provider, how } });
    return signedIn;
  });
}
