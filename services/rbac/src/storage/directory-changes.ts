/** Changes of what large groups give, which are applied in portions (docs/decisions/030). */
import { type Database, type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Scope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import { query } from './query.ts';

const columns = ['organizationId', 'groupId', 'tenant', 'scopeId', 'actorId', 'afterUserId', 'peopleCount', 'doneCount'] as const;

type Key = { readonly groupId: string; readonly scopeId: string };

function byKey(p: Params<Key>) {
  return query.selectFrom('directory_changes').where('groupId', '=', p.groupId).where('scopeId', '=', p.scopeId).select(columns);
}
const lock = statement('directory_changes_lock', (p: Params<Key>) => byKey(p).forUpdate());
export type DirectoryChange = Awaited<ReturnType<typeof lockDirectoryChange>> & {};

/** Undefined when another process has finished it. Locked until the commit. */
export function lockDirectoryChange(tx: Transaction, key: Key) {
  return tx.one(lock, key);
}

export type NewDirectoryChange = Key &
  Pick<Scope, 'tenant'> & { readonly organizationId: string; readonly actorId: string; readonly peopleCount: number };

/** From the first person on, also when the former change of the group has not reached them all. */
export async function putDirectoryChange(tx: Transaction, change: NewDirectoryChange): Promise<void> {
  await tx.execute(
    query
      .insertInto('directory_changes')
      .values(change)
      .onConflict((conflict) =>
        conflict.columns(['groupId', 'scopeId']).doUpdateSet(({ ref }) => ({
          actorId: ref('excluded.actorId'),
          peopleCount: ref('excluded.peopleCount'),
          afterUserId: null,
          doneCount: 0,
        })),
      ),
  );
}

export async function deleteDirectoryChange(tx: Transaction, { groupId, scopeId }: Key): Promise<void> {
  await tx.execute(query.deleteFrom('directory_changes').where('groupId', '=', groupId).where('scopeId', '=', scopeId));
}

const advance = statement('directory_changes_advance', (p: Params<Key & { afterUserId: string; doneCount: number }>) =>
  query
    .updateTable('directory_changes')
    .set({ afterUserId: p.afterUserId, doneCount: sql<number>`done_count + ${p.doneCount}`, turnAt: sql<string>`clock_timestamp()` })
    .where('groupId', '=', p.groupId)
    .where('scopeId', '=', p.scopeId),
);

/** So many more people are done, up to this one. */
export async function advanceDirectoryChange(
  tx: Transaction,
  { groupId, scopeId }: Key,
  done: { readonly afterUserId: string; readonly doneCount: number },
): Promise<void> {
  await tx.execute(advance, { groupId, scopeId, ...done });
}

const postpone = statement('directory_changes_postpone', (p: Params<Key>) =>
  query
    .updateTable('directory_changes')
    .set({ turnAt: sql<string>`clock_timestamp()` })
    .where('groupId', '=', p.groupId)
    .where('scopeId', '=', p.scopeId),
);

/** After a failure: the others come first. Runs as the owner. */
export async function postponeDirectoryChange(tx: Transaction, { groupId, scopeId }: Key): Promise<void> {
  await tx.execute(postpone, { groupId, scopeId });
}

const next = statement('directory_changes_next', () => query.selectFrom('directory_changes').orderBy('turnAt').limit(1).select(columns));

/** The one whose last turn is longest ago. Runs as the owner. */
export async function findNextDirectoryChange(db: Pick<Database, 'query'>) {
  const [change] = await db.query(next, {});
  return change;
}

type OfGroups = { readonly organizationId: string; readonly scopeId: string; readonly groupIds: readonly string[] };
const ofGroups = statement('directory_changes_of_groups', (p: Params<OfGroups>) =>
  query
    .selectFrom('directory_changes')
    .where('organizationId', '=', p.organizationId)
    .where('scopeId', '=', p.scopeId)
    .where('groupId', '=', ({ fn }) => fn.any(p.groupIds))
    .select(['groupId', 'peopleCount', 'doneCount']),
);

/** How far the changes of these groups are in the scope. */
export function listDirectoryChanges(tx: Transaction, of: OfGroups) {
  return tx.query(ofGroups, of);
}

type After = { readonly organizationId: string; readonly groupId: string; readonly afterUserId: string | null; readonly limit: number };
const peopleAfter = statement('directory_people_after', (p: Params<After>) =>
  query
    .selectFrom('directory_people')
    .where('organizationId', '=', p.organizationId)
    .where('groupId', '=', p.groupId)
    .where(({ eb, or }) => or([sql<boolean>`${p.afterUserId}::uuid IS NULL`, eb('userId', '>', p.afterUserId)]))
    .orderBy('userId')
    .limit(p.limit)
    .select('userId'),
);

/** The people of a group by their ids, from the one after `afterUserId` on. */
export async function listPeopleAfter(tx: Transaction, after: After): Promise<string[]> {
  return (await tx.query(peopleAfter, after)).map(({ userId }) => userId);
}

const countPeople = statement('directory_people_count', (p: Params<{ organizationId: string; groupId: string }>) =>
  query
    .selectFrom('directory_people')
    .where('organizationId', '=', p.organizationId)
    .where('groupId', '=', p.groupId)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

export async function countPeopleOfGroup(tx: Transaction, organizationId: string, groupId: string): Promise<number> {
  return Number((await tx.one(countPeople, { organizationId, groupId }))?.count ?? 0);
}
