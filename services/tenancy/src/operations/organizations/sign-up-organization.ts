import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { newId } from '@tessera/kernel/ids';
import { type RequestFacts, writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { TenancyDeps } from '../../deps.ts';
import type { Organization } from '../../domain/organization.ts';
import type { Person } from '../../domain/person.ts';
import { type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import { errors } from '../../errors.ts';
import { grantChanged } from '../../events.ts';
import { listAccounts } from '../../storage/accounts.ts';
import { countInvitation } from '../../storage/invitations.ts';
import { addPerson } from '../../storage/people.ts';
import { findCustomersOf, insertGrant, isBarred, lockSignUps, moveGrant } from '../../storage/project-grants.ts';
import { lockProject, nameOfProject } from '../../storage/projects.ts';
import { isSuspended } from '../../storage/tenants.ts';
import { letterTo } from '../project-grants/letters.ts';
import { writeForOtherSide } from '../project-grants/project-grant.ts';
import { makeOrganization } from './make-organization.ts';

export type OrganizationSignUp = {
  readonly person: Person;
  readonly product: { readonly ownerOrganizationId: string; readonly projectId: string };
  readonly name: string;
  /** To which the person signs in. */
  readonly appId: string;
  readonly request: Pick<RequestFacts, 'id' | 'ipAddress' | 'userAgent' | 'language'>;
};
type Context = { readonly tx: Transaction; readonly now: Date } & Pick<TenancyDeps, 'invitations'>;
type SignedUp = { readonly organization: Pick<Organization, 'id' | 'name' | 'slug'>; readonly events: readonly OutgoingEvent[] };

const recorded = { operation: 'continueInteraction', outcome: 'ok' } as const;

/**
 * Makes an organization on the way to an app: the person its first Owner, with an active grant of
 * the app's project. Of one person's requests each waits for the one before, so that a second
 * click, a second tab and a retry find what the first one made. Runs as the owner of the tables.
 */
export async function signUpOrganization(
  { person, product, name, appId, request }: OrganizationSignUp,
  context: Context,
): Promise<SignedUp> {
  const { tx, now } = context;
  const { userId } = person;
  await lockSignUps(tx, userId);
  const [customer] = await findCustomersOf(tx, { userId, ...product });
  if (customer !== undefined) {
    if (!customer.isActive || !customer.isSignedUp || customer.name !== name)
      throw errors.signedUpAlready({ extensions: { resource: 'Organization' } });
    return { organization: customer, events: [] };
  }
  // Whom the owner has put out does not come back by a new organization.
  if (await isBarred(tx, { userId, ...product })) throw failures.forbidden();
  await assertNotSuspended(userId, product, tx);
  await countSignUp(userId, product, context);
  // The event of a new person may not have arrived yet. False: they are deleted.
  if (!(await addPerson(tx, person, now.toISOString()))) throw failures.forbidden();
  // Held until the commit, as for an offer.
  if ((await lockProject(tx, { tenant: 'organization', id: product.ownerOrganizationId }, product.projectId)) === undefined)
    throw failures.notFound('Project');
  const { organization, created } = await makeOrganization(tx, { name, ownerId: userId });
  const grant = await makeGrant(tx, { ...product, organizationId: organization.id, createdBy: userId });
  await record({ grant, organization, appId, userId }, { tx, now, request });
  return { organization, events: [created, grantChanged(grant), ...(await tellOwners(grant, { tx, request }))] };
}

const mostLettersPerDay = 20;

/**
 * The Owners of the product by mail, twenty times in a day for one product. Strangers choose how
 * many sign-ups there are, so the list of customers tells of the others.
 */
async function tellOwners(
  grant: ProjectGrant,
  { tx, request }: Pick<Context, 'tx'> & Pick<OrganizationSignUp, 'request'>,
): Promise<OutgoingEvent[]> {
  const { projectId, ownerOrganizationId: organizationId } = grant;
  // Last, because the sign-ups of one product wait here for each other.
  const { count } = await countInvitation(tx, { senderId: projectId, organizationId, address: 'sign-ups' });
  return count > mostLettersPerDay ? [] : [await letterTo('owner', 'grant-signed-up', grant, { tx, request })];
}

async function assertNotSuspended(userId: string, { ownerOrganizationId }: OrganizationSignUp['product'], tx: Transaction): Promise<void> {
  const accounts = await listAccounts(tx, [userId]);
  for (const id of [ownerOrganizationId, ...accounts.map((account) => account.id)])
    if (await isSuspended(tx, id)) throw failures.tenantSuspended();
}

/**
 * Each tells the Owners of the product by mail, so it counts as such a mail: so many of a person in
 * a day, and so many to one product's owner, whatever was deleted meanwhile.
 */
async function countSignUp(
  userId: string,
  { ownerOrganizationId }: OrganizationSignUp['product'],
  { tx, invitations }: Context,
): Promise<void> {
  const sender = { senderId: userId, organizationId: ownerOrganizationId };
  const day = await countInvitation(tx, { ...sender, address: '' });
  const same = await countInvitation(tx, { ...sender, address: ownerOrganizationId });
  for (const [{ count, seconds }, most] of [
    [day, invitations.mostPerDay],
    [same, invitations.mostPerAddress],
  ] as const)
    if (most > 0 && count > most) throw errors.tooManySignUps({ params: { seconds } });
}

type Pair = Pick<ProjectGrant, 'ownerOrganizationId' | 'projectId' | 'organizationId'> & { readonly createdBy: string };

/** With the terms of an offer that names none. */
async function makeGrant(tx: Transaction, pair: Pair): Promise<ProjectGrant> {
  const id = newId();
  await insertGrant(tx, { ...pair, id, roleIds: null, allowCustomRoles: true, maxMembers: null, metadata: {} });
  const grant = await moveGrant(tx, id, 'accept');
  if (grant === undefined) throw new Error('a new organization has a grant already');
  return grant;
}

type Made = { readonly grant: ProjectGrant; readonly organization: Organization; readonly appId: string; readonly userId: string };

/** As an acceptance: in both logs, in the owner's without the person. */
async function record(
  { grant, organization, appId, userId: actorId }: Made,
  { tx, now, request }: Pick<Context, 'tx' | 'now'> & Pick<OrganizationSignUp, 'request'>,
): Promise<void> {
  const { id: organizationId, name, slug } = organization;
  const { id: targetId, projectId, status } = grant;
  const noSession = { bearerToken: undefined, cookies: {}, origin: undefined, consistencyToken: undefined, noCache: false } as const;
  const facts: RequestFacts = { ...request, ...noSession, transport: 'rest' };
  const byPerson = { actor: { kind: 'anonymous' }, scope: undefined, request: facts, now } as const;
  const scope = { tenant: 'organization', id: organizationId } as const;
  const changes = [['name', name] as const, ['slug', slug] as const].map(([field, after]) => ({ field, before: null, after }));
  const made = { actorId, scope, targetType: 'Organization', targetId: organizationId, detail: { name, projectId, appId } };
  await writeAudit(tx, { ...recorded, action: 'organization.created', entry: made, changes }, byPerson);
  const accepted = { targetType: 'ProjectGrant', targetId };
  const detail = { status, projectId, organizationId, appId };
  const product = await nameOfProject(tx, projectId);
  await writeAudit(
    tx,
    { ...recorded, action: 'grant.accepted', entry: { ...accepted, actorId, scope, detail: { ...detail, name: product } } },
    byPerson,
  );
  const forOwner = { ...accepted, scope: productScope(grant), detail: { ...detail, by: 'customer', name } };
  await writeForOtherSide({ ...recorded, action: 'grant.accepted', entry: forOwner }, { tx, now });
}
