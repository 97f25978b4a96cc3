import { AppError } from '@tessera/kernel/errors';
import { transact } from '../../ground/transact.ts';
import type { ProviderIdentity } from '../../sign-in/connections/profiles.ts';
import { findOrLink, hasAnother, isTaken, retryIfTaken, type SignedIn } from '../../sign-in/provider-identity.ts';
import { FlowRefusal } from '../../sign-in/upstream/refusal.ts';
import type { ProtocolContext } from '../deps.ts';

/**
 * The global user: found by provider identity, or linked by an address that both sides have
 * verified. Undefined for a new person.
 */
export async function resolveUser(identity: ProviderIdentity, context: ProtocolContext): Promise<SignedIn | undefined> {
  try {
    const { result: found } = await retryIfTaken(() => transact(context, 'projectOauth', (unit) => findOrLink(unit, identity, context)));
    if (found?.how === 'linked') context.deps.mailer.poke();
    return found;
  } catch (error) {
    // The redirect names no reason: it goes to the app.
    if (error instanceof AppError && error.kind === 'address-not-held')
      throw new FlowRefusal('access_denied', 'the account of the address does not hold it');
    throw isTaken(error) || hasAnother(error) ? new FlowRefusal('access_denied', 'the address belongs to another user') : error;
  }
}
