import type { Item } from '@tessera/client';
import type { Permission } from './plan.ts';

export type Resource = Item<'listResources'>;
type Pair = Pick<Permission, 'resourceId' | 'action'>;

/** An action of a resource as one text, as drafts keep it. An action has no space. */
export function keyOf({ resourceId, action }: Pair): string {
  return `${resourceId} ${action}`;
}

/** What is ticked, as the API takes it. */
export function permissionsOf(keys: readonly string[]): { resourceId: string; actions: string[] }[] {
  const pairs = keys.map((key) => key.split(' ') as [string, string]);
  return [...Map.groupBy(pairs, ([resourceId]) => resourceId)].map(([resourceId, own]) => ({
    resourceId,
    actions: own.map(([, action]) => action),
  }));
}

type Giver = { readonly name: string; readonly permissions: readonly Permission[] };
/** By what an action is given: the own permissions of the role, or one of its groups. */
export type Source = { readonly group: string | undefined; readonly permission: Permission };

/** By the key of the action. */
export function sourcesOf(own: readonly Permission[], groups: readonly Giver[]): ReadonlyMap<string, readonly Source[]> {
  const sources: Source[] = [
    ...own.map((permission) => ({ group: undefined, permission })),
    ...groups.flatMap(({ name, permissions }) => permissions.map((permission) => ({ group: name, permission }))),
  ];
  return Map.groupBy(sources, ({ permission }) => keyOf(permission));
}

export type Row = { readonly resource: Resource; readonly actions: readonly string[] };

/**
 * The actions of each resource: those that it has, and those that are given though it has them no
 * more.
 */
export function rowsOf(resources: readonly Resource[], keys: Iterable<string>): readonly Row[] {
  const given = [...keys].map((key) => key.split(' ') as [string, string]);
  return resources.map((resource) => {
    const others = given.filter(([id]) => id === resource.id).map(([, action]) => action);
    return { resource, actions: [...new Set([...resource.actions, ...others])] };
  });
}

/**
 * How the box of an action stands. `group`: a group gives it without a condition, and alone can
 * take it. `partly`: a group gives it under one.
 */
export type Tick = 'own' | 'group' | 'partly' | 'none';

export function tickOf(key: string, chosen: readonly string[], sources: readonly Source[]): Tick {
  if (chosen.includes(key)) return 'own';
  const byGroups = sources.filter(({ group }) => group !== undefined);
  if (byGroups.length === 0) return 'none';
  return byGroups.some(({ permission }) => permission.condition === null) ? 'group' : 'partly';
}
