import { statement, type Transaction } from '@tessera/kernel/postgres';

const add = statement(
  'project_users_add',
  `WITH project AS (
     SELECT p.id, op.organization_id, ap.account_id FROM projects p
     LEFT JOIN organization_projects op ON op.project_id = p.id LEFT JOIN account_projects ap ON ap.project_id = p.id
     WHERE p.id = $1 AND p.deleted_at IS NULL AND coalesce(op.organization_id, ap.account_id) = $2 FOR SHARE OF p
   ), person AS (
     SELECT user_id, name, email, created_at, updated_at FROM people WHERE user_id = $3 AND deleted_at IS NULL AND closing_at IS NULL FOR SHARE
   )
   INSERT INTO project_users (project_id, user_id, organization_id, account_id, name, email, user_created_at, user_updated_at)
   SELECT project.id, p.user_id, project.organization_id, project.account_id, p.name, p.email, p.created_at, p.updated_at FROM project, person p
   ON CONFLICT DO NOTHING`,
);

/** Adds a living person to a living project of this account or organization; nothing when either is gone or it was done before. */
export async function addProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<void> {
  await tx.execute(add, [projectId, parentId, userId]);
}

const remove = statement('project_users_remove', 'DELETE FROM project_users WHERE project_id = $1 AND parent_id = $2 AND user_id = $3');

/** True when there was one. */
export async function removeProjectUser(tx: Transaction, parentId: string, projectId: string, userId: string): Promise<boolean> {
  return (await tx.execute(remove, [projectId, parentId, userId])) > 0;
}
