/**
 * An organization lets its members in by its own identity provider only (decision 31). rbac refuses
 * other sessions in its scopes; here they are refused before, where nothing else is open to them,
 * and at the sign-in to the apps of its projects.
 */

import { failures } from '@tessera/kernel/errors';
import { emit } from '@tessera/kernel/events';
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { newId } from '@tessera/kernel/ids';
import { type RequestFacts, writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { type Amr, acrOf } from '../ground/domain/session.ts';
import { auditContextBehind } from '../ground/storage/audit-log.ts';
import { findPerson } from '../people/storage/people.ts';
import type { SignInDeps } from './deps.ts';
import { type Enforced, listEnforced, listEnforcedOf } from './storage/connections.ts';

type Coming = { readonly userId: string; readonly amr: readonly Amr[]; readonly connectionId: string | null };

/**
 * Refuses who can come by a connection, and is in no organization that lets them in otherwise. Who
 * has not come by it yet is let in: they connect their account in such a session.
 */
export async function assertByConnection(
  { userId, amr, connectionId }: Coming,
  { database, tenancy }: Pick<SignInDeps, 'database' | 'tenancy'>,
): Promise<void> {
  if (connectionId !== null) return;
  const known = await listEnforcedOf(database, userId);
  const [first, ...others] = acrOf(amr) === 'aal2' ? known.filter((one) => !one.breakGlassUserIds.includes(userId)) : known;
  if (first === undefined) return;
  const closed = new Set([first, ...others].map(({ organizationId }) => organizationId));
  const all = (await ignoreUnknownMethod(tenancy.listOrganizations({ userId })))?.organizations ?? [];
  // A person who is no member any more has nothing to be refused.
  if (!all.some(({ organizationId }) => closed.has(organizationId))) return;
  if (all.every(({ organizationId }) => closed.has(organizationId)))
    throw failures.connectionRequired({ extensions: { connectionId: first.id } });
}

type Session = Coming & { readonly authenticatedAtMs: number };
type Place = { readonly scope: Scope; readonly customerId?: string | undefined };

/**
 * By which connection a person has to come to an app: of the organization that they sign in for, or
 * of the project's own where they are its member. Undefined when the session will do.
 */
export async function requiredConnection(
  session: Session,
  { scope, customerId }: Place,
  { database, tenancy, roles }: Pick<SignInDeps, 'database' | 'tenancy' | 'roles'>,
): Promise<Enforced | undefined> {
  const organizationId = customerId ?? parseScope(scope).organizationId;
  if (organizationId === undefined) return undefined;
  const [first, ...others] = await listEnforced(database, organizationId);
  if (first === undefined) return undefined;
  const { userId, connectionId } = session;
  if ([first, ...others].some(({ id }) => id === connectionId)) return undefined;
  const isMember = customerId !== undefined || (await tenancy.getAdmission({ organizationId, address: '', userId })).isMember;
  if (!isMember) return undefined;
  if (![first, ...others].some((one) => mayBreakGlass(one, session))) return first;
  const held = await roles.listMemberRoles({ userId });
  return held.roles.some((role) => role.organizationId === organizationId && role.name === 'Owner') ? undefined : first;
}

function mayBreakGlass({ breakGlassUserIds, enforcedAt }: Enforced, { userId, amr, authenticatedAtMs }: Session): boolean {
  return breakGlassUserIds.includes(userId) && acrOf(amr) === 'aal2' && authenticatedAtMs >= Date.parse(enforcedAt ?? '');
}

type Use = Coming & {
  readonly now: Date;
  readonly request: Partial<Pick<RequestFacts, 'id' | 'ipAddress' | 'userAgent'>>;
};

/**
 * A session has got a second factor: of who is named by an organization it opens what a connection
 * should. The organization's log has it, and its Owners get a mail. In the same transaction.
 */
export async function noteBreakGlass(tx: Transaction, { userId, amr, connectionId, now, request }: Use): Promise<void> {
  if (acrOf(amr) !== 'aal2') return;
  const known = (await listEnforcedOf(tx, userId)).filter(
    ({ id, breakGlassUserIds }) => id !== connectionId && breakGlassUserIds.includes(userId),
  );
  if (known.length === 0) return;
  const person = await findPerson(tx, userId);
  for (const { id, name, organizationId } of known) {
    const scope = { tenant: 'organization', id: organizationId } as const;
    const entry = { actorId: userId, targetType: 'Connection', targetId: id, scope, detail: { connection: name } };
    const { id: requestId, ...client } = request;
    const context = auditContextBehind({ ...client, ...(requestId === undefined ? {} : { requestId }) }, now);
    await writeAudit(tx, { operation: 'signIn', action: 'connection.break-glass-used', outcome: 'ok', entry }, context);
    const data = {
      connectionName: name,
      personName: person?.name ?? userId,
      ipAddress: request.ipAddress ?? '',
      at: now.toISOString(),
      path: `/org/${organizationId}/connections`,
    };
    await tellOwners(tx, { organizationId, template: 'connection-break-glass', data });
  }
}

type Letter = {
  readonly organizationId: string;
  readonly template:
    | 'connection-believed'
    | 'connection-break-glass'
    | 'connection-changed'
    | 'connection-enforced'
    | 'connection-keys-changed'
    | 'connection-not-enforced'
    | 'set-up-finished';
  readonly data: Record<string, string>;
};

/** Commits with the change. rbac knows the Owners, and asks for the mail. */
export async function tellOwners(tx: Transaction, { organizationId, template, data }: Letter): Promise<void> {
  const payload = { messageId: newId(), organizationId, template, language: 'en', data };
  await emit(tx, [{ type: 'connection.ownersTold', key: payload.messageId, payload }]);
}
