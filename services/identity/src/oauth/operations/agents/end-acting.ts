/** Ends what an app may do for a person, and takes the end back (docs/decisions/026). */
import { failures } from '@tessera/kernel/errors';
import type { HandleContext, OperationContext } from '@tessera/kernel/operation';
import Type from 'typebox';
import { changeEnds, type LockedActing, lockActing, type Whose } from '../../../apps/storage/acting-apps.ts';
import { deleteConsent, deleteConsentAt } from '../../../apps/storage/project-app-consents.ts';
import { takeTokensAt, takeTokensOfUserAndApp } from '../../../apps/storage/project-app-tokens.ts';
import type { Revocation } from '../../../ground/storage/revocations.ts';
import { isOwner } from '../../../sign-in/operations/connections/connection.ts';
import { ownersAmong } from '../../../sign-in/operations/connections/enforce.ts';
import type { OauthDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';

export const ClientId = Type.String({ minLength: 1, maxLength: 200 });

type Context = HandleContext<OauthDeps>;

/** Owners alone end and allow what acts for an Owner. Asked before the transaction. */
export async function assertMayEnd(userId: string, context: OperationContext<OauthDeps>): Promise<void> {
  const [owner] = await ownersAmong([userId], context);
  if (owner !== undefined && !(await isOwner(context))) throw failures.forbidden();
}

async function lockOrRefuse(whose: Whose, { tx }: Context): Promise<LockedActing[]> {
  const rows = await lockActing(tx, whose);
  if (rows.length === 0) throw failures.notFound('Agent');
  return rows;
}

/**
 * The rows are locked first: an exchange that holds one commits before, and its token is found; one
 * that comes later is refused. Announce the result after the commit.
 */
export async function endActing(whose: Whose, context: Context): Promise<Revocation[]> {
  const { tx, deps, now, audit } = context;
  const { userId, organizationId } = whose;
  const tokens: string[] = [];
  const rows = await lockOrRefuse(whose, context);
  for (const row of rows) {
    const ends = organizationId === undefined ? { endedAt: now.toISOString() } : { endedByOrganizationAt: now.toISOString() };
    await changeEnds(tx, row, ends);
    if (organizationId === undefined) continue;
    const isUse = row.placeId !== row.scopeId;
    await deleteConsentAt(tx, { userId, projectAppId: row.projectAppId, organizationId: isUse ? organizationId : null });
    tokens.push(...(await takeTokensAt(tx, row)));
  }
  // By the person: also what hangs on no place yet, as a sign-in that has only begun.
  for (const projectAppId of organizationId === undefined ? new Set(rows.map((row) => row.projectAppId)) : []) {
    await deleteConsent(tx, userId, projectAppId);
    tokens.push(...(await takeTokensOfUserAndApp(tx, userId, projectAppId)));
  }
  audit(entryOf(whose, rows));
  return deps.revoker.revokeSessions(tx, tokens, now);
}

/** Each takes back its own end alone. An app that asks for consent asks for it again. */
export async function allowActing(whose: Whose, context: Context): Promise<void> {
  const { tx, audit } = context;
  const rows = await lockOrRefuse(whose, context);
  const isOwn = whose.organizationId === undefined;
  const own = rows.filter(({ endedAt, endedByOrganizationAt }) => (isOwn ? endedAt : endedByOrganizationAt) !== null);
  if (isOwn && own.length === 0 && rows.some(({ endedByOrganizationAt }) => endedByOrganizationAt !== null))
    throw errors.agentEndedByOrganization();
  for (const row of own) await changeEnds(tx, row, isOwn ? { endedAt: null } : { endedByOrganizationAt: null });
  audit(entryOf(whose, rows));
}

function entryOf({ userId, clientId }: Whose, [row]: readonly LockedActing[]) {
  return { targetType: 'ProjectApp', ...(row === undefined ? {} : { targetId: row.projectAppId }), detail: { clientId, userId } };
}
