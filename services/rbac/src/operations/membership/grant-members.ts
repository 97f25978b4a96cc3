/**
 * Who of a customer holds a role in a grant is told to both sides: a row in the customer's own log,
 * and one in the log of the product, whose owner serves these people. The owner's row has neither
 * the person who did it nor their address and program.
 */
import { writeAudit } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope, Scope } from '@tessera/kernel/scope';
import { removeAssignments } from '../../storage/assignments.ts';
import { findGrantOfPlace } from '../../storage/grants.ts';
import type { RoleRow } from '../../storage/records.ts';

/** Of a change that no request of a client makes. */
export const recordRequest = {
  ...({ id: '', transport: 'grpc', ipAddress: '', userAgent: '', language: 'en', bearerToken: undefined, cookies: {} } as const),
  ...({ origin: undefined, consistencyToken: undefined, noCache: false } as const),
};

type Sides = { readonly grantId: string; readonly scopeId: string; readonly product: Scope };
type Told = { readonly action: string; readonly userId: string; readonly actorId?: string | undefined; readonly detail: object };

async function record(tx: Transaction, { grantId, scopeId, product }: Sides, { action, userId, actorId, detail }: Told): Promise<void> {
  const facts = { grantId, organizationId: scopeId.slice(0, 36), ...detail };
  const context = { actor: { kind: 'anonymous' }, scope: undefined, request: recordRequest, now: new Date() } as const;
  const target = { targetType: 'User', targetId: userId };
  for (const [scope, by] of [
    [{ tenant: 'organizationProject', id: scopeId } as const, actorId],
    [product, undefined],
  ] as const) {
    const entry = { ...target, scope, detail: facts, ...(by === undefined ? {} : { actorId: by }) };
    await writeAudit(tx, { operation: 'setSubjectRoles', action, outcome: 'ok', entry }, context);
  }
}

type Change = {
  readonly userId: string;
  readonly actorId: string | undefined;
  readonly assigned: readonly RoleRow[];
  readonly unassigned: readonly RoleRow[];
};

/** Nothing outside a grant. */
export async function recordGrantRoles(
  tx: Transaction,
  { grant, id: scopeId }: ParsedScope,
  { userId, actorId, assigned, unassigned }: Change,
): Promise<void> {
  if (grant === undefined) return;
  const grantId = await findGrantOfPlace(tx, grant.placeId);
  if (grantId === undefined) return;
  const sides = { grantId, scopeId, product: grant.product };
  const detailOf = (roles: readonly RoleRow[]) => ({ roles: roles.map(({ id, name }) => ({ id, name })) });
  if (assigned.length > 0) await record(tx, sides, { action: 'grantMember.assigned', userId, actorId, detail: detailOf(assigned) });
  if (unassigned.length > 0) await record(tx, sides, { action: 'grantMember.unassigned', userId, actorId, detail: detailOf(unassigned) });
}

/**
 * Takes all that a user has who leaves, and tells the owners of the grants in which they had roles.
 */
export async function leaveScope(tx: Transaction, scope: ParsedScope, userId: string): Promise<void> {
  for (const { grantId, scopeId, productId } of await removeAssignments(tx, scope, userId)) {
    const product = { tenant: 'organizationProject', id: productId } as const;
    await record(tx, { grantId, scopeId, product }, { action: 'grantMember.left', userId, detail: {} });
  }
}
