import { type Params, statement, type Transaction } from '@tessera/kernel/postgres';
import { sql } from 'kysely';
import { query } from './query.ts';

const now = sql<string>`now()`;

const deletePermissions = statement('rbac_delete_permissions_of_resource', (p: Params<{ resourceId: string }>) =>
  query
    .updateTable('permissions')
    .set({ deletedAt: now, updatedAt: now })
    .where('resourceId', '=', p.resourceId)
    .where('deletedAt', 'is', null),
);
/** Softly deletes the permissions of a resource that is deleted; returns how many. */
export function deletePermissionsOf(tx: Transaction, resourceId: string): Promise<number> {
  return tx.execute(deletePermissions, { resourceId });
}

type SlugOf = { readonly projectId: string; readonly resourceId: string; readonly slug: string | null };

const updateSlug = statement('rbac_set_slug', (p: Params<SlugOf>) =>
  query.updateTable('project_resources').set({ slug: p.slug }).where('projectId', '=', p.projectId).where('resourceId', '=', p.resourceId),
);
/**
 * Throws a unique violation when the project has the slug already. Null makes the slug free again.
 */
export function setSlug(tx: Transaction, { projectId, resourceId, slug }: SlugOf): Promise<number> {
  return tx.execute(updateSlug, { projectId, resourceId, slug });
}

const takenSlugs = statement('rbac_taken_slugs', (p: Params<{ projectId: string; slug: string }>) =>
  query
    .selectFrom('project_resources')
    .select('slug')
    .where('projectId', '=', p.projectId)
    .where(({ or, eb, fn, val }) => or([eb('slug', '=', p.slug), fn<boolean>('starts_with', ['slug', sql`${p.slug} || ${val('-')}`])]))
    .unionAll(query.selectFrom('resources').select('slug').where('isBuiltIn', '=', sql.lit(true)).where('slug', '=', p.slug)),
);
/** The slugs that this one would meet in the project: itself, and itself with a suffix. */
export async function listTakenSlugs(tx: Transaction, projectId: string, slug: string): Promise<string[]> {
  return (await tx.query(takenSlugs, { projectId, slug })).flatMap((row) => row.slug ?? []);
}
