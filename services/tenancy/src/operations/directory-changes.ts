/** What rbac hears of a directory's groups, in the transaction that changes them (decision 30). */
import type { OutgoingEvent } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import { directoryChanged } from '../events.ts';
import { listGroupStates, listPersonStates, listRowsInGroups, type PersonState } from '../storage/directory-groups.ts';
import { findDetached } from '../storage/members.ts';

const mostPeople = 1_000;
/** Of the groups of all people in an event. */
const mostGroupIds = 5_000;

/** In portions that a message and a transaction of rbac can take. */
export function portionsOf(people: readonly PersonState[]): PersonState[][] {
  const portions: PersonState[][] = [[]];
  let size = 0;
  for (const person of people) {
    const last = portions.at(-1) ?? [];
    if (last.length >= mostPeople || (last.length > 0 && size + person.groupIds.length > mostGroupIds)) {
      portions.push([person]);
      size = person.groupIds.length;
    } else {
      last.push(person);
      size += person.groupIds.length;
    }
  }
  return portions;
}

type Change = {
  readonly organizationId: string;
  readonly groupIds?: readonly string[];
  readonly deletedGroupId?: string;
  /** Rows of the directory whose groups or accounts have changed. They are locked. */
  readonly rowIds?: readonly string[];
  /** The accounts of rows that are deleted. */
  readonly goneUserIds?: readonly string[];
  readonly by: string | null;
};

/** The state after the change, so that an event can be repeated. */
export async function directoryEvents(
  tx: Transaction,
  { organizationId, groupIds = [], deletedGroupId, rowIds = [], goneUserIds = [], by }: Change,
): Promise<OutgoingEvent[]> {
  const states = (await listGroupStates(tx, organizationId, groupIds)).map((group) => ({ ...group, isDeleted: false }));
  const gone = deletedGroupId === undefined ? [] : [{ id: deletedGroupId, name: '', memberCount: 0, isDeleted: true }];
  const present = rowIds.length === 0 ? [] : await listPersonStates(tx, organizationId, rowIds);
  const detached = await findDetached(tx, organizationId, goneUserIds);
  const people = [...present, ...goneUserIds.map((userId) => ({ userId, groupIds: [], isDetached: detached.has(userId) }))];
  const portions = portionsOf(people);
  // A group is deleted last, when it is empty, so that rbac looks at few people at once.
  return portions.map((portion, index) => {
    const groups = [...(index === 0 ? states : []), ...(index === portions.length - 1 ? gone : [])];
    return directoryChanged({ organizationId, groups, people: portion, by });
  });
}

/** After people have become members: the groups in which the directory has them. */
export async function directoryEventsOf(tx: Transaction, organizationId: string, ...userIds: readonly string[]): Promise<OutgoingEvent[]> {
  const rowIds = await listRowsInGroups(tx, organizationId, userIds);
  return rowIds.length === 0 ? [] : directoryEvents(tx, { organizationId, rowIds, by: null });
}
