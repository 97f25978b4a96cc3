import { scopeOf } from '@tessera/kernel/operation';
import type { Context } from './related.ts';

type Filter = { readonly ids?: string[]; readonly tagIds?: string[] };

/** The ids that a list is narrowed to: what `ids` names, and of that only what carries all of `tagIds`. Undefined: everything. */
export async function withTags(
  entity: 'organization' | 'project',
  { ids, tagIds }: Filter,
  context: Context,
): Promise<string[] | undefined> {
  if (tagIds === undefined || tagIds.length === 0) return ids;
  const { tenant, id } = scopeOf(context);
  const { entityIds } = await context.deps.tags.listTaggedEntities({ scope: { tenant, id }, entity, tagIds });
  const tagged = new Set(entityIds);
  return ids ? ids.filter((one) => tagged.has(one)) : [...tagged];
}
