import { createHash } from 'node:crypto';
import { failures } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { listRolesOfUsers } from '../../storage/assignments.ts';
import { findMemberMetadata } from '../../storage/member-metadata.ts';

/** Tells two states of a member apart: another text for other roles or other metadata. */
export function memberVersion(roles: readonly { readonly id: string }[], metadata: object = {}): string {
  const state = JSON.stringify([roles.map(({ id }) => id).sort(), metadata]);
  return createHash('sha256').update(state).digest('base64url').slice(0, 22);
}

/** Refuses to change a member whom the caller read in another state. Under the scope's lock. */
export async function assertMemberVersion(
  tx: Transaction,
  { scope, userId, expectedVersion }: { scope: ParsedScope; userId: string; expectedVersion?: string | undefined },
): Promise<void> {
  if (expectedVersion === undefined) return;
  const [roles, metadata] = [await listRolesOfUsers(tx, [scope], [userId]), await findMemberMetadata(tx, scope, [userId])];
  if (memberVersion(roles, metadata.get(userId)) !== expectedVersion) throw failures.changedMeanwhile();
}
