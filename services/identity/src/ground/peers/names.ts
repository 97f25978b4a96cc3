/** What projects and actions are called: other services know. */
import type { Scope } from '@tessera/kernel/scope';
import type { GroundDeps } from '../deps.ts';

type Names = { readonly project: string | null; readonly organization: string | null };
type Deps = Pick<GroundDeps, 'tenancy' | 'catalogue' | 'logger'>;

/** In the order of the scopes. Null for what has no name, and while tenancy does not answer. */
export async function namesOfScopes(scopes: readonly Scope[], { tenancy, logger }: Deps): Promise<Names[]> {
  if (scopes.length === 0) return [];
  const asked = { scopes: scopes.map(({ tenant, id }) => ({ tenant, id })) };
  const names = await orNothing(async () => (await tenancy.nameScopes(asked)).names, logger);
  return scopes.map((_scope, index) => ({ project: names[index]?.project || null, organization: names[index]?.organization || null }));
}

/** What each `resource:action` does. Null for unknown ones, and while rbac does not answer. */
export async function wordsOfActions(
  scope: Scope,
  actions: readonly string[],
  { catalogue, logger }: Deps,
): Promise<ReadonlyMap<string, string>> {
  if (actions.length === 0) return new Map();
  const asked = { scope: { tenant: scope.tenant, id: scope.id }, actions: [...actions] };
  const found = await orNothing(async () => (await catalogue.describeActions(asked)).descriptions, logger);
  return new Map(actions.flatMap((action, index) => (found[index] ? [[action, found[index]] as const] : [])));
}

/** Names are shown only: without them a page still works. */
async function orNothing<Item>(ask: () => Promise<readonly Item[]>, logger: Deps['logger']): Promise<readonly Item[]> {
  try {
    return await ask();
  } catch (error) {
    logger.warn({ err: error }, 'names could not be asked');
    return [];
  }
}
