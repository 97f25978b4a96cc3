import { failures } from '@tessera/kernel/errors';
import type { OutgoingEvent } from '@tessera/kernel/events';
import {
  type AuditEntry,
  annotate,
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
import { ownerRoleId } from '@tessera/proto/built-in-ids';
import Type from 'typebox';
import type { TenancyDeps } from '../../deps.ts';
import { type GrantMove, grantScope, grantStatuses, isInUse, type ProjectGrant, productScope } from '../../domain/project-grant.ts';
import { errors } from '../../errors.ts';
import { grantChanged } from '../../events.ts';
import { findOrganizations } from '../../storage/organizations.ts';
import { barSignUps, type EndedGrant, type GrantSide, lockGrant, moveGrant } from '../../storage/project-grants.ts';
import { findProjects, nameOfProject } from '../../storage/projects.ts';
import type { Context } from '../related.ts';
import { type Letter, letterOfEnd, letterTo } from './letters.ts';

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
    organizationId: Nullable(annotate(Id, { description: 'The customer; null until an offer by mail is taken' })),
    ownerOrganizationId: Id,
    status: GrantStatusSchema,
    ...grantTerms,
    reason: Nullable(Type.String({ description: 'Why it is suspended' })),
    email: Nullable(Type.String({ description: 'Where an offer by mail went' })),
    expiresAt: Nullable(annotate(Timestamp, { description: 'Until when an offer by mail can be taken' })),
    isMailed: Type.Boolean({
      description: 'False when the address of the offer wants no invitation mails: nothing was sent, so tell the person yourself',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    acceptedAt: Nullable(Timestamp),
    endedAt: Nullable(Timestamp),
    organization: Nullable(named),
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

const offerToken = { minLength: 1, maxLength: 256, secret: true, description: 'Of an offer by mail: from the link in the mail' };
export const OfferToken = Type.String(offerToken);
/** An offer to an organization that it names has none, so no example shows one. */
export const MailedToken = Type.Optional(Type.String({ ...offerToken, examples: [] }));

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
      ...new Set(grants.flatMap(({ organizationId, ownerOrganizationId }) => [organizationId ?? [], ownerOrganizationId].flat())),
    ]),
    findProjects(reader, [...new Set(grants.map(({ projectId }) => projectId))]),
    deps.roles.describeGrants({
      grants: grants.map((grant) => ({
        // No person holds a role in an offer.
        scope: grant.organizationId === null ? productScope(grant) : grantScope(grant),
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
    organization: grant.organizationId === null ? null : nameOf(organizations, grant.organizationId),
    project: nameOf(projects, grant.projectId),
    ownerOrganization: nameOf(organizations, grant.ownerOrganizationId),
    memberCount: isInUse(grant) ? (described[at]?.memberCount ?? 0) : 0,
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
  const [[customer], product] = await Promise.all([
    organizationId === null ? [] : findOrganizations(context.tx, [organizationId]),
    nameOfProject(context.tx, projectId),
  ]);
  // Each side calls it by the other: the owner by its customer, a customer by what it uses.
  const [toCustomer, toOwner] = [{ name: product }, customer === undefined ? {} : { name: customer.name }];
  context.audit({
    ...target,
    ...(before === undefined ? {} : { before, after: { status } }),
    detail: { ...detail, ...(isCustomer ? toCustomer : toOwner) },
  });
  // An offer by mail has no customer yet.
  if (!isCustomer && organizationId === null) return;
  const scope = isCustomer ? productScope(grant) : ({ tenant: 'organization', id: organizationId ?? '' } as const);
  const facts = { by: isCustomer ? 'customer' : 'owner', status, projectId, organizationId };
  const entry = { ...target, scope, detail: { ...detail, ...facts, ...(isCustomer ? toOwner : toCustomer) } };
  await writeForOtherSide({ operation, action, entry }, context);
}

/** In the log of the side that did not do it: without person, address and program. */
export async function writeForOtherSide(
  { operation, action, entry }: Recorded & { readonly entry: AuditEntry },
  { tx, now }: Pick<HandleContext<TenancyDeps>, 'tx' | 'now'>,
): Promise<void> {
  const nobody = { actor: { kind: 'anonymous' }, scope: undefined, request: byNobody, now } as const;
  await writeAudit(tx, { operation, action, outcome: 'ok', entry }, nobody);
}

type Ending = Pick<HandleContext<TenancyDeps>, 'tx' | 'now'> & {
  readonly request: Pick<HandleContext<TenancyDeps>['request'], 'language'>;
};
/** The other side's log has neither person, address nor program. */
const byNobody = {
  ...({ id: '', transport: 'grpc', ipAddress: '', userAgent: '', language: 'en', bearerToken: undefined, cookies: {} } as const),
  ...({ origin: undefined, consistencyToken: undefined, noCache: false } as const),
};

/**
 * Records grants that ended with their project or with one of the two organizations in the other
 * side's log. The events tell the services, and the Owners of the other side by mail.
 */
export async function recordEnded(
  ended: readonly EndedGrant[],
  deleted: { readonly organizationId: string; readonly isProject?: boolean },
  { tx, now, request: { language } }: Ending,
): Promise<OutgoingEvent[]> {
  const events: OutgoingEvent[] = [];
  for (const grant of ended) {
    if (grant.organizationId === null) continue;
    const isCustomer = grant.organizationId === deleted.organizationId;
    const scope = isCustomer ? productScope(grant) : ({ tenant: 'organization', id: grant.organizationId } as const);
    const detail = { by: isCustomer ? 'customer' : 'owner', status: grant.status, projectId: grant.projectId };
    const entry = { targetType: 'ProjectGrant', targetId: grant.id, scope, detail };
    await writeForOtherSide({ operation: 'endProjectGrant', action: 'grant.ended', entry }, { tx, now });
    if (grant.acceptedAt === null) continue;
    const owner = deleted.isProject === true ? 'project' : 'owner';
    events.push(grantChanged(grant), letterOfEnd(grant, isCustomer ? 'customer' : owner, language));
  }
  return events;
}

const letters = {
  accept: { side: 'owner', template: 'grant-accepted' },
  suspend: { side: 'customer', template: 'grant-suspended' },
  end: { side: 'customer', template: 'grant-ended' },
  leave: { side: 'owner', template: 'grant-left' },
} as const satisfies Partial<Record<GrantMove, { readonly side: 'customer' | 'owner'; readonly template: Letter }>>;

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
  await recordMove({ grant: after, before }, { move, reason, ...recorded }, context);
  return after;
}

type Moved = { readonly grant: ProjectGrant; readonly before: ProjectGrant };

/** Into both logs, to the other services, and by mail to the Owners of the other side. */
export async function recordMove(
  { grant, before }: Moved,
  { move, reason, ...recorded }: Move,
  context: HandleContext<TenancyDeps>,
): Promise<void> {
  await recordOnBothSides(grant, recorded, context, { before, detail: reason === undefined ? {} : { reason } });
  const { organizationId } = grant;
  if ((move === 'suspend' || move === 'end') && organizationId !== null)
    await barSignUps(context.tx, grant.id, ownerRoleId(organizationId));
  // Until it is accepted, no other service knows of it.
  if (grant.acceptedAt === null) return;
  context.emit(grantChanged(grant));
  const letter = Object.entries(letters).find(([name]) => name === move)?.[1];
  if (letter !== undefined) context.emit(await letterTo(letter.side, letter.template, grant, context));
}

/** Only an Owner binds the organization. */
export async function requireOwner(context: Context): Promise<undefined> {
  const { tenant, id } = scopeOf(context);
  const { userId } = callerOf(context);
  const { subjects } = await context.deps.roles.listSubjectRoles({ scope: { tenant, id }, userIds: [userId] });
  if (!subjects.some(({ roles }) => roles.some(({ rank }) => rank === 1))) throw failures.forbidden();
}
