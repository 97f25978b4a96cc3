import { scopeOf } from '@tessera/kernel/operation';
import type { Context } from './related.ts';

type Filter = { readonly ids?: string[]; readonly tagIds?: string[] };

/**
 * The ids that a list is limited to: those of `ids` that have all of `tagIds`. Undefined means no
 * limit.
 */
export async function filterByTags(
  entity: 'organization' | 'project',
  { ids, tagIds }: Filter,
  context: Context,
): Promise<string[] | undefined> {
  if (tagIds === undefined || tagIds.length === 0) return ids;
  const { tenant, id } = scopeOf(context);
  const { entityIds } = await context.deps.tags.listTaggedEntities({ scope: { tenant, id }, entity, tagIds });
  const tagged = new Set(entityIds);
  return ids ? ids.filter((id) => tagged.has(id)) : [...tagged];
}
