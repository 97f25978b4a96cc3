import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Person } from '../domain/person.ts';
import type { PeoplePlace } from './people-page.ts';
import { query } from './query.ts';

/**
 * Adds a person; a known one keeps their fields. False for a deleted one: later events about them
 * do not count.
 */
export async function addPerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<boolean> {
  const person = await tx.one(
    query
      .insertInto('people')
      .values({ userId, name, email, createdAt: at, updatedAt: at })
      // The update changes nothing: it locks the row of a known person and returns it.
      .onConflict((conflict) => conflict.column('userId').doUpdateSet(({ ref }) => ({ userId: ref('people.userId') })))
      .returning('people.deletedAt'),
  );
  return person?.deletedAt === null;
}

/** Changes name and address in every table that repeats them. A deleted person stays unchanged. */
export async function renamePerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<void> {
  // The row lock comes first: `addMember` waits for it, so it cannot copy the old name.
  const changed = await tx.execute(
    query
      .insertInto('people')
      .values({ userId, name, email, createdAt: at, updatedAt: at })
      .onConflict((conflict) =>
        conflict.column('userId').doUpdateSet({ name, email, updatedAt: at }).where('people.deletedAt', 'is', null),
      ),
  );
  if (changed === 0) return;
  const copy = { name, email, userUpdatedAt: at };
  await Promise.all([
    tx.execute(query.updateTable('organization_users').set(copy).where('userId', '=', userId)),
    tx.execute(query.updateTable('project_users').set(copy).where('userId', '=', userId)),
  ]);
}

/** Deletes a person and all their memberships. A tombstone without name and address stays. */
export async function deletePerson(tx: Transaction, userId: string, at: string): Promise<void> {
  const tombstone = { name: '', email: null, updatedAt: at, deletedAt: at };
  await tx.execute(
    query
      .insertInto('people')
      .values({ userId, createdAt: at, ...tombstone })
      .onConflict((conflict) => conflict.column('userId').doUpdateSet(tombstone).where('people.deletedAt', 'is', null)),
  );
  await Promise.all([
    tx.execute(query.deleteFrom('organization_users').where('userId', '=', userId)),
    tx.execute(query.deleteFrom('project_users').where('userId', '=', userId)),
  ]);
}

export async function personExists(tx: Transaction, userId: string): Promise<boolean> {
  const person = await tx.one(query.selectFrom('people').where('userId', '=', userId).where('deletedAt', 'is', null).select('userId'));
  return person !== undefined;
}

const filterMembers = statement('people_filter_members', (p: Params<{ organizationId: string; userIds: readonly string[] }>) =>
  query
    .selectFrom('organization_users')
    .where('organizationId', '=', p.organizationId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .select('userId'),
);
const filterProjectUsers = statement('people_filter_project_users', (p: Params<{ projectId: string; userIds: readonly string[] }>) =>
  query
    .selectFrom('project_users')
    .where('projectId', '=', p.projectId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .select('userId'),
);

/** The ones of these users who belong to the organization or the project, in any order. */
export async function filterPeople(tx: Transaction, place: PeoplePlace, userIds: readonly string[]): Promise<string[]> {
  const rows =
    'organizationId' in place
      ? await tx.query(filterMembers, { organizationId: place.organizationId, userIds })
      : await tx.query(filterProjectUsers, { projectId: place.projectId, userIds });
  return rows.map(({ userId }) => userId);
}
