import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { livingPerson, query } from './query.ts';

type Place = { parentId: string; projectId: string; userId: string };

const add = statement('project_users_add', (p: Params<Place>) =>
  query
    .with('project', (db) =>
      db
        .selectFrom('projects as p')
        .leftJoin('organization_projects as op', 'op.projectId', 'p.id')
        .leftJoin('account_projects as ap', 'ap.projectId', 'p.id')
        .where('p.id', '=', p.projectId)
        .where('p.deletedAt', 'is', null)
        .where(({ fn }) => fn.coalesce('op.organizationId', 'ap.accountId'), '=', p.parentId)
        .select(['p.id', 'op.organizationId', 'ap.accountId'])
        .forShare('p'),
    )
    .with('person', () => livingPerson(p.userId))
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

/** Adds an existing person to an existing project of this account or organization. Nothing happens if either is deleted. Can be repeated. */
export async function addProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<void> {
  await tx.execute(add, { parentId, projectId, userId });
}

const remove = statement('project_users_remove', (p: Params<Place>) =>
  query.deleteFrom('project_users').where('projectId', '=', p.projectId).where('parentId', '=', p.parentId).where('userId', '=', p.userId),
);

/** True if a row was deleted. */
export async function removeProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<boolean> {
  return (await tx.execute(remove, { parentId, projectId, userId })) > 0;
}
