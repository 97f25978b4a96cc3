import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import type { ParsedScope } from '@tessera/kernel/scope';
import { type AliasedSelectQueryBuilder, sql } from 'kysely';
import type { Person } from '../domain/person.ts';
import { forgetPersonOfDirectories } from './directory-users.ts';
import { livingPerson, query } from './query.ts';

const add = statement('people_add', ({ userId, name, email, at }: Params<Person & { at: string }>) =>
  query
    .insertInto('people')
    .values({ userId, name, email, createdAt: at, updatedAt: at })
    // The update changes nothing: it locks the row of a known person and returns it.
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(({ ref }) => ({ userId: ref('people.userId') })))
    .returning('people.deletedAt'),
);

/**
 * Adds a person; a known one keeps their fields. False for a deleted one: later events about them
 * do not count.
 */
export async function addPerson(tx: Transaction, { userId, name, email }: Person, at: string): Promise<boolean> {
  const person = await tx.one(add, { userId, name, email, at });
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
    tx.execute(query.deleteFrom('barred_sign_ups').where('userId', '=', userId)),
    forgetPersonOfDirectories(tx, userId),
  ]);
  // After the memberships, whose trigger writes such a row.
  await tx.execute(query.deleteFrom('departed_members').where('userId', '=', userId));
}

/** Locks the person against deletion until the commit. */
export async function lockLivingPerson(tx: Transaction, userId: string): Promise<void> {
  await tx.query(livingPerson(sql.val(userId)));
}

export async function personExists(tx: Transaction, userId: string): Promise<boolean> {
  const person = await tx.one(query.selectFrom('people').where('userId', '=', userId).where('deletedAt', 'is', null).select('userId'));
  return person !== undefined;
}

type Kind = 'organization' | 'project';
type Membership = { placeId: string; userId: string; name: string };

/** The pivot of people, in one form for organizations and projects. */
function memberships(kind: Kind): AliasedSelectQueryBuilder<Membership, 'm'> {
  return kind === 'organization'
    ? query.selectFrom('organization_users').select(['organizationId as placeId', 'userId', 'name']).as('m')
    : query.selectFrom('project_users').select(['projectId as placeId', 'userId', 'name']).as('m');
}

function filterIn(kind: Kind) {
  return statement(`people_filter_${kind}`, (p: Params<{ placeId: string; userIds: readonly string[] }>) =>
    query
      .selectFrom(memberships(kind))
      .where('placeId', '=', p.placeId)
      .where('userId', '=', ({ fn }) => fn.any(p.userIds))
      .select('userId'),
  );
}
const filter = { organization: filterIn('organization'), project: filterIn('project') };
type InBoth = { organizationId: string; projectId: string; userIds: readonly string[] };
const filterInBoth = statement('people_filter_organization_project', (p: Params<InBoth>) =>
  query
    .selectFrom(memberships('organization'))
    .where('placeId', '=', p.organizationId)
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .select('userId')
    .union(
      query
        .selectFrom('project_users')
        .where('projectId', '=', p.projectId)
        .where('parentId', '=', p.organizationId)
        .where('userId', '=', ({ fn }) => fn.any(p.userIds))
        .select('userId'),
    ),
);

/** The ones of these users who belong to the organization or the project, in any order. */
export async function filterPeople(
  tx: Pick<Transaction, 'query'>,
  { organizationId, projectId }: Partial<ParsedScope>,
  userIds: readonly string[],
) {
  if (organizationId !== undefined && projectId !== undefined)
    return idsOf(await tx.query(filterInBoth, { organizationId, projectId, userIds }));
  if (projectId !== undefined) return idsOf(await tx.query(filter.project, { placeId: projectId, userIds }));
  return organizationId === undefined ? [] : idsOf(await tx.query(filter.organization, { placeId: organizationId, userIds }));
}

function idsOf(rows: readonly { readonly userId: string }[]): string[] {
  return rows.map(({ userId }) => userId);
}

function ofPlaces(kind: Kind) {
  return statement(`people_of_${kind}s`, (p: Params<{ ids: readonly string[]; limit: number }>) =>
    query
      .selectFrom(memberships(kind))
      .where('placeId', '=', ({ fn }) => fn.any(p.ids))
      .select(['placeId as parentId', 'userId'])
      .orderBy('placeId')
      .orderBy('name')
      .orderBy('userId')
      .limit(p.limit),
  );
}
const of = { organization: ofPlaces('organization'), project: ofPlaces('project') };

/** The people of several organizations, or of several projects, at most `limit` in all. */
export function listPeopleOf(tx: Pick<Transaction, 'query'>, kind: Kind, ids: readonly string[], limit: number) {
  return tx.query(of[kind], { ids, limit });
}

/** Of those who are not deleted. */
export async function namesOfPeople(tx: Transaction, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await tx.query(
    query.selectFrom('people').where('userId', 'in', userIds).where('deletedAt', 'is', null).select(['userId', 'name']),
  );
  return new Map(rows.map(({ userId, name }) => [userId, name]));
}

/** The addresses of those who can be written to. */
export async function addressesOfPeople(db: Pick<Transaction, 'query'>, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const rows = await db.query(
    query.selectFrom('people').where('userId', 'in', userIds).where('deletedAt', 'is', null).where('email', 'is not', null).select('email'),
  );
  return rows.flatMap(({ email }) => email ?? []);
}

const byIds = statement('people_by_ids', (p: Params<{ userIds: readonly string[] }>) =>
  query
    .selectFrom('people')
    .where('userId', '=', ({ fn }) => fn.any(p.userIds))
    .where('deletedAt', 'is', null)
    .select(['userId', 'name', 'email']),
);

/** Names and addresses by id. Runs as the owner, for people whose scope is authorized. */
export function findPeople(db: Pick<Transaction, 'query'>, userIds: readonly string[]) {
  return db.query(byIds, { userIds });
}
