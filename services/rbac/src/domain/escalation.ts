import { type Json, parseCondition, sameJson } from '@tessera/rules/condition';
import { type BuiltInGrant, grantsOf, isBuiltInAction, isForMachines, isForPeople, machineRoles, rankOf } from './catalogue.ts';
import { rightsFor } from './decision.ts';
import type { Rights } from './rights.ts';
import { capOf, type Subject } from './subject.ts';

/** The rule that an actor can only give actions that it holds. */
export type Actor = {
  readonly rights: Rights;
  readonly cap: readonly string[] | undefined;
  /** An app acts for the person. It may use the person's rights, and give none. */
  readonly isDelegated: boolean;
};

/** The subject as the giver of a role or an action. `rights`: its own. */
export function giverOf(rights: Rights, subject: Subject): Actor {
  return { rights, cap: capOf(subject), isDelegated: subject.actors !== undefined };
}

/** An action that would be given: by adding it to a group, or by giving a role that has it. */
export type GivenAction = { readonly resource: string; readonly action: string; readonly condition: Json };

export type RoleToGive = {
  readonly name: string;
  readonly isBuiltIn: boolean;
  readonly rank: number | null;
  /** The actions of its groups. Those of a built-in role come from the matrix. */
  readonly actions: readonly GivenAction[];
};

export type GrantVerdict = 'allowed' | 'above-own-rank' | 'escalation';
/** A service account can get the roles of members, and the roles that only machines hold. */
export type Receiver = 'member' | 'key' | 'serviceAccount';

const ownerRank = rankOf('Owner');

/**
 * A conditional action may be given under the same condition, unless the condition reads the role,
 * the group or the member's metadata: these differ for the receiver.
 */
function holdsUnderSameCondition(rights: Rights, given: GivenAction): boolean {
  return (
    given.condition !== null &&
    !readsGrantPath(given) &&
    !readsMember(given) &&
    (rightsFor(rights, given.resource, given.action)?.conditional ?? []).some((grant) => sameJson(grant.condition, given.condition))
  );
}

/**
 * Whether the condition reads the role or group that gives the action. Changing these then counts
 * as giving it.
 */
export function readsGrantPath({ condition }: GivenAction): boolean {
  return condition !== null && parseCondition(condition).dependsOnGrantPath;
}

/** Whether the condition reads the member's metadata. Changing that then counts as giving it. */
export function readsMember({ condition }: GivenAction): boolean {
  return condition !== null && parseCondition(condition).readsMember;
}

function holds(actor: Actor, given: GivenAction): boolean {
  if (actor.isDelegated) return false;
  if (actor.cap !== undefined && !actor.cap.includes(`${given.resource}:${given.action}`)) return false;
  const found = rightsFor(actor.rights, given.resource, given.action);
  return found?.unconditional !== undefined || holdsUnderSameCondition(actor.rights, given);
}

/**
 * The built-in actions among these that the actor does not hold. Custom actions are not limited by
 * this rule.
 */
export function actionsNotHeld(actor: Actor, given: readonly GivenAction[]): GivenAction[] {
  return given.filter((action) => isBuiltInAction(action.resource, action.action) && !holds(actor, action));
}

function actionsOf(role: RoleToGive): readonly GivenAction[] {
  return role.isBuiltIn
    ? grantsOf(role.name).map((grant: BuiltInGrant) => ({ ...grant, condition: grant.condition as Json }))
    : role.actions;
}

/**
 * Members get roles below the actor's own; Owners also give Owner. Keys get roles up to the actor's
 * own.
 */
function rankAllows(actor: Rights, rank: number, givenTo: Receiver): boolean {
  if (actor.rank === undefined) return false;
  if (givenTo === 'key' || actor.rank === ownerRank) return rank >= actor.rank;
  return rank > actor.rank;
}

/** The role of a directory, which people never have. */
export function isForDirectories({ name, isBuiltIn }: Pick<RoleToGive, 'name' | 'isBuiltIn'>): boolean {
  return isBuiltIn && name === machineRoles.organization;
}

/** Whether the actor may give this role to a member, an API key or a service account. */
export function verdictOnGiving(actor: Actor, role: RoleToGive, givenTo: Receiver): GrantVerdict {
  if (givenTo === 'serviceAccount' ? isForPeople(role) : isForMachines(role)) return 'above-own-rank';
  if (actor.isDelegated) return 'escalation';
  if (role.rank !== null && !rankAllows(actor.rights, role.rank, givenTo)) return 'above-own-rank';
  return actionsNotHeld(actor, actionsOf(role)).length > 0 ? 'escalation' : 'allowed';
}

/** The rank of a member without a ranked role: below the lowest. */
const unranked = rankOf('Viewer') + 1;

/**
 * Whether the actor may change or remove this member's roles: of members with a lower rank; Owners
 * also of Owners.
 */
export function mayTouchMember(actor: Rights, memberRank: number | undefined): boolean {
  if (actor.rank === ownerRank) return true;
  return actor.rank !== undefined && actor.rank < (memberRank ?? unranked);
}
