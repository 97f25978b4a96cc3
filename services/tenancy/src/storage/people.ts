import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { Person } from '../domain/person.ts';
import type { PeoplePlace } from './people-page.ts';
import { query } from './query.ts';

type PersonAt = { userId: string; name: string; email: string | null; at: string };

// The update changes nothing: it locks the row of a known person and returns it.
const add = statement('people_add', (p: Params<PersonAt>) =>
  query
    .insertInto('people')
    .values({ userId: p.userId, name: p.name, email: p.email, createdAt: p.at, updatedAt: p.at })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(({ ref }) => ({ userId: ref('people.userId') })))
    .returning('people.deletedAt'),
);

/** Adds a person; a known one keeps their fields. False for a deleted one: later events about them do not count. */
export async function addPerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<boolean> {
  return (await tx.one(add, { userId, name, email, at }))?.deletedAt === null;
}

const rename = statement('people_rename', (p: Params<PersonAt>) =>
  query
    .insertInto('people')
    .values({ userId: p.userId, name: p.name, email: p.email, createdAt: p.at, updatedAt: p.at })
    .onConflict((conflict) =>
      conflict.column('userId').doUpdateSet({ name: p.name, email: p.email, updatedAt: p.at }).where('people.deletedAt', 'is', null),
    )
    .returning('people.userId'),
);
const renameMembers = statement('people_rename_members', (p: Params<PersonAt>) =>
  query.updateTable('organization_users').set({ name: p.name, email: p.email, userUpdatedAt: p.at }).where('userId', '=', p.userId),
);
const renameProjectUsers = statement('people_rename_project_users', (p: Params<PersonAt>) =>
  query.updateTable('project_users').set({ name: p.name, email: p.email, userUpdatedAt: p.at }).where('userId', '=', p.userId),
);

/** Changes name and address in every table that repeats them. A deleted person stays unchanged. */
export async function renamePerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<void> {
  const person = { userId, name, email, at };
  // The row lock comes first: `addMember` waits for it, so it cannot copy the old name.
  if ((await tx.one(rename, person)) === undefined) return;
  await Promise.all([tx.execute(renameMembers, person), tx.execute(renameProjectUsers, person)]);
}

const markDeleted = statement('people_delete', (p: Params<{ userId: string; at: string }>) =>
  query
    .insertInto('people')
    .values({ userId: p.userId, name: '', email: null, createdAt: p.at, updatedAt: p.at, deletedAt: p.at })
    .onConflict((conflict) =>
      conflict
        .column('userId')
        .doUpdateSet({ name: '', email: null, updatedAt: p.at, deletedAt: p.at })
        .where('people.deletedAt', 'is', null),
    ),
);
const leaveOrganizations = statement('people_leave_organizations', (p: Params<{ userId: string }>) =>
  query.deleteFrom('organization_users').where('userId', '=', p.userId),
);
const leaveProjects = statement('people_leave_projects', (p: Params<{ userId: string }>) =>
  query.deleteFrom('project_users').where('userId', '=', p.userId),
);

/** Deletes a person and all their memberships. A tombstone without name and address stays. */
export async function deletePerson(tx: Transaction, userId: string, at: string): Promise<void> {
  await tx.execute(markDeleted, { userId, at });
  await Promise.all([tx.execute(leaveOrganizations, { userId }), tx.execute(leaveProjects, { userId })]);
}

const findLiving = statement('people_find_living', (p: Params<{ userId: string }>) =>
  query.selectFrom('people').where('userId', '=', p.userId).where('deletedAt', 'is', null).select('userId'),
);

export async function personExists(tx: Transaction, userId: string): Promise<boolean> {
  return (await tx.one(findLiving, { userId })) !== undefined;
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
