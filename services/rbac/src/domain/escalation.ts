import { type BuiltInGrant, grantsOf, isBuiltInAction, rankOf } from './catalogue.ts';
import { type Json, parseCondition, sameJson } from './condition.ts';
import { rightsFor } from './decision.ts';
import type { Rights } from './rights.ts';

/** Nobody gives what they do not hold (interface.md sections 6 and 9). */
export type Actor = { readonly rights: Rights; readonly cap: readonly string[] | undefined };

/** An action that somebody is about to give, by putting it into a group or by giving a role that has it. */
export type GivenAction = { readonly resource: string; readonly action: string; readonly condition: Json };

export type RoleToGive = {
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly rank: number | null;
  /** What its groups give; a built-in role's actions come from the matrix. */
  readonly actions: readonly GivenAction[];
};

export type GrantVerdict = 'allowed' | 'above-own-rank' | 'escalation';

const ownerRank = rankOf('Owner');

/** A grant under a condition may be passed on under the very same one, if that does not read the path it is held by. */
function holdsUnderSameCondition(rights: Rights, given: GivenAction): boolean {
  return (
    given.condition !== null &&
    !readsGrantPath(given) &&
    (rightsFor(rights, given.resource, given.action)?.conditional ?? []).some((grant) => sameJson(grant.condition, given.condition))
  );
}

/** Whether what the action needs is read from the role or the group that gives it: then changing these gives it anew. */
export function readsGrantPath({ condition }: GivenAction): boolean {
  return condition !== null && parseCondition(condition).dependsOnGrantPath;
}

function holds(actor: Actor, given: GivenAction): boolean {
  if (actor.cap !== undefined && !actor.cap.includes(`${given.resource}:${given.action}`)) return false;
  const found = rightsFor(actor.rights, given.resource, given.action);
  return found?.unconditional !== undefined || holdsUnderSameCondition(actor.rights, given);
}

/** The built-in actions among these that the actor does not hold. Custom actions are anybody's to give who may give at all. */
export function actionsNotHeld(actor: Actor, given: readonly GivenAction[]): GivenAction[] {
  return given.filter((action) => isBuiltInAction(action.resource, action.action) && !holds(actor, action));
}

function actionsOf(role: RoleToGive): readonly GivenAction[] {
  return role.isBuiltIn
    ? grantsOf(role.name).map((grant: BuiltInGrant) => ({ ...grant, condition: grant.condition as Json }))
    : role.actions;
}

/** Members: only roles below one's own; an Owner makes and unmakes Owners too. Keys: never above one's own. */
function rankAllows(actor: Rights, rank: number, givenTo: 'member' | 'key'): boolean {
  if (actor.rank === undefined) return false;
  if (givenTo === 'key' || actor.rank === ownerRank) return rank >= actor.rank;
  return rank > actor.rank;
}

/** May the actor give this role to somebody (or to a key)? */
export function verdictOnGiving(actor: Actor, role: RoleToGive, givenTo: 'member' | 'key'): GrantVerdict {
  if (role.rank !== null && !rankAllows(actor.rights, role.rank, givenTo)) return 'above-own-rank';
  return actionsNotHeld(actor, actionsOf(role)).length > 0 ? 'escalation' : 'allowed';
}

/** A member without a ranked role stands below the lowest one. */
const unranked = rankOf('Viewer') + 1;

/** May the actor change or end this member's roles? Only of members below; Owners also of Owners. */
export function mayTouchMember(actor: Rights, memberRank: number | undefined): boolean {
  if (actor.rank === ownerRank) return true;
  return actor.rank !== undefined && actor.rank < (memberRank ?? unranked);
}
