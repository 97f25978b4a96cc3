import type { OutgoingEvent } from '@tessera/kernel/events';
import type { Transaction } from '@tessera/kernel/postgres';
import type { UserRest } from '@tessera/proto/events';
import { userUpdated } from '../../person-event.ts';
import { lockPerson, updatePerson } from '../../storage/people.ts';

/** identity's part of a change of a user: the profile, and the tags, which rbac keeps. */
export async function applyRest(tx: Transaction, { userId, profile, tagged }: UserRest, now: Date) {
  const person = await updatePerson(tx, userId, profile, now);
  if (person === undefined) return undefined;
  const tags: OutgoingEvent[] = tagged === undefined ? [] : [{ type: 'entity.tagged', key: userId, payload: tagged }];
  return { person, events: [...tags, await userUpdated(tx, userId)] };
}

/**
 * The same when rbac's event brings it back: the process of the request may have died. A person who
 * has changed since then stays as they are: a late event must not undo a newer change.
 */
export async function finishChange(tx: Transaction, rest: UserRest, now: Date): Promise<readonly OutgoingEvent[]> {
  const person = await lockPerson(tx, rest.userId);
  return person?.updatedAt === rest.seenAt ? ((await applyRest(tx, rest, now))?.events ?? []) : [];
}
