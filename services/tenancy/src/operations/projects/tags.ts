import { failures } from '@tessera/kernel/errors';
import { scopeOf } from '@tessera/kernel/operation';
import type { Context } from '../related.ts';

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
