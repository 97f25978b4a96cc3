import { failures } from '@tessera/kernel/errors';
import { type Relation, type Row, rowScope, scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { TenancyDeps } from '../../deps.ts';
import type { Project } from '../../domain/project.ts';
import type { ProjectTags } from '../../events.ts';
import { type Context, idOf, type Related } from '../related.ts';

type Tagging = { readonly tagIds?: string[] | undefined; readonly primaryTagId?: string | null | undefined };

/** Refuses tags that do not exist in the scope, and a primary tag that is not one of `tagIds`. */
export async function checkTags({ tagIds, primaryTagId }: Tagging, context: Context): Promise<void> {
  if (primaryTagId !== undefined && primaryTagId !== null && tagIds !== undefined && !tagIds.includes(primaryTagId))
    throw failures.validation('primaryTagId', { en: 'must be one of tagIds', de: 'muss eines von tagIds sein' });
  const wanted = [...new Set([...(tagIds ?? []), ...(typeof primaryTagId === 'string' ? [primaryTagId] : [])])];
  if (wanted.length === 0) return;
  const { tenant, id } = scopeOf(context);
  const { missing } = await context.deps.tags.checkTags({ scope: { tenant, id }, tagIds: wanted });
  if (missing.length > 0)
    throw failures.validation('tagIds', { en: 'names a tag that does not exist here', de: 'nennt ein Tag, das es hier nicht gibt' });
}

type TagUpdate = { readonly before: ProjectTags; readonly after: ProjectTags };

/**
 * The project's tags before and after an update; a field that is left out keeps its value.
 * Undefined when the update names no tags.
 */
export async function planTags(projectId: string, { tagIds, primaryTagId }: Tagging, context: Context): Promise<TagUpdate | undefined> {
  if (tagIds === undefined && primaryTagId === undefined) return undefined;
  await checkTags({ tagIds, primaryTagId }, context);
  const { tenant, id } = scopeOf(context);
  const { entities } = await context.deps.tags.listEntityTags({ scope: { tenant, id }, entity: 'project', entityIds: [projectId] });
  const [current] = entities;
  const before = { tagIds: (current?.tags ?? []).map((tag) => tag.id).toSorted(), primaryTagId: current?.primaryTagId ?? null };
  const primary = primaryTagId === undefined ? before.primaryTagId : primaryTagId;
  const wanted = [...new Set([...(tagIds ?? before.tagIds), ...(tagIds === undefined && primary !== null ? [primary] : [])])];
  return { before, after: { tagIds: wanted, primaryTagId: primary !== null && wanted.includes(primary) ? primary : null } };
}

type ProjectInParent = { readonly id: string; readonly parent: Scope | undefined };

/** By project id: one call to rbac for all projects, whatever their parents. */
async function primaryTagsOf(projectsInParents: readonly ProjectInParent[], { tags }: TenancyDeps): Promise<ReadonlyMap<string, string>> {
  const projects = projectsInParents.flatMap(({ id, parent }) =>
    parent ? [{ parent: { tenant: parent.tenant, id: parent.id }, projectId: id }] : [],
  );
  if (projects.length === 0) return new Map();
  const { tags: primary } = await tags.listPrimaryTags({ projects });
  return new Map(primary.map(({ projectId, tagId }) => [projectId, tagId]));
}

/** Adds the primary tag to each project. */
export async function showProjects(projects: readonly Project[], { scope, deps }: Context) {
  const placed = projects.map(({ id }) => ({ id, parent: scope }));
  const primary = await primaryTagsOf(placed, deps);
  return projects.map((project) => ({ ...project, primaryTagId: primary.get(project.id) ?? null }));
}

export async function showProject(project: Project, context: Context) {
  const [shown = { ...project, primaryTagId: null }] = await showProjects([project], context);
  return shown;
}

/** For REST: adds the primary tag to projects that are the related rows of another record. */
export function withPrimaryTags(projects: Related): Related {
  return {
    ...projects,
    loadAcross: async (rows, context) => {
      const lists = (await projects.loadAcross(rows, context)) as readonly Row[][];
      const placed = lists.flatMap((list, index) => list.map((project) => ({ id: idOf(project), parent: rows[index]?.scope })));
      const primary = await primaryTagsOf(placed, context.deps);
      return lists.map((list) => list.map((project) => ({ ...project, primaryTagId: primary.get(idOf(project)) ?? null })));
    },
  };
}

/** For GraphQL, which loads the field only when the query selects it. */
export const primaryTags: Relation<TenancyDeps> = {
  permission: { none: 'it is only an id; rbac authorizes reading the tag' },
  scopeOf: () => undefined,
  load: async (rows, { deps, scope }) => {
    const missing = rows.filter((row) => row.primaryTagId === undefined);
    const projectsInParents = missing.map((row) => ({ id: idOf(row), parent: rowScope(row) ?? scope }));
    const primary = await primaryTagsOf(projectsInParents, deps);
    return rows.map((row) => row.primaryTagId ?? primary.get(idOf(row)) ?? null);
  },
};
