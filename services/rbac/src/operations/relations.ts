import { Nullable, type OperationContext, type Placed, type RelationAcross, type RestRelation } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import Type, { type TSchema } from 'typebox';
import type { RbacDeps } from '../deps.ts';
import { type AcrossQuery, placeOf, readAcross } from '../storage/across.ts';
import { type Holding, listUsersOfGroups, listUsersOfRoles } from '../storage/assignments.ts';
import { resourceTable } from '../storage/entity-tables.ts';
import { listTags, type TaggedEntity } from '../storage/entity-tags.ts';
import { groupsOfRolesAcross, permissionsOfGroupsAcross, permissionsOfResourcesAcross } from '../storage/linked.ts';
import { Group, Permission, Resource, Tag, User } from './schemas.ts';

/**
 * Loads related entities of rows in many scopes at once, for REST's `relations=` and for GraphQL's
 * fields.
 */
export type Relation = RelationAcross<RbacDeps>;
type Shown = Relation & RestRelation<RbacDeps>;

type Row = Readonly<Record<string, unknown>>;
type Context = OperationContext<RbacDeps>;

export function idOf(row: Row): string {
  return String(row.id);
}
export function idsOf(rows: readonly Placed[]): string[] {
  return [...new Set(rows.map(({ row }) => idOf(row)))];
}

/** Reads in all scopes of these rows. */
export function across<Result>(
  rows: readonly Placed[],
  { deps }: Context,
  read: (tx: Transaction, scopes: readonly ParsedScope[]) => Promise<Result>,
): Promise<Result> {
  const scopes = [...new Map(rows.map(({ scope }) => [placeOf(scope), scope])).values()];
  return deps.database.across(scopes, (tx) => read(tx, scopes));
}

type Owned = { readonly at: string; readonly ownerId: string };
function ownerKey(at: string, ownerId: string): string {
  return `${at} ${ownerId}`;
}

/** The members of each row in its own scope. One row may appear in several scopes. */
export function ownedBy<Member extends Owned>(rows: readonly Placed[], members: readonly Member[]): Omit<Member, keyof Owned>[][] {
  const byOwner = Map.groupBy(members, ({ at, ownerId }) => ownerKey(at, ownerId));
  return rows.map(({ row, scope }) =>
    (byOwner.get(ownerKey(placeOf(scope), idOf(row))) ?? []).map(({ at: _, ownerId: __, ...member }) => member),
  );
}

export function tagsOf(entity: TaggedEntity): Shown {
  return {
    permission: 'Tag:Query',
    schema: Type.Array(Tag),
    loadAcross: async (rows, context) => {
      const tags = await across(rows, context, (tx, scopes) => listTags(tx, scopes, entity, idsOf(rows)));
      return ownedBy(rows, tags);
    },
  };
}

function linked<Member extends { readonly ownerId: string }>(
  permission: Relation['permission'],
  schema: TSchema,
  members: AcrossQuery<{ readonly ownerIds: readonly string[] }, Member>,
): Shown {
  return {
    permission,
    schema: Type.Array(schema),
    loadAcross: async (rows, context) =>
      ownedBy(rows, await across(rows, context, (tx, scopes) => readAcross(tx, members, scopes, { ownerIds: idsOf(rows) }))),
  };
}

export const groupsOfRoles = linked('Group:Query', Group, groupsOfRolesAcross);
export const permissionsOfGroups = linked('Permission:Query', Permission, permissionsOfGroupsAcross);
export const permissionsOfResources = linked('Permission:Query', Permission, permissionsOfResourcesAcross);

export const resourceOfPermissions: Shown = {
  permission: 'Resource:Query',
  schema: Nullable(Resource),
  loadAcross: async (rows, context) => {
    const ids = [...new Set(rows.map(({ row }) => String(row.resourceId)))];
    const found = await across(rows, context, (tx, scopes) => readAcross(tx, resourceTable.byIds, scopes, { ids }));
    const byPlace = new Map(found.map(({ at, ...resource }) => [ownerKey(at, resource.id), resource]));
    return rows.map(({ row, scope }) => byPlace.get(ownerKey(placeOf(scope), String(row.resourceId))) ?? null);
  },
};

type Holders = (tx: Transaction, scopes: readonly ParsedScope[], ids: readonly string[]) => Promise<Holding[]>;

function usersBy(list: Holders): Shown {
  return {
    permission: 'User:Query',
    schema: Type.Array(User),
    loadAcross: async (rows, context) => {
      const holdings = await across(rows, context, (tx, scopes) => list(tx, scopes, idsOf(rows)));
      const people = await context.deps.findPeople([...new Set(holdings.map(({ userId }) => userId))]);
      const byId = new Map(people.map((person) => [person.id, person]));
      return ownedBy(rows, holdings).map((own) =>
        own
          // A copy for each scope: the kernel remembers per object in which scope it was read.
          .flatMap(({ userId }) => {
            const person = byId.get(userId);
            return person === undefined ? [] : { ...person };
          })
          .filter(({ deletedAt }) => deletedAt === null)
          .sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1)),
      );
    },
  };
}

export const usersOfRoles = usersBy(listUsersOfRoles);
export const usersOfGroups = usersBy(listUsersOfGroups);
