/**
 * identity registers the person of a proven domain, after the commit. Its event names the
 * invitation, and the subscriber makes the membership. A job repeats what a crash has interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asAppError } from '@tessera/kernel/errors';
import { createBatcher, ignoreUnknownMethod } from '@tessera/kernel/grpc';
import type { RegisterProvisionedRequest } from '@tessera/proto/types/identity.v1';
import type { TenancyDeps } from '../deps.ts';
import { domainOf } from '../domains/name.ts';
import { mayProvision } from '../operations/invitations/accept-invitation.ts';
import { type DirectoryUser, listUnmade, noteMade } from '../storage/directory-users.ts';
import { findProvenDomain } from '../storage/domains.ts';
import { findSender } from '../storage/invitations.ts';
import { nameOf } from './user.ts';

type Deps = Pick<TenancyDeps, 'database' | 'identity'>;
type Unmade = Pick<DirectoryUser, 'id' | 'organizationId' | 'email' | 'invitationId' | 'makingSince' | 'attributes'>;

const mostPeople = 100;

/**
 * Asks identity for these people, in one message. If an account has got an address meanwhile, the
 * invitation stays open for the person of that account.
 */
async function makeAll(rows: readonly Unmade[], { database, identity }: Deps): Promise<void> {
  const people = rows.flatMap(({ invitationId, organizationId, email, attributes }) =>
    invitationId === null ? [] : [{ invitationId, organizationId, email, name: nameOf(attributes) }],
  );
  if (people.length > 0) await register(people, identity);
  await database.transaction((tx) => noteMade(tx, rows));
}

async function register(people: readonly RegisterProvisionedRequest[], identity: Deps['identity']): Promise<void> {
  const made = await ignoreUnknownMethod(identity.registerProvisionedPeople({ people: [...people] }, { timeoutMs: 10_000 }));
  if (made !== undefined) return;
  for (const person of people)
    await identity.registerProvisioned(person, { timeoutMs: 6_000 }).catch((error: unknown) => {
      if (asAppError(error).kind !== 'conflict') throw error;
    });
}

/**
 * As `commit_delay` of Postgres: clients that were answered just now may send the next person, who
 * then goes together with those who wait. A row that is alone does not wait.
 */
const gatherMs = 60;

/**
 * Makes the person of a row. Rows that come while others are made wait for them and then go
 * together: one message, commit and event for many people costs much less than for each.
 */
export function createMaker(deps: Deps): TenancyDeps['makePerson'] {
  let underWay: Promise<void> | undefined;
  let waiting = 0;
  const make = createBatcher<Unmade, true>({
    maxSize: mostPeople,
    run: async (rows) => {
      const work = makeAll(rows, deps);
      const gather = () => (waiting === 0 ? undefined : sleep(gatherMs));
      const ended: Promise<void> = work.then(gather, gather);
      underWay = ended;
      void ended.then(() => {
        if (underWay === ended) underWay = undefined;
      });
      await work;
      return rows.map(() => true);
    },
  });
  return async (row) => {
    if (row.makingSince === null) return;
    waiting += 1;
    while (underWay !== undefined) await underWay;
    waiting -= 1;
    await make(row);
  };
}

/** Whether the invitation, the proof of the domain and the credential still hold. */
async function mayBeMade({ organizationId, email, invitationId }: Unmade, deps: UnmadeJob): Promise<boolean> {
  const reader = { query: deps.database.query };
  const sender = invitationId === null ? undefined : await findSender(reader, organizationId, invitationId);
  if (sender === undefined || sender.status !== 'pending' || sender.credentialId === null) return false;
  if ((await findProvenDomain(reader, organizationId, domainOf(email))) === undefined) return false;
  const { invitedBy: accountId, credentialId } = sender;
  if (!(await deps.identity.findServiceCredential({ accountId, credentialId })).isLive) return false;
  return mayProvision({ accountId, credentialId, scope: { tenant: 'organization', id: organizationId } }, deps);
}

const waitMs = 30_000;
const atOnce = 100;

export type UnmadeJob = Deps &
  Pick<TenancyDeps, 'authorizer'> & { readonly clock: () => Date; readonly logger: { warn(details: object, message: string): void } };

/** A row that fails is logged and tried again by the next run; the rows after it are made now. */
export async function makeUnmade(deps: UnmadeJob): Promise<void> {
  const before = new Date(deps.clock().getTime() - waitMs);
  let rows: readonly Unmade[] = [];
  do {
    rows = await listUnmade(deps.database, { before, afterId: rows.at(-1)?.id, limit: atOnce });
    for (const row of rows) {
      const failure = await failureOf(row, deps);
      if (failure === undefined) continue;
      deps.logger.warn({ err: failure, directoryUserId: row.id }, 'a person of a directory was not made yet');
      // Without identity or rbac every further row would fail, too.
      if (asAppError(failure).kind === 'unavailable') return;
    }
  } while (rows.length === atOnce);
}

/** Makes the person, or gives up one who may not be made any more. Undefined when done. */
async function failureOf(row: Unmade, deps: UnmadeJob): Promise<unknown> {
  try {
    // The invitation stays open, but was mailed to no address.
    if (await mayBeMade(row, deps)) await makeAll([row], deps);
    else await deps.database.transaction((tx) => noteMade(tx, [row]));
    return undefined;
  } catch (error) {
    return error;
  }
}
