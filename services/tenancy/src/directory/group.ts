/** A directory's group as a resource of SCIM, and how its members change. */
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import type { Transaction } from '@tessera/kernel/postgres';
import Type from 'typebox';
import type { TenancyDeps } from '../deps.ts';
import { assertKnown, type MembersChange } from '../domain/scim/members.ts';
import type { Resource } from '../domain/scim/resource.ts';
import { groupType, userType } from '../domain/scim/schema.ts';
import { scimError } from '../errors.ts';
import {
  addGroupMembers,
  type DirectoryGroup,
  listGroupMemberIds,
  listGroupMembers,
  lockDirectoryUsers,
  removeGroupMembers,
} from '../storage/directory-groups.ts';
import { exists, locationOf, showAs } from './user.ts';

/** Whether the answer has `members`. */
export const withMembersField = { withMembers: Type.Optional(Type.Boolean()) };

/** In one answer. Larger groups are read with excludedAttributes=members. */
const mostShown = 50_000;

export function columnsOf(resource: Resource): Pick<DirectoryGroup, 'externalId' | 'attributes'> {
  const { externalId } = resource;
  return { externalId: typeof externalId === 'string' ? externalId : null, attributes: resource };
}

export async function showGroups(
  tx: Transaction,
  rows: readonly DirectoryGroup[],
  { withMembers = true, deps }: { readonly withMembers?: boolean | undefined; readonly deps: Pick<TenancyDeps, 'appUrl'> },
) {
  const [first] = rows;
  if (first === undefined) return [];
  const { organizationId } = first;
  const groupIds = rows.map(({ id }) => id);
  const found = withMembers ? await listGroupMembers(tx, { organizationId, groupIds, limit: mostShown + 1 }) : [];
  if (found.length > mostShown)
    throw scimError('tooMany', `These groups have more than ${mostShown} members. Ask with excludedAttributes=members.`);
  const base = locationOf(deps, organizationId, userType);
  const byGroup = Map.groupBy(found, ({ groupId }) => groupId);
  return rows.map((row) => {
    const members = (byGroup.get(row.id) ?? []).map(({ id, userName }) => ({
      value: id,
      $ref: base + id,
      display: userName,
      type: 'User',
    }));
    return showAs(groupType, row, members.length === 0 ? {} : { members }, deps);
  });
}

export async function showGroup(tx: Transaction, row: DirectoryGroup, options: Parameters<typeof showGroups>[2]) {
  const [shown] = await showGroups(tx, [row], options);
  if (shown === undefined) throw failures.notFound('Group');
  return shown;
}

/** 409 uniqueness in the place of a violated index. */
export function refuseTakenGroup(error: unknown): never {
  throw isUniqueViolation(error, 'directory_groups_external_id') ? exists('externalId') : error;
}

export type MembersChanged = { readonly added: readonly string[]; readonly removed: readonly string[] };

/**
 * Adds and removes the members. The group is locked already; its people are locked here, so that
 * none of them is linked to an account while their groups are read.
 */
export async function changeMembers(
  tx: Transaction,
  { organizationId, id: groupId }: Pick<DirectoryGroup, 'organizationId' | 'id'>,
  { isWhole, added, removed }: MembersChange,
): Promise<MembersChanged> {
  const before = new Set(await listGroupMemberIds(tx, { organizationId, groupId }));
  const leaving = isWhole ? [...before].filter((id) => !added.has(id)) : [...removed].filter((id) => before.has(id));
  const coming = [...added].filter((id) => !before.has(id));
  if (coming.length + leaving.length === 0) return { added: [], removed: [] };
  const known = new Set(await lockDirectoryUsers(tx, organizationId, [...coming, ...leaving]));
  assertKnown(coming, known);
  await removeGroupMembers(tx, { organizationId, groupId, ids: leaving });
  await addGroupMembers(tx, { organizationId, groupId, ids: coming });
  return { added: coming, removed: leaving };
}
