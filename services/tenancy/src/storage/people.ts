import { statement, type Transaction } from '@tessera/kernel/postgres';
import type { Person } from '../domain/person.ts';
import type { PeoplePlace } from './people-page.ts';

const upsert = statement(
  'people_upsert',
  `INSERT INTO people (user_id, name, email, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
   ON CONFLICT (user_id) DO UPDATE SET user_id = people.user_id
   RETURNING deleted_at IS NULL AS "isAlive"`,
);

/** Notes a person; one that is known keeps what is known. False for one that was deleted: what is told of them later is void. */
export async function addPerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<boolean> {
  return (await tx.one<{ isAlive: boolean }>(upsert, [userId, name, email, at]))?.isAlive === true;
}

const rename = statement(
  'people_rename',
  `INSERT INTO people (user_id, name, email, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
   ON CONFLICT (user_id) DO UPDATE SET name = $2, email = $3, updated_at = $4 WHERE people.deleted_at IS NULL
   RETURNING user_id`,
);
const renameMembers = statement(
  'people_rename_members',
  'UPDATE organization_users SET name = $2, email = $3, user_updated_at = $4 WHERE user_id = $1',
);
const renameProjectUsers = statement(
  'people_rename_project_users',
  'UPDATE project_users SET name = $2, email = $3, user_updated_at = $4 WHERE user_id = $1',
);

/** A person's new name and address, everywhere they are repeated. Nothing for one that was deleted. */
export async function renamePerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<void> {
  const values = [userId, name, email, at];
  // The row lock comes first: whoever copies the name into a pivot waits for it (addMember), and so can't copy the old one.
  if ((await tx.one(rename, values)) === undefined) return;
  await Promise.all([tx.execute(renameMembers, values), tx.execute(renameProjectUsers, values)]);
}

const bury = statement(
  'people_bury',
  `INSERT INTO people (user_id, name, email, created_at, updated_at, deleted_at) VALUES ($1, '', NULL, $2, $2, $2)
   ON CONFLICT (user_id) DO UPDATE SET name = '', email = NULL, updated_at = $2, deleted_at = $2 WHERE people.deleted_at IS NULL`,
);
const leaveOrganizations = statement('people_leave_organizations', 'DELETE FROM organization_users WHERE user_id = $1');
const leaveProjects = statement('people_leave_projects', 'DELETE FROM project_users WHERE user_id = $1');

/** Ends a person and all their memberships; a tombstone stays, without name and address. */
export async function deletePerson(tx: Transaction, userId: string, at: string): Promise<void> {
  await tx.execute(bury, [userId, at]);
  await Promise.all([tx.execute(leaveOrganizations, [userId]), tx.execute(leaveProjects, [userId])]);
}

const isLiving = statement('people_is_living', 'SELECT user_id FROM people WHERE user_id = $1 AND deleted_at IS NULL');

export async function personExists(tx: Transaction, userId: string): Promise<boolean> {
  return (await tx.one(isLiving, [userId])) !== undefined;
}

const filterMembers = statement(
  'people_filter_members',
  'SELECT user_id AS "userId" FROM organization_users WHERE organization_id = $1 AND user_id = ANY ($2::uuid[])',
);
const filterProjectUsers = statement(
  'people_filter_project_users',
  'SELECT user_id AS "userId" FROM project_users WHERE project_id = $1 AND user_id = ANY ($2::uuid[])',
);

/** Which of these belong to the organization or the project, in any order. */
export async function filterPeople(tx: Transaction, place: PeoplePlace, userIds: readonly string[]): Promise<string[]> {
  const rows =
    'organizationId' in place
      ? await tx.query<{ userId: string }>(filterMembers, [place.organizationId, userIds])
      : await tx.query<{ userId: string }>(filterProjectUsers, [place.projectId, userIds]);
  return rows.map(({ userId }) => userId);
}
