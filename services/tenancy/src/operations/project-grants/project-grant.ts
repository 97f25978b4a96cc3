import { failures } from '@tessera/kernel/errors';
import {
  callerOf,
  FreeObject,
  type HandleContext,
  Id,
  Nullable,
  scopeOf,
  strict,
  TextOf,
  Timestamp,
  writeAudit,
} from '@tessera/kernel/operation';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import { type GrantMove, grantScope, grantStatuses, type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import { errors } from '../../errors.ts';
import { grantChanged } from '../../events.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { type GrantSide, lockGrant, moveGrant } from '../../storage/project-grants.ts';
import { findProjects, nameOfProject } from '../../storage/projects.ts';
import type { Context } from '../related.ts';

export const GrantStatusSchema = Type.Enum([...grantStatuses]);

export const grantTerms = {
  roleIds: Nullable(Type.Array(Id, { maxItems: 100, uniqueItems: true, description: 'null: all roles of the project that are grantable' })),
  allowCustomRoles: Type.Boolean({ description: 'The customer may make roles of its own, from what the granted ones allow together' }),
  maxMembers: Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Members who hold a role here; null: any number' })),
  metadata: FreeObject('What conditions read as grant.metadata,', 4),
};

const named = strict({ id: Id, name: Type.String(), slug: Type.String() });

export const ProjectGrantSchema = strict(
  {
    id: Id,
    projectId: Id,
    organizationId: Id,
    ownerOrganizationId: Id,
    status: GrantStatusSchema,
    ...grantTerms,
    reason: Nullable(Type.String({ description: 'Why it is suspended' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    acceptedAt: Nullable(Timestamp),
    endedAt: Nullable(Timestamp),
    organization: named,
    project: named,
    ownerOrganization: named,
    memberCount: Type.Integer({ description: 'Members of the customer who hold a role here' }),
    roles: Type.Array(strict({ id: Id, name: Type.String() }), { description: 'The roles of the project that the customer may give' }),
  },
  {
    description:
      'A project that another organization, the customer, uses. Its scope is `organizationProject` `<organizationId>:<projectId>`',
  },
);

export const SuspensionReason = TextOf(500);

/** The scope of the project asks as its owner, the scope of an organization as a customer. */
export const bothSides = ['organizationProject', 'organization'] as const;
export const ownerSide = ['organizationProject'] as const;
export const customerSide = ['organization'] as const;

export function sideOf(context: { readonly scope: ParsedScope | undefined }): GrantSide {
  const scope = scopeOf(context);
  if (scope.tenant === 'organization') return { organizationId: scope.organizationId };
  if (scope.tenant === 'organizationProject') return { ownerOrganizationId: scope.organizationId, projectId: scope.projectId };
  throw new Error('a grant is asked for in a project or in an organization');
}

/** With the names of both sides, and what rbac knows of it. */
export async function showGrants(grants: readonly ProjectGrant[], { deps }: Pick<Context, 'deps'>) {
  if (grants.length === 0) return [];
  const reader = { query: deps.database.query };
  const [organizations, projects, { grants: described }] = await Promise.all([
    findOrganizations(reader, [
      ...new Set(grants.flatMap(({ organizationId, ownerOrganizationId }) => [organizationId, ownerOrganizationId])),
    ]),
    findProjects(reader, [...new Set(grants.map(({ projectId }) => projectId))]),
    deps.roles.describeGrants({
      grants: grants.map((grant) => ({
        scope: grantScope(grant),
        product: productScope(grant),
        allRoles: grant.roleIds === null,
        roleIds: [...(grant.roleIds ?? [])],
      })),
    }),
  ]);
  const nameOf = (rows: readonly { id: string; name: string; slug: string }[], id: string) => {
    const row = rows.find((one) => one.id === id);
    return { id, name: row?.name ?? '', slug: row?.slug ?? '' };
  };
  return grants.map((grant, at) => ({
    ...grant,
    organization: nameOf(organizations, grant.organizationId),
    project: nameOf(projects, grant.projectId),
    ownerOrganization: nameOf(organizations, grant.ownerOrganizationId),
    memberCount: described[at]?.memberCount ?? 0,
    roles: (described[at]?.roles ?? []).map(({ id, name }) => ({ id, name })),
  }));
}

export async function showGrant(grant: ProjectGrant, context: Pick<Context, 'deps'>) {
  const [shown] = await showGrants([grant], context);
  if (shown === undefined) throw failures.notFound('ProjectGrant');
  return shown;
}

/** The roles must be the project's own. */
export async function assertProjectRoles(roleIds: readonly string[] | null | undefined, context: Context): Promise<undefined> {
  if (roleIds === null || roleIds === undefined || roleIds.length === 0) return;
  const { tenant, id } = scopeOf(context);
  const { roles } = await context.deps.roles.getRoles({ scope: { tenant, id }, roleIds: [...roleIds] });
  const known = new Set(roles.map((role) => role.id));
  const at = roleIds.findIndex((roleId) => !known.has(roleId));
  if (at !== -1) throw failures.validation(`roleIds.${at}`, { en: 'is no role of this project', de: 'ist keine Rolle dieses Projekts' });
}

type Recorded = { readonly operation: string; readonly action: string };
type Changed = { readonly before?: ProjectGrant; readonly detail?: Readonly<Record<string, unknown>> };

/**
 * What one side does stands in both logs: in its own as it was done, in the other's without the
 * person, address and program, which are not the other's to see.
 */
export async function recordOnBothSides(
  grant: ProjectGrant,
  { operation, action }: Recorded,
  context: HandleContext<TenancyDeps>,
  { before, detail = {} }: Changed = {},
): Promise<void> {
  const isCustomer = scopeOf(context).tenant === 'organization';
  const target = { targetType: 'ProjectGrant', targetId: grant.id };
  const { status, projectId, organizationId } = grant;
  const [[customer], product] = await Promise.all([findOrganizations(context.tx, [organizationId]), nameOfProject(context.tx, projectId)]);
  // Each side calls it by the other: the owner by its customer, a customer by what it uses.
  const [toCustomer, toOwner] = [{ name: product }, { name: customer?.name ?? '' }];
  context.audit({
    ...target,
    ...(before === undefined ? {} : { before, after: { status } }),
    detail: { ...detail, ...(isCustomer ? toCustomer : toOwner) },
  });
  const scope = isCustomer ? productScope(grant) : ({ tenant: 'organization', id: organizationId } as const);
  const facts = { by: isCustomer ? 'customer' : 'owner', status, projectId, organizationId };
  const entry = { ...target, scope, detail: { ...detail, ...facts, ...(isCustomer ? toOwner : toCustomer) } };
  const request = { ...context.request, id: '', ipAddress: '', userAgent: '' };
  await writeAudit(context.tx, { operation, action, outcome: 'ok', entry }, { ...context, actor: { kind: 'anonymous' }, request });
}

/**
 * Tells of grants that ended with their project or with one of the two organizations: each stands
 * in the other side's log.
 */
export async function tellEnded(
  ended: readonly ProjectGrant[],
  organizationId: string,
  context: HandleContext<TenancyDeps>,
): Promise<void> {
  for (const grant of ended) {
    const isCustomer = grant.organizationId === organizationId;
    const scope = isCustomer ? productScope(grant) : ({ tenant: 'organization', id: grant.organizationId } as const);
    const detail = { by: isCustomer ? 'customer' : 'owner', status: grant.status, projectId: grant.projectId };
    const entry = { targetType: 'ProjectGrant', targetId: grant.id, scope, detail };
    const request = { ...context.request, id: '', ipAddress: '', userAgent: '' };
    const record = { operation: 'endProjectGrant', action: 'grant.ended', outcome: 'ok', entry } as const;
    await writeAudit(context.tx, record, { ...context, actor: { kind: 'anonymous' }, request });
    if (grant.acceptedAt !== null) context.emit(grantChanged(grant));
  }
}

type Move = Recorded & { readonly move: GrantMove; readonly reason?: string | undefined };

/** One step of the grant with this id, recorded and told to the other services. */
export async function makeMove(
  id: string,
  { move, reason, ...recorded }: Move,
  context: HandleContext<TenancyDeps>,
): Promise<ProjectGrant> {
  const before = await lockGrant(context.tx, sideOf(context), id);
  if (before === undefined) throw failures.notFound('ProjectGrant');
  const after = await moveGrant(context.tx, id, move, reason ?? null);
  if (after === undefined) throw errors.grantMove({ extensions: { resource: 'ProjectGrant', field: 'status', status: before.status } });
  await recordOnBothSides(after, recorded, context, { before, detail: reason === undefined ? {} : { reason } });
  // Until it is accepted, no other service knows of it.
  if (after.acceptedAt !== null) context.emit(grantChanged(after));
  return after;
}

/** Only an Owner binds the organization. */
export async function requireOwner(context: Context): Promise<undefined> {
  const { tenant, id } = scopeOf(context);
  const { userId } = callerOf(context);
  const { subjects } = await context.deps.roles.listSubjectRoles({ scope: { tenant, id }, userIds: [userId] });
  if (!subjects.some(({ roles }) => roles.some(({ rank }) => rank === 1))) throw failures.forbidden();
}
