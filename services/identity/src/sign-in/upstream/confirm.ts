import { findCredentials } from '../../people/storage/authentication-methods.ts';
import type { ProviderIdentity } from '../connections/profiles.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import type { SignedIn } from '../provider-identity.ts';
import { FlowRefusal } from './refusal.ts';

/** The person who is signed in proves at the provider that it is still them. Nothing changes. */
export async function confirm(identity: ProviderIdentity, { connecting }: PlatformFlow, { deps }: ProtocolContext): Promise<SignedIn> {
  const method = await findCredentials(deps.database, identity.provider, identity.providerId);
  if (connecting === undefined || method?.userId !== connecting.userId) throw new FlowRefusal('access_denied', 'another identity');
  return { userId: method.userId, methodId: method.id, how: 'known' };
}
