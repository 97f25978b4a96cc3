/** What has to be so before members have to come by a connection (decision 31). */
import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import { type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { isSecondFactorDue } from '../../deferred.ts';
import type { SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { type Connection, listEnforced } from '../../storage/connections.ts';
import { confirmedKinds } from '../../storage/second-factors.ts';
import { isOwner, organizationOf } from './connection.ts';

type Context = OperationContext<SignInDeps>;

/** Of these people the Owners. */
export async function ownersAmong(userIds: readonly string[], context: Pick<Context, 'deps' | 'scope'>): Promise<string[]> {
  if (userIds.length === 0) return [];
  const scope = scopeOf(context);
  const { subjects } = await context.deps.roles.listSubjectRoles({ scope: wireScope(scope), userIds: [...userIds] });
  const role = ownerRoleId(scope.id);
  return subjects.filter(({ roles }) => roles.some(({ id }) => id === role)).map(({ userId }) => userId);
}

/** Owners who have a second factor now. */
export async function ableToBreakGlass(userIds: readonly string[], context: Pick<Context, 'deps' | 'scope'>): Promise<string[]> {
  const owners = await ownersAmong(userIds, context);
  const kinds = await Promise.all(owners.map((userId) => confirmedKinds(context.deps.database, userId)));
  return owners.filter((_, index) => isSecondFactorDue(kinds[index] ?? []));
}

export const obstacles = ['not-active', 'no-domain', 'never-used', 'no-owner'] as const;
export type Obstacle = (typeof obstacles)[number];

/** Why it cannot be enforced; empty when it can. */
export async function obstaclesOf(connection: Connection, breakGlassUserIds: readonly string[], context: Context): Promise<Obstacle[]> {
  const { deps } = context;
  const [{ hasProvenDomain }, able] = await Promise.all([
    deps.tenancy.getAdmission({ organizationId: organizationOf(context), address: '', userId: '' }),
    ableToBreakGlass(breakGlassUserIds, context),
  ]);
  return [
    ...(connection.status === 'active' ? [] : (['not-active'] as const)),
    ...(hasProvenDomain ? [] : (['no-domain'] as const)),
    ...(connection.lastUsedAt === null ? (['never-used'] as const) : []),
    // Who can come by the connection alone is shut out when its domain is lost.
    ...(able.length === 0 ? (['no-owner'] as const) : []),
  ];
}

type Wish = { readonly isEnforced?: boolean | undefined; readonly breakGlassUserIds?: readonly string[] | undefined };

/** Asked before the transaction. Only Owners decide who is shut out, and who is not. */
export async function assertMayEnforce(connection: Connection, { isEnforced, breakGlassUserIds }: Wish, context: Context): Promise<void> {
  if (isEnforced === undefined && breakGlassUserIds === undefined) return;
  if (!(await isOwner(context))) throw errors.enforcedByOwners();
  if (breakGlassUserIds !== undefined) {
    const able = await ableToBreakGlass(breakGlassUserIds, context);
    if (breakGlassUserIds.some((id) => !able.includes(id)))
      throw failures.validation('breakGlassUserIds', {
        en: 'must be Owners of the organization who have set up a second factor',
        de: 'müssen Eigentümer der Organisation sein, die einen zweiten Faktor eingerichtet haben',
      });
  }
  const remains = isEnforced ?? connection.isEnforced;
  if (!remains) return;
  const missing = await obstaclesOf(connection, breakGlassUserIds ?? connection.breakGlassUserIds, context);
  // While it is on, a lost domain must not keep an Owner from being named.
  const [first] = connection.isEnforced ? missing.filter((one) => one === 'no-owner') : missing;
  if (first !== undefined) throw errors.cannotEnforce({ extensions: { reason: first } });
}

/** The whole state, as rbac keeps it. */
export async function connectionsEnforced(tx: Transaction, organizationId: string, now: Date): Promise<OutgoingEvent> {
  const enforced = await listEnforced(tx, organizationId);
  const since = enforced.map(({ enforcedAt }) => enforcedAt ?? '').reduce((one, other) => (one > other ? one : other), '');
  const payload = {
    organizationId,
    connectionIds: enforced.map(({ id }) => id),
    breakGlassUserIds: [...new Set(enforced.flatMap(({ breakGlassUserIds }) => breakGlassUserIds))],
    since: since === '' ? now.toISOString() : since,
  };
  return { type: 'organization.connectionsEnforced', key: organizationId, payload };
}
