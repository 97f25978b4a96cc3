/**
 * identity registers the person of a proven domain, after the commit. Its event names the
 * invitation, and the subscriber makes the membership. A job repeats what a crash has interrupted.
 */
import { AppError, asAppError } from '@tessera/kernel/errors';
import type { TenancyDeps } from '../deps.ts';
import { domainOf } from '../domains/name.ts';
import { mayProvision } from '../operations/invitations/accept-invitation.ts';
import { type DirectoryUser, listUnmade, noteMade } from '../storage/directory-users.ts';
import { findProvenDomain } from '../storage/domains.ts';
import { findSender } from '../storage/invitations.ts';
import { nameOf } from './user.ts';

type Deps = Pick<TenancyDeps, 'database' | 'identity'>;
type Unmade = Pick<DirectoryUser, 'id' | 'organizationId' | 'email' | 'invitationId' | 'makingSince' | 'attributes'>;

/**
 * Asks identity for the person. If an account has got the address meanwhile, the invitation stays
 * open for the person of that account.
 */
export async function makePerson(row: Unmade, { database, identity }: Deps): Promise<void> {
  const { organizationId, email, invitationId, makingSince, attributes } = row;
  if (makingSince === null) return;
  try {
    if (invitationId !== null)
      await identity.registerProvisioned({ invitationId, organizationId, email, name: nameOf(attributes) }, { timeoutMs: 6_000 });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
  }
  await database.transaction((tx) => noteMade(tx, row));
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
    if (await mayBeMade(row, deps)) await makePerson(row, deps);
    else await deps.database.transaction((tx) => noteMade(tx, row));
    return undefined;
  } catch (error) {
    return error;
  }
}
