import type { ProviderIdentity } from '../../providers/profiles.ts';
import type { SignedIn } from '../../sign-in/provider-identity.ts';
import { findCredentials } from '../../storage/authentication-methods.ts';
import type { ProtocolContext } from '../context.ts';
import type { PlatformFlow } from '../flow.ts';
import { FlowRefusal } from '../refusal.ts';

/** The person who is signed in proves at the provider that it is still them. Nothing changes. */
export async function confirm(identity: ProviderIdentity, { connecting }: PlatformFlow, { deps }: ProtocolContext): Promise<SignedIn> {
  const method = await findCredentials(deps.database, identity.provider, identity.providerId);
  if (connecting === undefined || method?.userId !== connecting.userId) throw new FlowRefusal('access_denied', 'another identity');
  return { userId: method.userId, methodId: method.id, how: 'known' };
}
