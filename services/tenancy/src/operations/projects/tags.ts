import { failures } from '@tessera/kernel/errors';
import { type Relation, scopeOf } from '@tessera/kernel/operation';
import type { TenancyDeps } from '../../deps.ts';
import type { Project } from '../../domain/project.ts';
import { type Context, idOf, idsOf } from '../related.ts';

type Tagging = { readonly tagIds?: string[]; readonly primaryTagId?: string | null };

/** Refuses tags that do not exist in the scope, and a primary one that is not among those given. */
export async function checkTags({ tagIds, primaryTagId }: Tagging, context: Context): Promise<void> {
  if (primaryTagId !== undefined && primaryTagId !== null && tagIds !== undefined && !tagIds.includes(primaryTagId))
    throw failures.validation('primaryTagId', 'is one of tagIds');
  const wanted = [...new Set([...(tagIds ?? []), ...(typeof primaryTagId === 'string' ? [primaryTagId] : [])])];
  if (wanted.length === 0) return;
  const { tenant, id } = scopeOf(context);
  const { missing } = await context.deps.tags.checkTags({ scope: { tenant, id }, tagIds: wanted });
  if (missing.length > 0) throw failures.validation('tagIds', 'names a tag that does not exist here');
}

/** Projects as clients see them: rbac keeps their tags, and is asked once for all. */
export async function showProjects(projects: readonly Project[], context: Context): Promise<(Project & { primaryTagId: string | null })[]> {
  if (projects.length === 0) return [];
  const { tenant, id } = scopeOf(context);
  const entityIds = projects.map((project) => project.id);
  const { entities } = await context.deps.tags.listEntityTags({ scope: { tenant, id }, entity: 'project', entityIds });
  const primary = new Map(entities.map(({ entityId, primaryTagId }) => [entityId, primaryTagId]));
  return projects.map((project) => ({ ...project, primaryTagId: primary.get(project.id) ?? null }));
}

export async function showProject(project: Project, context: Context): Promise<Project & { primaryTagId: string | null }> {
  const [shown] = await showProjects([project], context);
  return shown ?? { ...project, primaryTagId: null };
}

/** In the graph also of projects that another row brought along. */
export const primaryTags: Relation<TenancyDeps> = {
  permission: { none: 'an id; what it stands for is rbac’s to show' },
  load: async (rows, context) => {
    const missing = rows.filter((row) => row.primaryTagId === undefined);
    if (missing.length === 0 || context.scope === undefined) return rows.map((row) => row.primaryTagId ?? null);
    const { tenant, id } = context.scope;
    const { entities } = await context.deps.tags.listEntityTags({ scope: { tenant, id }, entity: 'project', entityIds: idsOf(missing) });
    const primary = new Map(entities.map(({ entityId, primaryTagId }) => [entityId, primaryTagId]));
    return rows.map((row) => row.primaryTagId ?? primary.get(idOf(row)) ?? null);
  },
};
