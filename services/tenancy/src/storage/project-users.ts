import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { livingPerson, query } from './query.ts';

/**
 * Adds an existing person to an existing project of this account or organization. Nothing happens
 * if either is deleted. Can be repeated.
 */
export async function addProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<void> {
  await tx.execute(
    query
      .with('project', (db) =>
        db
          .selectFrom('projects as p')
          .leftJoin('organization_projects as op', 'op.projectId', 'p.id')
          .leftJoin('account_projects as ap', 'ap.projectId', 'p.id')
          .where('p.id', '=', projectId)
          .where('p.deletedAt', 'is', null)
          .where(({ fn }) => fn.coalesce('op.organizationId', 'ap.accountId'), '=', parentId)
          .select(['p.id', 'op.organizationId', 'ap.accountId'])
          .forShare('p'),
      )
      .with('person', () => livingPerson(sql.val(userId)))
      .insertInto('project_users')
      .columns(['projectId', 'organizationId', 'accountId', 'userId', 'name', 'email', 'userCreatedAt', 'userUpdatedAt'])
      .expression((eb) =>
        eb
          .selectFrom(['project', 'person'])
          .select(['project.id', 'project.organizationId', 'project.accountId'])
          .select(['person.userId', 'person.name', 'person.email', 'person.createdAt', 'person.updatedAt']),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** True if a row was deleted. */
export async function removeProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<boolean> {
  const deleted = await tx.execute(
    query.deleteFrom('project_users').where('projectId', '=', projectId).where('parentId', '=', parentId).where('userId', '=', userId),
  );
  return deleted > 0;
}

const usersOf = statement('project_users_count', (p: Params<{ parentId: string; projectId: string }>) =>
  query
    .selectFrom('project_users')
    .where('parentId', '=', p.parentId)
    .where('projectId', '=', p.projectId)
    .select(({ fn }) => fn.countAll<number>().as('count')),
);

/** How many people use a project, read in the scope of its account or organization. */
export async function countProjectUsers(tx: Transaction, parentId: string, projectId: string): Promise<number> {
  return Number((await tx.one(usersOf, { parentId, projectId }))?.count ?? 0);
}
