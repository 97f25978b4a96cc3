/**
 * identity makes the person of a proven domain, after the commit: its event carries the invitation,
 * and makes the membership. What a crash leaves is done by the job.
 */
import { AppError } from '@tessera/kernel/errors';
import type { TenancyDeps } from '../deps.ts';
import { type DirectoryUser, listUnmade, noteEntry } from '../storage/directory-users.ts';
import { nameOf } from './user.ts';

type Deps = Pick<TenancyDeps, 'database' | 'identity'>;
type Unmade = Pick<DirectoryUser, 'id' | 'organizationId' | 'email' | 'invitationId' | 'makingSince' | 'attributes'>;

/** An account that came in between keeps its address: the invitation stays for its person. */
export async function makePerson(row: Unmade, { database, identity }: Deps): Promise<void> {
  const { organizationId, email, invitationId, makingSince, attributes } = row;
  if (makingSince === null || invitationId === null) return;
  try {
    await identity.registerProvisioned({ invitationId, organizationId, email, name: nameOf(attributes) }, { timeoutMs: 6_000 });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    await database.transaction((tx) => noteEntry(tx, row, { makingSince: null }));
  }
}

const waitMs = 30_000;
const atOnce = 100;

export type UnmadeJob = Deps & { readonly clock: () => Date; readonly logger: { warn(details: object, message: string): void } };

export async function makeUnmade(deps: UnmadeJob): Promise<void> {
  for (const row of await listUnmade(deps.database, new Date(deps.clock().getTime() - waitMs), atOnce)) {
    try {
      await makePerson(row, deps);
    } catch (error) {
      deps.logger.warn({ err: error, directoryUserId: row.id }, 'a person of a directory was not made yet');
      return;
    }
  }
}
