import { AppError } from '@tessera/kernel/errors';
import { emit, type OutgoingEvent, type Relay } from '@tessera/kernel/events';
import type { Database, Transaction } from '@tessera/kernel/postgres';
import type { TenancyDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { accountDeleted, accountsClosed, organizationDeleted, userLeft } from '../../events.ts';
import {
  type ClosureMembership,
  cancelAccountClosure,
  finishAccountClosure,
  lockAccountClosure,
  readMemberships,
  restartAccountClosure,
  startAccountClosure,
} from '../../storage/account-closures.ts';
import { deleteAccounts } from '../../storage/accounts.ts';
import { deleteOrganization } from '../../storage/organizations.ts';
import { deletePerson, personExists } from '../../storage/people.ts';
import { listMemberships } from '../../storage/scopes.ts';
import { recordEnded } from '../project-grants/project-grant.ts';

export type AccountClosureDeps = Pick<TenancyDeps, 'roles'> & { readonly database: Database; readonly relay: Pick<Relay, 'deliver'> };

/**
 * Closes all accounts of a user who leaves the platform. Every step can be repeated:
 *
 *   check   refuse the last Owner of an organization with other members; nothing has changed yet
 *   start   one transaction: mark the user as closing; organizations without another member accept
 *           no new members
 *   leave   one transaction in rbac: end all shared ownerships, or none if another Owner left
 *           first; then the closure is cancelled
 *   finish  one transaction: delete the user's own organizations, accounts, projects and
 *           memberships; emit accounts.closed
 *
 * A process that dies before `start` commits has changed nothing; afterwards
 * `resumeAccountClosures` finishes the closure.
 */
export async function closeAccounts(deps: AccountClosureDeps, userId: string, hard: boolean): Promise<void> {
  requireSuccessors(await readMemberships({ query: deps.database.query }, userId), await ownerCounts(deps, userId));
  const memberships = await deps.database.transaction((tx) => startAccountClosure(tx, userId, hard));
  if (memberships) await finishClosure(deps, userId, memberships);
  else await confirmClosureOfUnknownUser(deps, userId, hard);
}

/**
 * For a user who is unknown here or deleted already: there is nothing to close, but identity still
 * waits for accounts.closed.
 */
async function confirmClosureOfUnknownUser({ database, relay }: AccountClosureDeps, userId: string, hard: boolean): Promise<void> {
  const eventIds = await database.transaction(async (tx) => {
    await deletePerson(tx, userId, new Date().toISOString());
    return emit(tx, [accountsClosed(userId, hard)]);
  });
  await relay.deliver(eventIds);
}

/** Runs the remaining steps of a closure that has started. */
export async function resumeAccountClosure(deps: AccountClosureDeps, userId: string): Promise<void> {
  const memberships = await deps.database.transaction((tx) => restartAccountClosure(tx, userId));
  if (memberships) await finishClosure(deps, userId, memberships);
}

async function finishClosure(deps: AccountClosureDeps, userId: string, memberships: readonly ClosureMembership[]): Promise<void> {
  try {
    await leaveSharedOwnerships(deps, userId, memberships);
  } catch (error) {
    if (error instanceof AppError && (error.kind === 'conflict' || error.kind === 'forbidden')) {
      await deps.database.transaction((tx) => cancelAccountClosure(tx, userId));
      throw errors.lastOwner({ extensions: { resource: 'Organization' }, cause: error });
    }
    throw error;
  }
  const eventIds = await deps.database.transaction(async (tx) => {
    const events = await finish(tx, userId);
    // Another attempt was faster: it finished the closure or cancelled it.
    if (!events && (await personExists(tx, userId))) throw errors.lastOwner({ extensions: { resource: 'Organization' } });
    return emit(tx, events ?? []);
  });
  await deps.relay.deliver(eventIds);
}

async function ownerCounts({ roles }: AccountClosureDeps, userId: string): Promise<ReadonlyMap<string, number>> {
  const { organizations } = await roles.listOwnedOrganizations({ userId });
  return new Map(organizations.map(({ organizationId, ownerCount }) => [organizationId, ownerCount]));
}

function requireSuccessors(memberships: readonly ClosureMembership[], owned: ReadonlyMap<string, number>): void {
  const isLastOwner = memberships.some(({ organizationId, isAlone }) => !isAlone && owned.get(organizationId) === 1);
  if (isLastOwner) throw errors.lastOwner({ extensions: { resource: 'Organization' } });
}

async function leaveSharedOwnerships(deps: AccountClosureDeps, userId: string, memberships: readonly ClosureMembership[]): Promise<void> {
  const owned = await ownerCounts(deps, userId);
  const organizationIds = memberships.flatMap(({ organizationId, isAlone }) =>
    !isAlone && owned.has(organizationId) ? [organizationId] : [],
  );
  if (organizationIds.length > 0) await deps.roles.endMemberships({ userId, organizationIds });
}

/** The closure may be finished by a job, long after the request. */
const ofNobody = { language: 'en' } as const;

async function finish(tx: Transaction, userId: string): Promise<OutgoingEvent[] | undefined> {
  const closure = await lockAccountClosure(tx, userId);
  if (!closure) return undefined;
  const { hard, organizationIds } = closure;
  const events: OutgoingEvent[] = [];
  for (const id of organizationIds) {
    const deleted = await deleteOrganization(tx, id, hard);
    if (!deleted) continue;
    const ended = await recordEnded(deleted.grants, { organizationId: id }, { tx, now: new Date(), request: ofNobody });
    events.push(...ended, organizationDeleted(id, deleted.projectIds, hard));
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
  await finishAccountClosure(tx, userId);
  await deletePerson(tx, userId, new Date().toISOString());
  return [...events, accountsClosed(userId, hard)];
}
