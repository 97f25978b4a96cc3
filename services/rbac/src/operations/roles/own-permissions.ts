import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import type { Transaction } from '@tessera/kernel/postgres';
import { errors } from '../../errors.ts';
import { readScope } from '../../storage/across.ts';
import { permissionTable, resourceTable } from '../../storage/entity-tables.ts';
import { listActionsOfPermissions } from '../../storage/given-actions.ts';
import { permissionsOfGroupsAcross, permissionsOfResourcesAcross } from '../../storage/linked.ts';
import { addLink, groupPermissions, replaceLinks, roleGroups } from '../../storage/links.ts';
import { findOwnGroupOf } from '../../storage/own-groups.ts';
import type { GroupRow, PermissionRow } from '../../storage/records.ts';
import { insertEntity } from '../../storage/scoped-entity.ts';
import { assertHolds } from '../actor.ts';
import { findAll } from '../entity.ts';
import { assertAction } from '../permissions/rules.ts';
import type { Write } from '../write.ts';
import { insertOwnGroup } from './own-group.ts';

type OfResource = { readonly resourceId: string; readonly actions: readonly string[] };
type Pair = Pick<PermissionRow, 'resourceId' | 'action'>;

/** Each may be a new permission, which is made while the scope is locked. */
const mostActions = 1_000;
const field = 'permissions';

/** 400 for a group that another role has of its own: what is set there would be given here too. */
export function assertGivable(groups: readonly GroupRow[], roleId?: string): void {
  const foreign = groups.find((group) => group.roleId !== null && group.roleId !== roleId);
  if (foreign) throw errors.ownGroup({ params: { group: foreign.name }, extensions: { field: 'groupIds' } });
}

function keyOf({ resourceId, action }: Pair): string {
  return `${resourceId}:${action}`;
}

function pairsOf(wanted: readonly OfResource[]): Map<string, Pair> {
  const pairs = wanted.flatMap(({ resourceId, actions }) => actions.map((action) => ({ resourceId, action })));
  return new Map(pairs.map((pair) => [keyOf(pair), pair]));
}

/** By resource, as the input names them. */
function byResource(pairs: Iterable<Pair>): OfResource[] {
  const grouped = Map.groupBy(pairs, ({ resourceId }) => resourceId);
  return [...grouped]
    .map(([resourceId, own]) => ({ resourceId, actions: [...new Set(own.map(({ action }) => action))].toSorted() }))
    .toSorted((a, b) => (a.resourceId < b.resourceId ? -1 : 1));
}

export type OwnPermissions = {
  readonly before: readonly OfResource[];
  readonly after: readonly OfResource[];
  /** The group, when the role has just got it. */
  readonly newGroupId: string | undefined;
  readonly isMore: boolean;
};

/**
 * Leaves the role's own group exactly these actions, and makes what is missing: the group, and
 * permissions without a condition. A permission that the group has under a condition stays while
 * its action is named.
 */
export async function setOwnPermissions(
  tx: Transaction,
  write: Write,
  role: { readonly id: string; readonly name: string },
  wanted: readonly OfResource[],
): Promise<OwnPermissions> {
  const { scope, actor, alsoNeeds } = write;
  const pairs = pairsOf(wanted);
  if (pairs.size > mostActions)
    throw failures.validation(field, {
      en: `may name at most ${mostActions} actions`,
      de: `darf höchstens ${mostActions} Aktionen nennen`,
    });
  const group = await findOwnGroupOf(tx, role.id);
  const held = group?.isGiven ? await readScope(tx, permissionsOfGroupsAcross, scope, { ownerIds: [group.id] }) : [];
  const kept = held.filter((permission) => pairs.has(keyOf(permission)));
  const isKept = new Set(kept.map(keyOf));
  const missing = [...pairs.values()].filter((pair) => !isKept.has(keyOf(pair)));
  const added = await permissionsFor(tx, write, missing);
  assertHolds(actor, await listActionsOfPermissions(tx, added));
  const before = byResource(held);
  const isSame = added.length === 0 && kept.length === held.length;
  if (isSame) return { before, after: before, newGroupId: undefined, isMore: false };
  alsoNeeds(group === undefined ? 'Group:Create' : 'Group:Update');
  const groupId = group?.id ?? (await insertOwnGroup(tx, scope, role));
  await replaceLinks(tx, groupPermissions, groupId, [...kept.map(({ id }) => id), ...added]);
  if (!group?.isGiven) await addLink(tx, roleGroups, role.id, groupId);
  return { before, after: byResource(pairs.values()), newGroupId: group?.isGiven ? undefined : groupId, isMore: added.length > 0 };
}

/**
 * Permissions of these actions without a condition: those that the scope has, and new ones. A
 * customer of a product makes none, so gives what the product's roles give.
 */
async function permissionsFor(tx: Transaction, { scope, alsoNeeds }: Write, missing: readonly Pair[]): Promise<string[]> {
  if (missing.length === 0) return [];
  const resourceIds = [...new Set(missing.map(({ resourceId }) => resourceId))];
  const resources = new Map((await findAll(tx, resourceTable, scope, resourceIds)).map((resource) => [resource.id, resource]));
  const known = new Map(
    (await readScope(tx, permissionsOfResourcesAcross, scope, { ownerIds: resourceIds }))
      .filter(({ condition }) => condition === null)
      .map((permission) => [keyOf(permission), permission.id]),
  );
  const ids: string[] = [];
  for (const { resourceId, action } of missing) {
    const resource = resources.get(resourceId);
    if (resource === undefined) throw failures.notFound('Resource');
    assertAction(resource, action, field);
    const found = known.get(keyOf({ resourceId, action }));
    if (found === undefined) alsoNeeds('Permission:Create');
    const id = found ?? newId();
    if (found === undefined) await insertEntity(tx, permissionTable, scope, id, { name: `${resource.slug}:${action}`, resourceId, action });
    ids.push(id);
  }
  return ids;
}
