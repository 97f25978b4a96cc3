import { failures } from '@tessera/kernel/errors';
import { type Relation, type Row, rowScope, type ScopedRelation, scopeOf } from '@tessera/kernel/operation';
import type { Scope } from '@tessera/kernel/scope';
import type { TenancyDeps } from '../../deps.ts';
import type { Project } from '../../domain/project.ts';
import type { ProjectTags } from '../../events.ts';
import { type Context, idOf } from '../related.ts';

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

/** The tags that a project is to carry, checked; undefined when nothing was said of them. What is left out stays. */
export async function planTags(projectId: string, { tagIds, primaryTagId }: Tagging, context: Context): Promise<ProjectTags | undefined> {
  if (tagIds === undefined && primaryTagId === undefined) return undefined;
  await checkTags({ ...(tagIds ? { tagIds } : {}), ...(primaryTagId === undefined ? {} : { primaryTagId }) }, context);
  const { tenant, id } = scopeOf(context);
  const { entities } = await context.deps.tags.listEntityTags({ scope: { tenant, id }, entity: 'project', entityIds: [projectId] });
  const [current] = entities;
  const primary = primaryTagId === undefined ? (current?.primaryTagId ?? null) : primaryTagId;
  const wanted = tagIds ?? [...new Set([...(current?.tags ?? []).map((tag) => tag.id), ...(primary === null ? [] : [primary])])];
  return { tagIds: wanted, primaryTagId: primary !== null && wanted.includes(primary) ? primary : null };
}

type Placed = { readonly id: string; readonly parent: Scope | undefined };

/** By project. rbac keeps the tags, and is asked once for all projects, in however many accounts and organizations they lie. */
async function primaryTagsOf(placed: readonly Placed[], { tags }: TenancyDeps): Promise<ReadonlyMap<string, string>> {
  const projects = placed.flatMap(({ id, parent }) =>
    parent ? [{ parent: { tenant: parent.tenant, id: parent.id }, projectId: id }] : [],
  );
  if (projects.length === 0) return new Map();
  const { tags: primary } = await tags.listPrimaryTags({ projects });
  return new Map(primary.map(({ projectId, tagId }) => [projectId, tagId]));
}

type Shown = Project & { readonly primaryTagId: string | null };

/** Projects as clients see them. */
export async function showProjects(projects: readonly Project[], context: Context): Promise<Shown[]> {
  const parent = scopeOf(context);
  const primary = await primaryTagsOf(
    projects.map(({ id }) => ({ id, parent })),
    context.deps,
  );
  return projects.map((project) => ({ ...project, primaryTagId: primary.get(project.id) ?? null }));
}

export async function showProject(project: Project, context: Context): Promise<Shown> {
  const [shown] = await showProjects([project], context);
  return shown ?? { ...project, primaryTagId: null };
}

/** In REST: the projects that another row brings along, as a list of projects shows them. */
export function withPrimaryTags(relation: ScopedRelation<TenancyDeps>): ScopedRelation<TenancyDeps> {
  return {
    ...relation,
    load: async (rows, context) => {
      const lists = await relation.load(rows, context);
      const projects = lists.flatMap((list): Row[] => (Array.isArray(list) ? list : []));
      const placed = projects.map((project) => ({ id: idOf(project), parent: rowScope(project) }));
      const primary = await primaryTagsOf(placed, context.deps);
      const show = (project: Row) => ({ ...project, primaryTagId: primary.get(idOf(project)) ?? null });
      return lists.map((list) => (Array.isArray(list) ? list.map(show) : list));
    },
  };
}

/** In the graph, where a project brings the field only when it is asked for. */
export const primaryTags: Relation<TenancyDeps> = {
  permission: { none: 'an id; what it stands for is rbac’s to show' },
  scopeOf: () => undefined,
  load: async (rows, { deps, scope }) => {
    const missing = rows.filter((row) => row.primaryTagId === undefined);
    const placed = missing.map((row) => ({ id: idOf(row), parent: rowScope(row) ?? scope }));
    const primary = await primaryTagsOf(placed, deps);
    return rows.map((row) => row.primaryTagId ?? primary.get(idOf(row)) ?? null);
  },
};
