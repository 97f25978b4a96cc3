import { AppError } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent, type Relay } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { TenancyDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { accountDeleted, accountsClosed, organizationDeleted, userLeft } from '../../events.ts';
import { deleteAccounts } from '../../storage/accounts.ts';
import {
  type ClosingMembership,
  cancelClosing,
  finishClosing,
  lockClosing,
  readMemberships,
  restartClosing,
  startClosing,
} from '../../storage/closings.ts';
import { deleteOrganization } from '../../storage/organizations.ts';
import { buryPerson, isLivingPerson } from '../../storage/people.ts';
import { listMemberships } from '../../storage/scopes.ts';

export type ClosingDeps = Pick<TenancyDeps, 'roles'> & { readonly database: Database; readonly relay: Pick<Relay, 'deliver'> };

/**
 * A user leaves the platform. Steps, each repeatable:
 *
 *   ask     refuse while nothing has changed: the last Owner of an organization with others stays
 *   start   one transaction: the wish is written down; organizations that only the user is in admit nobody any more
 *   leave   one transaction in rbac: ownerships shared with others end, or (overtaken by another Owner's leaving) none does: called off
 *   finish  one transaction: organizations of the user alone, accounts, projects, memberships, and accounts.closed for identity
 *
 * A process that dies before `start` has changed nothing; after it, `resumeClosings` finishes.
 */
export async function closeAccounts(deps: ClosingDeps, userId: string, hard: boolean): Promise<void> {
  requireSuccessors(await readMemberships({ query: deps.database.query }, userId), await ownedBy(deps, userId));
  const memberships = await deps.database.transaction((tx) => startClosing(tx, userId, hard));
  if (memberships) await carryOn(deps, userId, memberships);
  else await buryUnknown(deps, userId, hard);
}

/** Somebody who has never been heard of here, or is gone already: there is nothing to close, and identity is told so (again). */
async function buryUnknown({ database, relay }: ClosingDeps, userId: string, hard: boolean): Promise<void> {
  const eventIds = await database.transaction(async (tx) => {
    await buryPerson(tx, userId, new Date().toISOString());
    return emit(tx, [accountsClosed(userId, hard)]);
  });
  await relay.deliver(eventIds);
}

/** What is left of a closing that has been written down. */
export async function resumeClosing(deps: ClosingDeps, userId: string): Promise<void> {
  const memberships = await deps.database.transaction((tx) => restartClosing(tx, userId));
  if (memberships) await carryOn(deps, userId, memberships);
}

async function carryOn(deps: ClosingDeps, userId: string, memberships: readonly ClosingMembership[]): Promise<void> {
  try {
    await leaveSharedOwnerships(deps, userId, memberships);
  } catch (error) {
    if (error instanceof AppError && (error.kind === 'conflict' || error.kind === 'forbidden')) {
      await deps.database.transaction((tx) => cancelClosing(tx, userId));
      throw errors.lastOwner({ extensions: { resource: 'Organization' }, cause: error });
    }
    throw error;
  }
  const eventIds = await deps.database.transaction(async (tx) => {
    const events = await finish(tx, userId);
    // Another attempt has got here first: it has finished the closing, or called it off.
    if (!events && (await isLivingPerson(tx, userId))) throw errors.lastOwner({ extensions: { resource: 'Organization' } });
    return emit(tx, events ?? []);
  });
  await deps.relay.deliver(eventIds);
}

async function ownedBy({ roles }: ClosingDeps, userId: string): Promise<ReadonlyMap<string, number>> {
  const { organizations } = await roles.listOwnedOrganizations({ userId });
  return new Map(organizations.map(({ organizationId, ownerCount }) => [organizationId, ownerCount]));
}

function requireSuccessors(memberships: readonly ClosingMembership[], owned: ReadonlyMap<string, number>): void {
  const stuck = memberships.some(({ organizationId, isAlone }) => !isAlone && owned.get(organizationId) === 1);
  if (stuck) throw errors.lastOwner({ extensions: { resource: 'Organization' } });
}

async function leaveSharedOwnerships(deps: ClosingDeps, userId: string, memberships: readonly ClosingMembership[]): Promise<void> {
  const owned = await ownedBy(deps, userId);
  const organizationIds = memberships.flatMap(({ organizationId, isAlone }) =>
    !isAlone && owned.has(organizationId) ? [organizationId] : [],
  );
  if (organizationIds.length > 0) await deps.roles.endMemberships({ userId, organizationIds });
}

async function finish(tx: Transaction, userId: string): Promise<OutgoingEvent[] | undefined> {
  const closing = await lockClosing(tx, userId);
  if (!closing) return undefined;
  const { hard, organizationIds } = closing;
  const events: OutgoingEvent[] = [];
  for (const id of organizationIds) {
    const deleted = await deleteOrganization(tx, id, hard);
    if (deleted) events.push(organizationDeleted(id, deleted.projectIds, hard));
  }
  const { organizations, projects } = await listMemberships(tx, userId);
  events.push(...organizations.map(({ organizationId }) => userLeft(userId, { tenant: 'organization', id: organizationId })));
  events.push(
    ...projects.map(({ projectId, organizationId, accountId }) =>
      organizationId === null
        ? userLeft(userId, { tenant: 'accountProject', id: `${accountId}:${projectId}` })
        : userLeft(userId, { tenant: 'organizationProject', id: `${organizationId}:${projectId}` }),
    ),
  );
  for (const { id, projectIds } of await deleteAccounts(tx, userId, hard)) events.push(accountDeleted(id, projectIds, hard));
  await finishClosing(tx, userId);
  await buryPerson(tx, userId, new Date().toISOString());
  return [...events, accountsClosed(userId, hard)];
}
