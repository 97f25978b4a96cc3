import { timingSafeEqual } from 'node:crypto';
import { emailProvider } from '../../domain/people.ts';
import type { ProviderIdentity } from '../../providers/profiles.ts';
import { digest } from '../../tokens/digest.ts';
import type { ProtocolContext } from '../context.ts';
import type { ProjectFlow } from '../flow.ts';
import { FlowRefusal } from '../refusal.ts';

/**
 * The identity of the person who signs in: from the provider, or the mailbox that the token was
 * sent to.
 */
export async function authenticate(flow: ProjectFlow & { readonly state: string }, context: ProtocolContext): Promise<ProviderIdentity> {
  return flow.by === 'email' ? identityOfMailbox(flow, context.query) : identityAtProvider(flow, context);
}

async function identityAtProvider(
  { provider: name, state, codeVerifier }: Extract<ProjectFlow, { by: 'provider' }> & { readonly state: string },
  { deps, query }: ProtocolContext,
): Promise<ProviderIdentity> {
  const configured = deps.oauth.providers.get(name);
  if (configured === undefined) throw new FlowRefusal('access_denied', 'the provider is not configured any more');
  return configured.provider.identify(query, { redirectUri: configured.callbacks.project, state, codeVerifier });
}

/** The state is used up, so a wrong token cannot be tried twice. */
function identityOfMailbox({ email, tokenDigest }: Extract<ProjectFlow, { by: 'email' }>, query: URLSearchParams): ProviderIdentity {
  const given = query.getAll('token');
  const isRight = given.length === 1 && timingSafeEqual(Buffer.from(digest(given[0] ?? '')), Buffer.from(tokenDigest));
  if (!isRight) throw new FlowRefusal('access_denied', 'the one-time token is wrong');
  return { provider: emailProvider, providerId: email, name: null, email, isEmailVerified: true };
}
