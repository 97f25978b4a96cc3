import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@tessera/kernel/errors';
import { emailProvider } from '../../ground/domain/people.ts';
import { digest } from '../../ground/tokens/digest.ts';
import { listMethods } from '../../people/storage/authentication-methods.ts';
import type { ProvenIdentity } from '../../sign-in/connections/provider.ts';
import type { ProjectFlow } from '../../sign-in/flow.ts';
import type { SignedIn } from '../../sign-in/provider-identity.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import { findPersonOf, identityFrom } from '../../sign-in/upstream/trip.ts';
import type { ProtocolContext } from '../deps.ts';

type Identified = { readonly identity: ProvenIdentity | undefined; readonly known: SignedIn | undefined };

/**
 * Who signs in; `known` is undefined for a new person. After the second factor it is known already.
 */
export async function identifyPerson(flow: ProjectFlow & { readonly state: string }, context: ProtocolContext): Promise<Identified> {
  if (flow.by === 'second-factor') return { identity: undefined, known: await afterSecondFactor(flow, context) };
  const identity = await authenticate(flow, context);
  return { identity, known: await findKnown(identity, context) };
}

/** The redirect names no reason: it goes to the app. */
async function findKnown(identity: ProvenIdentity, context: ProtocolContext): Promise<SignedIn | undefined> {
  try {
    return await findPersonOf(identity, 'projectOauth', context, (signedIn) => signedIn);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'address-not-held')
      throw new FlowRefusal('access_denied', 'the account of the address does not hold it');
    throw error instanceof FlowRefusal ? new FlowRefusal('access_denied', 'the address belongs to another user') : error;
  }
}

/** The address that goes on is good for minutes: the way to sign in may be gone by then. */
async function afterSecondFactor(
  { userId, methodId }: Extract<ProjectFlow, { by: 'second-factor' }>,
  { deps }: ProtocolContext,
): Promise<SignedIn> {
  const methods = await listMethods(deps.database, [userId]);
  if (!methods.some(({ id }) => id === methodId)) throw new FlowRefusal('access_denied', 'the way to sign in was removed meanwhile');
  return { userId, methodId, how: 'known' };
}

type FirstFactorFlow = Exclude<ProjectFlow, { by: 'second-factor' }> & { readonly state: string };

/**
 * The identity of the person who signs in: from the provider, or the mailbox that the token was
 * sent to.
 */
async function authenticate(flow: FirstFactorFlow, context: ProtocolContext): Promise<ProvenIdentity> {
  return flow.by === 'email' ? identityOfMailbox(flow, context.query) : identityAtProvider(flow, context);
}

async function identityAtProvider(
  flow: Extract<ProjectFlow, { by: 'provider' }> & { readonly state: string },
  context: ProtocolContext,
): Promise<ProvenIdentity> {
  const configured = context.deps.connections.get(flow.provider);
  if (configured === undefined) throw new FlowRefusal('access_denied', 'the provider is not configured any more');
  return identityFrom(context, configured, 'project', flow);
}

/** The state is used up, so a wrong token cannot be tried twice. */
function identityOfMailbox({ email, tokenDigest }: Extract<ProjectFlow, { by: 'email' }>, query: URLSearchParams): ProvenIdentity {
  const given = query.getAll('token');
  const isRight = given.length === 1 && timingSafeEqual(Buffer.from(digest(given[0] ?? '')), Buffer.from(tokenDigest));
  if (!isRight) throw new FlowRefusal('access_denied', 'the one-time token is wrong');
  return { provider: emailProvider, providerId: email, name: null, email, isEmailVerified: true };
}
