/**
 * Links an account that is here already to an organization's provider: by its person's word, or by
 * the address alone where an Owner has decided that (decision 23, paths 3 and 6). Accounts are
 * never merged.
 */
import { newId } from '@tessera/kernel/ids';
import type { Unit } from '../../ground/transact.ts';
import { findAccountOf, isProvenByOther } from '../../people/address-owner.ts';
import { heldAddressesOf, provenAddressesOf } from '../../people/domain/proven-address.ts';
import { notifyOwner } from '../../people/notify-owner.ts';
import { findCredentials, insertMethod, listMethods } from '../../people/storage/authentication-methods.ts';
import { lockPerson } from '../../people/storage/people.ts';
import { findPlatformAdministrator } from '../../people/storage/platform-administrators.ts';
import type { ProvenIdentity } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';
import type { PlatformFlow } from '../flow.ts';
import type { SignedIn } from '../provider-identity.ts';
import {
  type Connection,
  cameByConnection,
  insertLink,
  isRememberedSubject,
  type MadeBy,
  rememberLinked,
  rememberSubject,
  vouchForLink,
  wasLinked,
} from '../storage/connections.ts';
import { listSessions } from '../storage/sessions.ts';
import { FlowRefusal } from './refusal.ts';

/** An identity with an address that the provider may speak for. */
export type Spoken = ProvenIdentity & { readonly email: string };

export function scopeOf({ organizationId }: Pick<Connection, 'organizationId'>) {
  return { tenant: 'organization', id: organizationId } as const;
}

/**
 * Whom path 3 may link: the account of the address, unless it is an Owner's of the organization.
 * Who administers the provider would act as an Owner.
 */
export async function findLinkable(organizationId: string, email: string, deps: ProtocolContext['deps']): Promise<string | undefined> {
  const account = await findAccountOf(deps.database, email);
  if (account === 'free' || account === 'disputed') return undefined;
  const { roles } = await deps.roles.listMemberRoles({ userId: account.userId });
  const isOwner = roles.some((role) => role.organizationId === organizationId && role.name === 'Owner');
  return isOwner ? undefined : account.userId;
}

type Linkable = { readonly connection: Connection; readonly spoken: Spoken; readonly linkable: string | undefined };

/**
 * Path 3: an account that holds the very address, without its person's word. What it opens is that
 * organization's alone. Undefined where the person has to be asked.
 */
export async function linkByDomain(
  unit: Unit,
  { connection, spoken, linkable: userId }: Linkable,
  { deps, request }: ProtocolContext,
): Promise<SignedIn | undefined> {
  const { tx, now } = unit;
  const { email, isEmailVerified } = spoken;
  if (userId === undefined || !connection.linkOnProvenDomain || !isEmailVerified) return undefined;
  if (await isRememberedSubject(tx, spoken)) return undefined;
  if ((await lockPerson(tx, userId)) === undefined || (await isProvenByOther(tx, email, userId))) return undefined;
  const before = await listMethods(tx, [userId]);
  if (!heldAddressesOf(before).includes(email)) return undefined;
  if ((await findPlatformAdministrator(tx, userId)).isAdministrator) return undefined;
  // Who has ended such a link before is asked.
  if (await wasLinked(tx, connection.id, userId)) return undefined;
  const id = await addLink(unit, { connection, spoken, userId, madeBy: 'domain' });
  const data = { token: '', url: deps.settings.frontendUrl, connectionName: connection.name, email };
  for (const to of provenAddressesOf(before))
    await deps.mailer.queue(tx, { template: 'connection-linked', to, language: request.language, data }, now);
  return { userId, methodId: id, how: 'linked' };
}

type NewLink = { readonly connection: Connection; readonly spoken: Spoken; readonly userId: string; readonly madeBy: MadeBy };

/** Of a person who is here already. */
async function addLink({ tx, now, audit }: Unit, { connection, spoken, userId, madeBy }: NewLink): Promise<string> {
  const { provider, providerId, email } = spoken;
  const method = { id: newId(), userId, provider, providerId, email, isVerified: true, isPrimary: false, lastUsedAt: now };
  const { id } = await insertMethod(tx, method, now);
  await insertLink(tx, { authenticationMethodId: id, connectionId: connection.id, madeBy }, now);
  await rememberSubject(tx, connection.id, spoken);
  await rememberLinked(tx, connection.id, userId);
  const detail = { provider, connection: connection.id, by: madeBy };
  const scope = scopeOf(connection);
  audit('authentication-method.created', { actorId: userId, targetType: 'AuthenticationMethod', targetId: id, scope, detail });
  return id;
}

type Word = {
  readonly connection: Connection;
  readonly spoken: Spoken;
  readonly owner: NonNullable<PlatformFlow['connecting']>;
};

export async function linkByWord(unit: Unit, { connection, spoken, owner }: Word, { deps, request }: ProtocolContext): Promise<SignedIn> {
  const { tx, now } = unit;
  const { userId, sessionId } = owner;
  const { provider, providerId, email } = spoken;
  if ((await lockPerson(tx, userId)) === undefined) throw new FlowRefusal('session_ended');
  if (!(await listSessions(tx, userId, now)).some(({ id }) => id === sessionId)) throw new FlowRefusal('session_ended');
  if (await cameByConnection(tx, sessionId)) throw new FlowRefusal('own_way_needed');
  const known = await findCredentials(tx, provider, providerId);
  if (known !== undefined && known.userId !== userId) throw new FlowRefusal('identity_taken');
  if ((await findPlatformAdministrator(tx, userId)).isAdministrator)
    throw new FlowRefusal('access_denied', 'an administrator of the platform');
  if (known !== undefined) return vouchByWord(unit, connection, { userId, methodId: known.id, how: 'known' });
  if (!spoken.isEmailVerified) throw new FlowRefusal('address_not_verified');
  if (await isProvenByOther(tx, email, userId)) throw new FlowRefusal('address_taken');
  const before = await listMethods(tx, [userId]);
  // The provider gets no further than the mailbox of an address that the account holds already.
  if (!heldAddressesOf(before).includes(email)) throw new FlowRefusal('address_not_yours');
  const id = await addLink(unit, { connection, spoken, userId, madeBy: 'word' });
  await notifyOwner(tx, { template: 'method-added', provider: connection.name, before, language: request.language }, deps, now);
  return { userId, methodId: id, how: 'linked' };
}

/** A link that was made without the person's word opens all that is theirs from now on. */
async function vouchByWord({ tx, audit }: Unit, connection: Connection, signedIn: SignedIn): Promise<SignedIn> {
  const { userId, methodId } = signedIn;
  if (!(await vouchForLink(tx, methodId))) return signedIn;
  const entry = { actorId: userId, targetType: 'AuthenticationMethod', targetId: methodId, scope: scopeOf(connection) };
  audit('authentication-method.vouched', { ...entry, detail: { connection: connection.id } });
  return signedIn;
}
