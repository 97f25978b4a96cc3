/** Ends a support access with its tokens. Announce the result after the commit. */
import { failures } from '@tessera/kernel/errors';
import type { HandleContext } from '@tessera/kernel/operation';
import { endSupportAccess, lockSupportAccess, type SupportAccess as Row, type SupportEnd } from '../../../apps/storage/support-accesses.ts';
import type { Revocation } from '../../../ground/storage/revocations.ts';
import type { OauthDeps } from '../../deps.ts';
import { entryOf } from './support-access.ts';

type Context = HandleContext<OauthDeps>;

/** `by`: who ends it; undefined for a row that is not theirs. One that has ended stays as it is. */
export async function endOne(
  id: string,
  by: (row: Row) => SupportEnd | undefined,
  context: Context,
): Promise<{ readonly row: Row; readonly revocations: Revocation[] }> {
  const { tx, deps, now, audit } = context;
  const row = await lockSupportAccess(tx, id);
  const endedBy = row && by(row);
  if (row === undefined || endedBy === undefined) throw failures.notFound('SupportAccess');
  const ended = await endSupportAccess(tx, id, endedBy, now);
  audit({ ...entryOf(row), scope: { tenant: 'organization', id: row.organizationId } });
  return { row, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
}
