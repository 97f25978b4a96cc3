/** People in a scope. tenancy knows who belongs to it, rbac their roles and tags. */

import { type Check, type Subject, subjectToWire } from '@tessera/kernel/authorization';
import { failures } from '@tessera/kernel/errors';
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { callerOf, freshnessOf, type OperationContext, scopeOf, type Target } from '@tessera/kernel/operation';
import { parentScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import type { Person } from '../../ground/domain/people.ts';
import type { PeopleDeps } from '../deps.ts';
import { findPerson } from '../storage/people.ts';
import { toMetadata, toRole } from './entities.ts';

type Context = OperationContext<PeopleDeps>;

/** Where users can be managed: an organization's members, and the people of a project. */
export const peopleScopes = ['organization', 'accountProject', 'organizationProject'] as const;

export function wireScope({ tenant, id }: Scope): { tenant: string; id: string } {
  return { tenant, id };
}

export function wireSubject(subject: Subject): rbac.Subject {
  return subjectToWire(subject);
}

/** The person, if they belong to the scope. Otherwise undefined. */
export async function findInScope(id: string, context: Context): Promise<Person | undefined> {
  const { deps } = context;
  const [person, { userIds }] = await Promise.all([
    findPerson(deps.database, id),
    deps.tenancy.filterPeople({ scope: wireScope(scopeOf(context)), userIds: [id] }),
  ]);
  return userIds.includes(id) ? person : undefined;
}

/** Whether a person of a project belongs to its organization or account. */
export async function belongsAbove(id: string, { deps, scope }: Context): Promise<boolean> {
  const parent = scope && parentScope(scope);
  return parent !== undefined && (await deps.tenancy.filterPeople({ scope: wireScope(parent), userIds: [id] })).userIds.includes(id);
}

/** The person as conditions see them. 'own' means: created by the caller, or the caller. */
export async function targetOf({ id }: { readonly id: string }, context: Context): Promise<Target> {
  const person = await findInScope(id, context);
  if (person === undefined) return undefined;
  const { name, metadata, createdBy, createdAt } = person;
  return { id, name, metadata, createdBy, createdAt };
}

export async function requireInScope(id: string, context: Context): Promise<Person> {
  const person = await findInScope(id, context);
  if (person === undefined) throw failures.notFound('User');
  return person;
}

/**
 * The roles must exist in the scope and rank below the caller's own, and contain no right that the
 * caller lacks.
 */
export async function assertMayGrant(roleIds: readonly string[], context: Context): Promise<void> {
  if (roleIds.length === 0) return;
  const { deps } = context;
  const { subject } = callerOf(context);
  const request = { actor: wireSubject(subject), scope: wireScope(scopeOf(context)), roleIds: [...roleIds], givenTo: 'user' };
  const { verdicts } = await deps.roles.checkGrant(request);
  if (verdicts.some(({ verdict }) => verdict === 'not-found')) throw failures.notFound('Role');
  if (verdicts.some(({ verdict }) => verdict !== 'allowed')) throw failures.forbidden();
}

export async function assertTagsExist(tagIds: readonly string[], primaryTagId: string | null, context: Context): Promise<void> {
  if (primaryTagId !== null && !tagIds.includes(primaryTagId))
    throw failures.validation('primaryTagId', { en: 'must be one of tagIds', de: 'muss eines von tagIds sein' });
  if (tagIds.length === 0) return;
  const { missing } = await context.deps.tags.checkTags({ scope: wireScope(scopeOf(context)), tagIds: [...tagIds] });
  if (missing.length > 0) throw failures.notFound('Tag');
}

/** 409 when the organization may have no more members. A project's people are not counted. */
export async function holdPlace(userId: string, context: Context): Promise<void> {
  const { tenant, id: organizationId } = scopeOf(context);
  if (tenant !== 'organization') return;
  // A tenancy of the version before does not count people.
  await ignoreUnknownMethod(context.deps.tenancy.holdPlace({ organizationId, userId }));
}

/** The primary tag that each of these people has in the scope, in their order. */
export async function primaryTagsOf(
  userIds: readonly string[],
  { deps, scope }: Pick<Context, 'deps' | 'scope'>,
): Promise<(string | null)[]> {
  if (scope === undefined || userIds.length === 0) return userIds.map(() => null);
  const { entities } = await deps.tags.listEntityTags({ scope: wireScope(scope), entity: 'user', entityIds: [...userIds] });
  const primary = new Map(entities.map(({ entityId, primaryTagId }) => [entityId, primaryTagId]));
  return userIds.map((id) => primary.get(id) ?? null);
}

/**
 * What people have in a project, by user id: its roles, the role in its organization or account,
 * and the metadata that conditions read. Empty for callers who may not see roles.
 */
export async function standingsInProject(userIds: readonly string[], context: Context) {
  const scope = scopeOf(context);
  const parent = parentScope(scope);
  if (parent === undefined || userIds.length === 0 || !(await mayAlso({ resource: 'Role', action: 'Query' }, context))) return new Map();
  const { roles } = context.deps;
  const [inProject, above] = await Promise.all(
    [scope, parent].map((place) => roles.listSubjectRoles({ scope: wireScope(place), userIds: [...userIds] })),
  );
  const memberRoles = new Map(above?.subjects.map(({ userId, roles: held }) => [userId, held]));
  return new Map(
    inProject?.subjects.map(({ userId, roles: held, metadataJson }) => {
      const [memberRole] = (memberRoles.get(userId) ?? []).toSorted((a, b) => (a.rank ?? 9) - (b.rank ?? 9));
      const memberMetadata = toMetadata(metadataJson);
      return [userId, { roles: held.map(toRole), memberRole: memberRole ? toRole(memberRole) : null, memberMetadata }];
    }),
  );
}

/** Whether the caller holds another permission than the operation's in the scope. */
export async function mayAlso(permission: Pick<Check, 'resource' | 'action'>, context: Context): Promise<boolean> {
  if (context.actor.kind === 'anonymous' || context.scope === undefined) return false;
  const { subject } = callerOf(context);
  const scope = wireScope(context.scope) as Scope;
  const [decision] = await context.deps.authorizer.check([{ subject, scope, ...permission }], freshnessOf(context));
  return decision?.authorized === true;
}
