import { type Condition, type Json, MalformedCondition, parseCondition } from '@tessera/rules/condition';
import { grantsOf } from './catalogue.ts';

/** A role that a subject holds in a scope, as conditions (`role.*`) and explanations see it. */
export type HeldRole = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly metadata: Json;
  readonly isBuiltIn: boolean;
  readonly rank: number | null;
};
export type HeldGroup = { readonly id: string; readonly name: string; readonly description: string | null; readonly metadata: Json };
export type HeldPermission = {
  readonly id: string;
  readonly name: string;
  readonly resource: string;
  readonly action: string;
  readonly condition: Json;
};
/** One path by which a subject holds an action: role → group → permission. */
export type HeldPath = { readonly role: HeldRole; readonly group: HeldGroup; readonly permission: HeldPermission };

/**
 * One grant of one action. Grants of a built-in role come from the matrix and have neither group
 * nor permission.
 */
export type Grant = {
  readonly permissionId: string | null;
  readonly permissionName: string;
  readonly resource: string;
  readonly action: string;
  readonly role: HeldRole;
  readonly group: HeldGroup | null;
  readonly condition: Json;
  readonly predicate: Condition | null;
};

/** The grants of one action: an unconditional one suffices, otherwise one whose condition holds. */
export type ActionRights = { readonly unconditional: Grant | undefined; readonly conditional: readonly Grant[] };

/** Everything that a subject may do in one scope. A look-up allocates nothing. */
export type Rights = {
  readonly actions: ReadonlyMap<string, ReadonlyMap<string, ActionRights>>;
  readonly roles: readonly HeldRole[];
  /** The highest (smallest) rank held; `undefined` without a ranked role. */
  readonly rank: number | undefined;
  readonly ownsAccount: boolean;
  /** The subject's metadata as a member of the scope: `member.metadata` in conditions. */
  readonly memberMetadata: Json;
  /** Where an organization uses another's project: `grant.metadata` in conditions. */
  readonly grantMetadata?: Json;
};

const neverHolds: Condition = {
  holds: () => false,
  needsUserMetadata: false,
  readsMember: false,
  dependsOnGrantPath: false,
  readsContext: false,
};

/** A malformed condition never holds. None should be stored: writes refuse them. */
function predicateOf(condition: Json): Condition | null {
  if (condition === null) return null;
  try {
    return parseCondition(condition);
  } catch (error) {
    if (error instanceof MalformedCondition) return neverHolds;
    throw error;
  }
}

function builtInGrants(role: HeldRole): Grant[] {
  return grantsOf(role.name).map(({ resource, action, condition }) => ({
    permissionId: null,
    permissionName: `${resource}:${action}`,
    resource,
    action,
    role,
    group: null,
    condition: condition as Json,
    predicate: predicateOf(condition as Json),
  }));
}

function pathGrant({ role, group, permission }: HeldPath): Grant {
  return {
    permissionId: permission.id,
    permissionName: permission.name,
    resource: permission.resource,
    action: permission.action,
    role,
    group,
    condition: permission.condition,
    predicate: predicateOf(permission.condition),
  };
}

function sortKey(grant: Grant): string {
  return `${grant.role.id}/${grant.group?.id ?? ''}/${grant.permissionId ?? ''}`;
}
function byPath(a: Grant, b: Grant): number {
  return sortKey(a) < sortKey(b) ? -1 : sortKey(a) > sortKey(b) ? 1 : 0;
}

type Counts = (resource: string, action: string) => boolean;
const everything: Counts = () => true;

/**
 * Compiles roles and paths into rights by action, as far as `counts` lets them. Their order does
 * not change the result.
 */
export function compileRights(
  roles: readonly HeldRole[],
  paths: readonly HeldPath[],
  memberMetadata: Json = {},
  counts: Counts = everything,
): Rights {
  const builtIn = roles.filter((role) => role.isBuiltIn);
  const collected = new Map<string, Map<string, Grant[]>>();
  for (const grant of [...builtIn.flatMap(builtInGrants), ...paths.map(pathGrant)]) {
    if (!counts(grant.resource, grant.action)) continue;
    const actions = collected.get(grant.resource) ?? new Map<string, Grant[]>();
    collected.set(grant.resource, actions);
    const grants = actions.get(grant.action);
    if (grants === undefined) actions.set(grant.action, [grant]);
    else grants.push(grant);
  }
  const actions = new Map<string, ReadonlyMap<string, ActionRights>>();
  for (const [resource, byAction] of collected) {
    actions.set(resource, new Map([...byAction].map(([action, grants]) => [action, settle(grants)])));
  }
  const ranks = builtIn.flatMap((role) => (role.rank === null ? [] : [role.rank]));
  return {
    actions,
    roles,
    rank: ranks.length > 0 ? Math.min(...ranks) : undefined,
    ownsAccount: builtIn.some((role) => role.rank === null),
    memberMetadata,
  };
}

function settle(grants: Grant[]): ActionRights {
  const sorted = grants.length > 1 ? grants.sort(byPath) : grants;
  return {
    unconditional: sorted.find((grant) => grant.predicate === null),
    conditional: sorted.filter((grant) => grant.predicate !== null),
  };
}

/** Of these rights what `counts`, without a rank: for who is no member. */
export function limitRights(rights: Rights, counts: Counts): Rights {
  const actions = [...rights.actions].map(([resource, byAction]): [string, ReadonlyMap<string, ActionRights>] => [
    resource,
    new Map([...byAction].filter(([action]) => counts(resource, action))),
  ]);
  return { actions: new Map(actions), roles: rights.roles, rank: undefined, ownsAccount: false, memberMetadata: {} };
}

/**
 * Every action held, in a stable order. An unconditional grant replaces the conditional ones of its
 * action.
 */
export function listGrants(rights: Rights): Grant[] {
  return [...rights.actions.values()]
    .flatMap((actions) => [...actions.values()])
    .flatMap(({ unconditional, conditional }) => (unconditional === undefined ? conditional : [unconditional]))
    .sort((a, b) => compareText(a.resource, b.resource) || compareText(a.action, b.action) || byPath(a, b));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
