import { AppError } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent } from '@tessera/kernel/events';
import { holdsAddress } from '../people/domain/proven-address.ts';
import { listMethods } from '../people/storage/authentication-methods.ts';
import { lockPerson } from '../people/storage/people.ts';
import type { SignInDeps } from './deps.ts';
import { errors } from './errors.ts';
import { endEarlierAccess } from './reclaim.ts';

type Deps = Pick<SignInDeps, 'database' | 'revoker' | 'tenancy'>;

/**
 * Deletes an account that never held its address, on the word of the reader of its mail. First all
 * access ends; then tenancy closes the accounts, which deletes the person. Repeating it goes on
 * where it stopped. 409 for an account that holds an address.
 */
export async function deleteRegistration(userId: string, { deps, now }: { readonly deps: Deps; readonly now: Date }): Promise<void> {
  const revocations = await deps.database.transaction(async (tx) => {
    if ((await lockPerson(tx, userId)) === undefined) return [];
    if (holdsAddress(await listMethods(tx, [userId]))) throw errors.addressHeld();
    const events: OutgoingEvent[] = [];
    const reclaimed = await endEarlierAccess({ tx, now, emit: (...emitted) => void events.push(...emitted) }, userId, deps);
    await emit(tx, events);
    return reclaimed.revocations;
  });
  deps.revoker.announce(revocations);
  await deps.tenancy.closeAccounts({ userId, hard: true }, { timeoutMs: 10_000 }).catch((error: unknown) => {
    throw error instanceof AppError && error.kind === 'conflict' ? errors.registrationInUse({ cause: error }) : error;
  });
}
