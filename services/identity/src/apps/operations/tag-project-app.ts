import { type HandleContext, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import { assertTagsExist, wireScope } from '../../people/operations/scoped-people.ts';
import type { AppsDeps } from '../deps.ts';

type Context = OperationContext<AppsDeps>;
type TagInput = { readonly tagIds?: string[] | undefined; readonly primaryTagId?: string | null | undefined };
export type TagChange = { readonly tagIds: string[]; readonly primaryTagId: string | null };

type TagUpdate = { readonly before: TagChange; readonly after: TagChange };

/**
 * The tags that the app has and gets, checked; undefined when the input names none. An omitted
 * field keeps its value.
 */
export async function planTags(
  appId: string | undefined,
  { tagIds, primaryTagId }: TagInput,
  context: Context,
): Promise<TagUpdate | undefined> {
  if (tagIds === undefined && primaryTagId === undefined) return undefined;
  const before = appId === undefined ? { tagIds: [], primaryTagId: null } : await currentTags(appId, context);
  const kept = tagIds ?? before.tagIds;
  const keptPrimary = before.primaryTagId !== null && kept.includes(before.primaryTagId) ? before.primaryTagId : null;
  const after = { tagIds: kept, primaryTagId: primaryTagId === undefined ? keptPrimary : primaryTagId };
  await assertTagsExist(after.tagIds, after.primaryTagId, context);
  return { before, after };
}

async function currentTags(appId: string, context: Context): Promise<TagChange> {
  const request = { scope: wireScope(scopeOf(context)), entity: 'projectApp', entityIds: [appId] };
  const [found] = (await context.deps.tags.listEntityTags(request)).entities;
  return { tagIds: found?.tags.map(({ id }) => id).toSorted() ?? [], primaryTagId: found?.primaryTagId ?? null };
}

/** rbac keeps the tags of every entity. The event commits with the change of the app. */
export function emitTags(appId: string, change: TagChange | undefined, { emit, ...context }: HandleContext<AppsDeps>): void {
  if (change === undefined) return;
  const payload = { scope: wireScope(scopeOf(context)), entity: 'projectApp' as const, entityId: appId, ...change };
  emit({ type: 'entity.tagged', key: appId, payload });
}
