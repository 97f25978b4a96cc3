/** Supporters who act as people of organizations, in the API (docs/decisions/038). */
import { failures } from '@tessera/kernel/errors';
import {
  type AuditEntry,
  callerOf,
  Id,
  NameOf,
  Nullable,
  type OperationContext,
  scopeOf,
  Timestamp,
  writeAudit,
} from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import Type, { type Static } from 'typebox';
import { type SupportAccess as Row, supportEnds, supportStatuses } from '../../../apps/storage/support-accesses.ts';
import { addressOf } from '../../../ground/domain/people.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { findPeople, findProfile } from '../../../people/storage/people.ts';
import { listEnforced } from '../../../sign-in/storage/connections.ts';
import type { OauthDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { lastActsOfTokens } from '../../last-acts.ts';

type Context = OperationContext<OauthDeps>;

export const supportScopes = ['organizationProject'] as const;

/** A stranger's text: one line, and nothing that a mail program makes a link of. */
export const Reason = NameOf(500);
export const Minutes = Type.Integer({ minimum: 15, maximum: 240, description: 'From its beginning; 60 when left out' });

/** How long one that is allowed waits for its beginning. */
export const beginWithinMs = 4 * 3_600_000;

export const consentFields = {
  mayWrite: Type.Optional(Type.Boolean({ description: 'Also changes by the product’s own actions, and tags; reading only when left out' })),
  mayExport: Type.Optional(Type.Boolean({ description: 'Also exports' })),
};

const Named = { id: Id, name: Nullable(Type.String()) };
export const SupportAccess = Type.Object({
  id: Id,
  supporter: Type.Object({ ...Named, email: Nullable(Type.String()) }),
  user: Type.Object(Named, { description: 'As whom' }),
  organization: Type.Object(Named),
  project: Type.Object(
    { ...Named, scope: Type.Object({ tenant: Type.String(), id: Type.String() }) },
    { description: 'Whose supporter it is' },
  ),
  reason: Type.String({ description: 'In the words of the supporter' }),
  minutes: Type.Integer(),
  status: Type.Enum([...supportStatuses]),
  requestedAt: Timestamp,
  decidedBy: Nullable(Id),
  decidedAt: Nullable(Timestamp),
  mayWrite: Type.Boolean(),
  mayExport: Type.Boolean(),
  startedAt: Nullable(Timestamp),
  endsAt: Type.String({ description: 'ISO 8601, UTC, milliseconds: when it lapses or ends by itself' }),
  endedAt: Nullable(Timestamp),
  endedBy: Nullable(Type.Enum([...supportEnds])),
  lastActions: Type.Array(Type.Object({ action: Type.String(), outcome: Type.String(), at: Timestamp }), {
    description: 'The newest first, five at most',
  }),
});
export type SupportAccess = Static<typeof SupportAccess>;

export function projectOf({ projectScopeId: id }: Pick<Row, 'projectScopeId'>): Scope {
  return { tenant: 'organizationProject', id };
}

/** Other services are asked after the transaction, so that no connection waits for them. */
export async function toSupportAccesses(rows: readonly Row[], { deps, now }: Pick<Context, 'deps' | 'now'>): Promise<SupportAccess[]> {
  const ids = [...new Set(rows.flatMap(({ supporterId, userId }) => [supporterId, userId]))];
  const scopes = rows.flatMap((row): Scope[] => [{ tenant: 'organization', id: row.organizationId }, projectOf(row)]);
  const [people, methods, names, acts] = await Promise.all([
    findPeople(deps.database, ids),
    listMethods(deps.database, [...new Set(rows.map(({ supporterId }) => supporterId))]),
    namesOfScopes(scopes, deps),
    lastActsOfTokens(rows, deps, now),
  ]);
  const nameOf = new Map(people.map(({ id, name }) => [id, name]));
  return rows.map(({ supporterId, userId, organizationId, projectScopeId, consentId: _consent, sessionId: _session, ...row }, index) => ({
    ...row,
    supporter: {
      id: supporterId,
      name: nameOf.get(supporterId) ?? null,
      email: addressOf(methods.filter((method) => method.userId === supporterId)),
    },
    user: { id: userId, name: nameOf.get(userId) ?? null },
    organization: { id: organizationId, name: names[2 * index]?.organization ?? null },
    project: {
      id: projectScopeId.slice(projectScopeId.indexOf(':') + 1),
      name: names[2 * index + 1]?.project ?? null,
      scope: { tenant: 'organizationProject', id: projectScopeId },
    },
    lastActions: [...(acts[index] ?? [])],
  }));
}

export async function toSupportAccess(row: Row, context: Pick<Context, 'deps' | 'now'>): Promise<SupportAccess> {
  const [shown] = await toSupportAccesses([row], context);
  if (shown === undefined) throw failures.notFound('SupportAccess');
  return shown;
}

/** A key or an app is never asked, and can not answer. */
export function requirePerson(context: Context): { readonly userId: string; readonly sessionId: string } {
  const { userId, claims } = callerOf(context);
  if (claims.type !== 'session') throw failures.forbidden();
  return { userId, sessionId: claims.jti };
}

type Acting = Pick<Row, 'supporterId' | 'userId' | 'organizationId' | 'projectScopeId'>;

export async function isOwnerOf(organizationId: string, userId: string, { roles }: OauthDeps): Promise<boolean> {
  const scope = wireScope({ tenant: 'organization', id: organizationId });
  const { subjects } = await roles.listSubjectRoles({ scope, userIds: [userId] });
  return subjects.some((subject) => subject.roles.some(({ id }) => id === ownerRoleId(organizationId)));
}

/**
 * Asked at the request, the consent and each exchange: the person is a member of the organization,
 * which uses the project now and does not demand its own identity provider, and the supporter does
 * not reach above themselves. Tells whether the person is an Owner.
 */
export async function assertActable({ supporterId, userId, organizationId, projectScopeId }: Acting, { deps }: Context): Promise<boolean> {
  const project = wireScope({ tenant: 'organizationProject', id: projectScopeId });
  const [{ customers }, profile] = await Promise.all([
    deps.tenancy.listPlaces({ userId, project, organizationId }),
    findProfile(deps.database, userId),
  ]);
  if (profile === undefined || !customers.some((customer) => customer.organizationId === organizationId)) throw failures.notFound('User');
  if (supporterId === userId) throw errors.supportOfOneself();
  if (profile.isPlatformAdministrator) throw errors.supportAbove();
  const [owner = ''] = projectScopeId.split(':');
  const isOwner = await isOwnerOf(organizationId, userId, deps);
  if (isOwner && !(await isOwnerOf(owner, supporterId, deps))) throw errors.supportAbove();
  // rbac would refuse each request: the token came by no connection (decision 31).
  const [enforced] = await listEnforced(deps.database, organizationId);
  if (enforced !== undefined) throw failures.connectionRequired({ extensions: { connectionId: enforced.id } });
  return isOwner;
}

/** The row of the caller's organization, or of the caller's project; else as if there were none. */
export function assertIn<Found extends Row>(row: Found | undefined, context: Context): Found {
  const { tenant, id } = scopeOf(context);
  const isHere = tenant === 'organization' ? row?.organizationId === id : row?.projectScopeId === id;
  if (row === undefined || !isHere) throw failures.notFound('SupportAccess');
  return row;
}

export function entryOf({ id, supporterId, userId, organizationId, reason, minutes, mayWrite, mayExport }: Row): AuditEntry {
  const detail = { supporterId, userId, organizationId, reason, minutes, mayWrite, mayExport };
  return { targetType: 'SupportAccess', targetId: id, detail };
}

/** The row of the other side's log: the organization hears what the product's people ask and do. */
export async function auditThere(tx: Transaction, action: string, row: Row, context: Context) {
  const here = scopeOf(context);
  const there: Scope = here.tenant === 'organization' ? projectOf(row) : { tenant: 'organization', id: row.organizationId };
  await writeAudit(tx, { operation: 'supportToldThere', action, outcome: 'ok', entry: { ...entryOf(row), scope: there } }, context);
}
