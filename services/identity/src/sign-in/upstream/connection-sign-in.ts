/**
 * Who signs in by the identity provider of an organization (decision 23, paths 1, 2, 4 to 8). A
 * person is found by (connection, subject), never by an address, and the provider speaks for the
 * addresses of its organization's proven domains only.
 */
import { newId } from '@tessera/kernel/ids';
import { auditMessage } from '@tessera/kernel/operation';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import type { Admission } from '@tessera/proto/types/tenancy.v1';
import { auditContextOf, transact, type Unit } from '../../ground/transact.ts';
import { findAccountOf, holdsAnAddress } from '../../people/address-owner.ts';
import { userUpdated } from '../../people/person-event.ts';
import { findCredentials, useProviderMethod } from '../../people/storage/authentication-methods.ts';
import { findPerson } from '../../people/storage/people.ts';
import { findPlatformAdministrator } from '../../people/storage/platform-administrators.ts';
import { keptClaimsOf } from '../connections/kept-claims.ts';
import type { ProvenIdentity } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import { createFrom, type SignedIn } from '../provider-identity.ts';
import { keepSignIn } from '../storage/connection-sign-ins.ts';
import {
  type Connection,
  findLink,
  holdActiveConnection,
  insertLink,
  isRememberedSubject,
  noteUse,
  rememberLinked,
  rememberSubject,
} from '../storage/connections.ts';
import { confirm } from './confirm.ts';
import { findLinkable, linkByDomain, linkByWord, type Spoken, scopeOf } from './connection-links.ts';
import { standingDefault } from './default-role.ts';
import { mapRolesOf } from './map-roles.ts';
import { FlowRefusal } from './refusal.ts';
import { refusalOfTaken } from './trip.ts';

type Step = (identity: ProvenIdentity, flow: PlatformFlow, context: ProtocolContext) => Promise<SignedIn>;
const operation = 'connectionSignIn';

export function loginBy(connection: Connection): Step {
  return async (identity, _flow, context) => {
    const { admission, spoken, linkable } = await judge(connection, identity, context);
    const signedIn = await commit(connection, context, async (unit, held) => {
      const found = await personOf(unit, { connection: held, spoken, linkable }, context);
      const { userId, methodId, how } = found;
      const detail = { connection: connection.id, how };
      const scope = scopeOf(connection);
      unit.audit('oauth.login', { actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, scope, detail });
      return found;
    });
    if (signedIn.how === 'linked') context.deps.mailer.poke();
    return admit(connection, { admission, spoken, signedIn }, context);
  };
}

type Arriving = { readonly connection: Connection; readonly spoken: Spoken; readonly linkable: string | undefined };

async function personOf(unit: Unit, arriving: Arriving, context: ProtocolContext): Promise<SignedIn> {
  const { connection, spoken } = arriving;
  const known = (await signInKnown(unit, connection, spoken)) ?? (await linkByDomain(unit, arriving, context));
  return known ?? makePerson(unit, connection, spoken);
}

class RolledBack extends Error {
  readonly how: SignedIn['how'];
  constructor(how: SignedIn['how']) {
    super('a test changes nothing');
    this.how = how;
  }
}

/**
 * Who would sign in, for a test: by the steps of a sign-in, in a transaction that never commits.
 * Refuses as they do.
 */
export async function rehearse(connection: Connection, identity: ProvenIdentity, context: ProtocolContext): Promise<SignedIn['how']> {
  const { spoken, linkable } = await judge(connection, identity, context);
  try {
    await transact(context, operation, async (unit) => {
      throw new RolledBack((await personOf(unit, { connection, spoken, linkable }, context)).how);
    });
    throw new Error('a test has committed');
  } catch (error) {
    if (error instanceof RolledBack) return error.how;
    throw refusalOfTaken(error);
  }
}

/** Path 6: by the word of who is signed in by a way of their own. Accounts are never merged. */
export function connectBy(connection: Connection): Step {
  return async (identity, { connecting }, context) => {
    if (connecting === undefined) throw new FlowRefusal('session_ended');
    const { admission, spoken } = await judge(connection, identity, context, connecting.userId);
    const signedIn = await commit(connection, context, (unit) => linkByWord(unit, { connection, spoken, owner: connecting }, context));
    context.deps.mailer.poke();
    return admit(connection, { admission, spoken, signedIn }, context);
  };
}

/** Path 9: the person who is signed in, by a link that they have. It makes nothing. */
export function confirmBy(connection: Connection): Step {
  return async (identity, flow, context) => {
    const signedIn = await confirm(identity, flow, context);
    const { admission } = await judge(connection, identity, context);
    if (!admission.isMember) throw new FlowRefusal('not_a_member');
    await commit(connection, context, async (unit) => {
      const { userId, methodId } = signedIn;
      const entry = { actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, scope: scopeOf(connection) };
      unit.audit('oauth.confirm', { ...entry, detail: { connection: connection.id } });
      return signedIn;
    });
    return signedIn;
  };
}

/** What every path asks first: organization, domain of the address, and the provider's word. */
async function judge(
  { organizationId, linkOnProvenDomain }: Connection,
  identity: ProvenIdentity,
  { deps }: ProtocolContext,
  connectingId = '',
): Promise<{ readonly admission: Admission; readonly spoken: Spoken; readonly linkable: string | undefined }> {
  const { email } = identity;
  const known = await findCredentials(deps.database, identity.provider, identity.providerId);
  if (email === null) throw new FlowRefusal('address_not_allowed', 'the provider names no address');
  const isAlone = known === undefined && connectingId === '' && linkOnProvenDomain;
  const linkable = isAlone ? await findLinkable(organizationId, email, deps) : undefined;
  const userId = known?.userId ?? linkable ?? connectingId;
  const admission = await deps.tenancy.getAdmission({ organizationId, address: email, userId });
  if (!admission.isOpen) throw new FlowRefusal('access_denied', 'the organization is suspended or gone');
  if (!admission.isDomainProven) throw new FlowRefusal('address_not_allowed', 'the organization has not proven the domain of the address');
  if (admission.hasLeft) throw new FlowRefusal('not_a_member');
  if (known === undefined && !identity.isEmailVerified) throw new FlowRefusal('address_not_verified');
  // Before a person is made or linked for nothing.
  if (admission.isFull && !admission.isMember) throw new FlowRefusal('organization_full');
  if (known !== undefined && (await findPlatformAdministrator(deps.database, known.userId)).isAdministrator)
    throw new FlowRefusal('access_denied', 'an administrator of the platform');
  return { admission, spoken: { ...identity, email }, linkable };
}

/** In a transaction in which the connection stays active. */
async function commit(
  connection: Connection,
  context: ProtocolContext,
  work: (unit: Unit, held: Connection) => Promise<SignedIn>,
): Promise<SignedIn> {
  try {
    const { result } = await transact(context, operation, async (unit) => {
      const held = await holdActiveConnection(unit.tx, connection.id);
      if (held === undefined) throw new FlowRefusal('connection_off');
      return work(unit, held);
    });
    return result;
  } catch (error) {
    throw refusalOfTaken(error);
  }
}

/** Path 1. */
async function signInKnown({ tx, now, emit }: Unit, held: Connection, identity: Spoken): Promise<SignedIn | undefined> {
  const method = await findCredentials(tx, identity.provider, identity.providerId);
  if (method === undefined) return undefined;
  const link = await findLink(tx, method.id);
  if (link === undefined) throw new FlowRefusal('access_denied', 'the link has ended');
  // Made without the person's word, while the connection was believed that far.
  if (link.madeBy === 'domain' && !held.linkOnProvenDomain) throw new FlowRefusal('link_needed');
  // One that a server of the version before has linked.
  await rememberSubject(tx, link.connectionId, identity);
  if (await useProviderMethod(tx, method.id, identity, now)) emit(await userUpdated(tx, method.userId));
  return { userId: method.userId, methodId: method.id, how: 'known' };
}

/** Path 2; paths 4 and 5 refuse. */
async function makePerson(unit: Unit, connection: Connection, identity: Spoken): Promise<SignedIn> {
  const { tx, now, emit, audit } = unit;
  const { email } = identity;
  // Asked again: the way to sign in that let an unverified one pass may have gone meanwhile.
  if (!identity.isEmailVerified) throw new FlowRefusal('address_not_verified');
  // A person who was removed, or has less by now, would be a new person with the default role.
  if (await isRememberedSubject(tx, identity)) throw new FlowRefusal('not_a_member', 'the subject has led to a person before');
  const owner = await findAccountOf(tx, email);
  if (owner === 'disputed') throw new FlowRefusal('address_taken');
  if (owner !== 'free') throw new FlowRefusal((await holdsAnAddress(tx, owner.userId)) ? 'link_needed' : 'address_not_held');
  const account = { id: newId(), type: 'personal' as const };
  const { person, userId, methodId, how } = await createFrom(unit, identity, account);
  await insertLink(tx, { authenticationMethodId: methodId, connectionId: connection.id, madeBy: 'first-sign-in' }, now);
  await rememberSubject(tx, connection.id, identity);
  await rememberLinked(tx, connection.id, userId);
  emit({ type: 'user.registered', key: userId, payload: { userId, name: person.name, email, isVerified: true, account } });
  audit('user.registered', {
    actorId: userId,
    targetType: 'User',
    targetId: userId,
    scope: scopeOf(connection),
    detail: { connection: connection.id },
  });
  return { userId, methodId, how };
}

type Arrived = { readonly admission: Admission; readonly spoken: Spoken; readonly signedIn: SignedIn };

/**
 * Makes the person a member; a sign-in after a crash makes up for it. Tenancy asks for the domain
 * again, under its lock, and refuses who left or was removed.
 */
async function admit(connection: Connection, { admission, spoken, signedIn }: Arrived, context: ProtocolContext): Promise<SignedIn> {
  const { deps, now } = context;
  if (!admission.isMember) {
    const person = await findPerson(deps.database, signedIn.userId);
    if (person === undefined) throw new FlowRefusal('access_denied', 'the person is gone');
    // What is mapped is given a moment later, all of it, if its mapper may give it.
    const isMapped = connection.roleMapping.length > 0;
    const viewer = builtInRoleId('organization', connection.organizationId, 'Viewer');
    const roleId = isMapped ? viewer : await standingDefault(connection, deps);
    const notGiven = isMapped || roleId === connection.defaultRoleId ? {} : { notGiven: connection.defaultRoleId };
    const entry = {
      actorId: person.id,
      targetType: 'User',
      targetId: person.id,
      scope: scopeOf(connection),
      detail: { connection: connection.id, roleId, ...notGiven },
    };
    const record = { operation, action: 'connection.member-added', outcome: 'ok', entry } as const;
    const { outcome } = await deps.tenancy.admitMember({
      organizationId: connection.organizationId,
      address: spoken.email,
      userId: person.id,
      name: person.name,
      roleId,
      auditJson: auditMessage(record, auditContextOf(context)),
    });
    assertAdmitted(outcome);
  }
  await mapRolesOf(connection, { userId: signedIn.userId, claims: spoken.claims ?? {} }, deps);
  const kept = { connectionId: connection.id, methodId: signedIn.methodId, claims: keptClaimsOf(spoken, connection.roleMapping) };
  await transact(context, operation, async ({ tx }) => {
    await noteUse(tx, connection.id, now);
    await keepSignIn(tx, kept, now);
  });
  return signedIn;
}

function assertAdmitted(outcome: string): void {
  if (outcome === 'full') throw new FlowRefusal('organization_full');
  if (outcome === 'left') throw new FlowRefusal('not_a_member');
  if (outcome === 'domain') throw new FlowRefusal('address_not_allowed', 'the domain was lost meanwhile');
  if (outcome !== 'admitted' && outcome !== 'member') throw new FlowRefusal('access_denied', 'the organization is suspended or gone');
}
