/** People who are registered on the word of an invitation: by themselves, or by a directory. */
import { asAppError, failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { Call } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import type * as wire from '@tessera/proto/types/identity.v1';
import type { IdentityDeps } from '../../deps.ts';
import { nameFromAddress } from '../../ground/domain/address.ts';
import { emailProvider } from '../../ground/domain/people.ts';
import { claimForNew, findAccountOf, isProvenMeanwhile } from '../../people/address-owner.ts';
import { readAddress } from '../../people/operations/addresses.ts';
import { assertPasswordAllowed } from '../../people/password.ts';
import { insertMethod } from '../../people/storage/authentication-methods.ts';
import { insertImportedPeople, type PersonToImport } from '../../people/storage/imported-people.ts';
import { findPeopleOfInvitations, findPersonOfInvitation, insertPerson } from '../../people/storage/people.ts';
import { commitChange } from './commit-change.ts';

type Dependencies = IdentityDeps & { readonly clock: () => Date };

/** The commit, and the delivery of its event (2 s at most). */
const commitMs = 2_500;

type NewOfInvitation = wire.RegisterProvisionedRequest & {
  readonly operation: 'registerInvited' | 'registerProvisioned';
  /** Of the one who chooses it; a directory's people have none. */
  readonly hashPassword: (() => Promise<string>) | undefined;
};

export function registerInvited(
  deps: Dependencies,
  { password, ...request }: wire.RegisterInvitedRequest,
  call: Call,
): Promise<wire.RegisterInvitedResponse> {
  const hashPassword = async () => {
    await assertPasswordAllowed(password, 'userData.password', deps);
    return deps.hasher.hash(password);
  };
  return registerOfInvitation(deps, { ...request, operation: 'registerInvited', hashPassword }, call);
}

export function registerProvisioned(
  deps: Dependencies,
  request: wire.RegisterProvisionedRequest,
  call: Call,
): Promise<wire.RegisterInvitedResponse> {
  return registerOfInvitation(deps, { ...request, operation: 'registerProvisioned', hashPassword: undefined }, call);
}

/** One commit: person, method and the event from which tenancy creates account and membership. */
async function registerOfInvitation(
  deps: Dependencies,
  { operation, hashPassword, ...request }: NewOfInvitation,
  call: Call,
): Promise<wire.RegisterInvitedResponse> {
  const { invitationId, organizationId } = request;
  const existing = await findPersonOfInvitation(deps.database, invitationId);
  if (existing !== undefined) return { userId: existing };
  const address = readAddress(request.email, 'email');
  const taken = () => failures.conflict('User', 'email');
  // Before the costly hash; the transaction decides. A twin may have registered since then.
  if ((await findAccountOf(deps.database, address)) !== 'free') {
    const registered = await findPersonOfInvitation(deps.database, invitationId);
    if (registered === undefined) throw taken();
    return { userId: registered };
  }
  const secret = hashPassword === undefined ? {} : { passwordHash: await hashPassword() };
  // Passwords queue. A caller that would not wait for the end must not find the person made.
  if (call.deadline.getTime() - Date.now() < commitMs) throw failures.unavailable('identity');
  const userId = newId();
  const name = request.name === '' ? nameFromAddress(address) : request.name;
  const now = deps.clock();
  const account = { id: newId(), type: 'personal' } as const;
  const register = commitChange(deps, call.requestId, now, async ({ tx, emit, audit }) => {
    await insertPerson(tx, { id: userId, name, metadata: {}, createdBy: null, home: null, invitationId, account }, now);
    const method = { id: newId(), userId, provider: emailProvider, providerId: address, email: address, ...secret };
    if (!(await claimForNew(tx, [address], now)).has(address)) throw taken();
    await insertMethod(tx, { ...method, isVerified: true, isPrimary: true, lastUsedAt: null, heldAt: now }, now);
    const invitation = { id: invitationId, organizationId };
    const entry = { actorId: userId, targetType: 'User', targetId: userId, detail: { invitationId } };
    const changes = [{ field: 'name', before: null, after: name }];
    audit({ operation, action: 'user.registered', outcome: 'ok', entry, changes });
    emit({ type: 'user.registered', key: userId, payload: { userId, name, email: address, isVerified: true, account, invitation } });
  });
  const committed = await register.catch((error: unknown) => {
    if (isUniqueViolation(error, 'users_invitation')) return undefined;
    throw isUniqueViolation(error, 'authentication_methods_identity') || isProvenMeanwhile(error) ? taken() : error;
  });
  // Two parallel requests for one invitation get the same person.
  if (committed === undefined) return { userId: (await findPersonOfInvitation(deps.database, invitationId)) ?? userId };
  await deps.deliver(committed.eventIds, { call });
  return { userId };
}

const mostPeople = 100;

/**
 * The people of directories, many in one commit and with one event. Nothing but the addresses and
 * invitations of others can refuse a person: then each is registered alone.
 */
export async function registerProvisionedPeople(
  deps: Dependencies,
  { people }: wire.RegisterProvisionedPeopleRequest,
  call: Call,
): Promise<wire.RegisterProvisionedPeopleResponse> {
  if (people.length > mostPeople) throw failures.badInput();
  const invitationIds = people.map(({ invitationId }) => invitationId);
  const known = await findPeopleOfInvitations(deps.database, invitationIds);
  const fresh = people.filter(({ invitationId }) => !known.has(invitationId));
  const made = await registerTogether(deps, fresh, call).catch(async (error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    return registerEach(deps, fresh, call);
  });
  return { userIds: invitationIds.map((id) => known.get(id) ?? made.get(id) ?? '') };
}

type Provisioned = PersonToImport & { readonly invitationId: string; readonly organizationId: string };

/** In the order of their addresses, so that two of these do not wait for each other. */
function readPeople(people: readonly wire.RegisterProvisionedRequest[]): readonly Provisioned[] {
  const read = people.map(({ email, name, ...ids }) => {
    const address = readAddress(email, 'email');
    const made = { userId: newId(), methodId: newId(), account: { id: newId(), type: 'personal' } } as const;
    const known = { metadata: {}, passwordHash: undefined, externalId: undefined, isVerified: true };
    return { ...ids, ...made, ...known, email: address, name: name === '' ? nameFromAddress(address) : name };
  });
  return read.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}

/** The ids of those who were made, by invitation. The others have addresses that are taken. */
async function registerTogether(
  deps: Dependencies,
  people: readonly wire.RegisterProvisionedRequest[],
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  if (people.length === 0) return new Map();
  const now = deps.clock();
  const all = readPeople(people);
  const { result, eventIds } = await commitChange(deps, call.requestId, now, async ({ tx, emit, audit }) => {
    const addresses = all.map(({ email }) => email);
    const free = await claimForNew(tx, addresses, now);
    const chosen = all.filter(({ email }) => free.has(email));
    const ids = await insertImportedPeople(tx, chosen, now);
    const made = chosen.filter(({ userId }) => ids.has(userId));
    for (const { userId, name, invitationId } of made) {
      const entry = { actorId: userId, targetType: 'User', targetId: userId, detail: { invitationId } };
      const changes = [{ field: 'name', before: null, after: name }];
      audit({ operation: 'registerProvisioned', action: 'user.registered', outcome: 'ok', entry, changes });
    }
    const [first] = made;
    const told = made.map(({ userId, name, email, account, invitationId, organizationId }) => {
      return { userId, name, email, isVerified: true, account, invitation: { id: invitationId, organizationId } };
    });
    if (first !== undefined) emit({ type: 'users.provisioned', key: first.userId, payload: { people: told } });
    return new Map(made.map(({ invitationId, userId }) => [invitationId, userId]));
  });
  await deps.deliver(eventIds, { call });
  return result;
}

async function registerEach(
  deps: Dependencies,
  people: readonly wire.RegisterProvisionedRequest[],
  call: Call,
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const person of people)
    try {
      made.set(person.invitationId, (await registerProvisioned(deps, person, call)).userId);
    } catch (error) {
      if (asAppError(error).kind !== 'conflict') throw error;
    }
  return made;
}
