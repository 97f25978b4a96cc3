import type { Json } from '@tessera/rules/condition';
import type { FreshnessOptions } from '../../decisions/decider.ts';
import type { RbacDeps } from '../../deps.ts';
import type { Decision } from '../../domain/decision.ts';
import { grantsWithin } from './list-permissions.ts';
import type { Whose } from './named.ts';

/** What may this subject do? Every action that it holds, under a condition or none. */
export type ActionSearch = FreshnessOptions & {
  readonly whose: Pick<Whose, 'subject' | 'scope' | 'ipAddress'>;
  readonly resource?: string | undefined;
  readonly action?: string | undefined;
  readonly target: Readonly<Record<string, Json>>;
};
export type FoundAction = { readonly resource: string; readonly action: string; readonly decision: Decision };

/** By resource and action. Empty for an invalid scope. */
export async function searchActions({ decider }: Pick<RbacDeps, 'decider'>, search: ActionSearch): Promise<FoundAction[]> {
  const { whose, target, consistencyToken, noCache } = search;
  const { subject, scope, ipAddress } = whose;
  const loaded = await decider.rightsOf(subject, scope, search);
  if (loaded === undefined) return [];
  const held = grantsWithin(loaded.rights, subject).filter(
    ({ resource, action }) => resource === (search.resource ?? resource) && action === (search.action ?? action),
  );
  const actions = [...new Map(held.map(({ resource, action }) => [`${resource}:${action}`, { resource, action }])).values()];
  const answers = await decider.explainAll(
    actions.map((one) => ({ subject, scope, ipAddress, ...one, target, consistencyToken, noCache })),
  );
  return actions.flatMap((one, index) => {
    const decision = answers[index]?.decision;
    return decision === undefined ? [] : [{ ...one, decision }];
  });
}

/** The slugs of the resources on which the subject may do something that was asked about. */
export async function searchResources(deps: Pick<RbacDeps, 'decider'>, search: ActionSearch): Promise<string[]> {
  const found = await searchActions(deps, search);
  return [...new Set(found.filter(({ decision }) => decision.authorized).map(({ resource }) => resource))];
}

/** The part of a sorted list after the cursor, which is the key of the last item before. */
export function pageAfter<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  cursor: string | undefined,
  limit: number,
): { readonly items: readonly Item[]; readonly nextCursor: string | undefined } {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('utf8');
  const rest = after === undefined ? items : items.slice(items.findLastIndex((item) => keyOf(item) <= after) + 1);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page,
    nextCursor: rest.length > limit && last !== undefined ? Buffer.from(keyOf(last), 'utf8').toString('base64url') : undefined,
  };
}
