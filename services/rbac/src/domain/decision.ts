import type { Scope } from '@tessera/kernel/scope';
import type { ConditionContext, Json } from '@tessera/rules/condition';
import { type Effort, holdsWithin, newEffort } from '@tessera/rules/effort';
import { isOwnerRole } from './catalogue.ts';
import type { ActionRights, Grant, Rights } from './rights.ts';

export const reasons = [
  'PERMISSION_GRANTED_NO_CONDITION',
  'PERMISSION_GRANTED_CONDITION_MET',
  'PERMISSION_FOUND_CONDITION_NOT_MET',
  'NO_MATCHING_PERMISSION_FOUND',
  'SCOPE_NOT_GRANTED',
  'INVALID_SCOPE',
  'NOT_AUTHENTICATED',
  'SECOND_FACTOR_REQUIRED',
  'FRESH_SIGN_IN_REQUIRED',
  'NEW_PASSWORD_REQUIRED',
  'CONNECTION_REQUIRED',
  'TENANT_SUSPENDED',
  'GRANT_SUSPENDED',
  'GRANT_ENDED',
] as const;
export type Reason = (typeof reasons)[number];

export type Decision = {
  readonly authorized: boolean;
  readonly reason: Reason;
  readonly grant: Grant | undefined;
  /** What the account or organization may send, when it has a limit and lets the subject in. */
  readonly requestsPerMinute?: number;
  /** Of CONNECTION_REQUIRED: the connection by which the subject has to come. */
  readonly connectionId?: string;
};

export type Question = {
  readonly resource: string;
  readonly action: string;
  readonly userId: string;
  /** `user.metadata` in conditions; left out when no condition reads it. */
  readonly userMetadata?: Json | undefined;
  /** `member.metadata` in conditions. */
  readonly memberMetadata?: Json | undefined;
  /** `grant.metadata` in conditions. */
  readonly grantMetadata?: Json | undefined;
  /** `resource` in conditions. */
  readonly target: Readonly<Record<string, Json>>;
  /** The actions that the token is limited to; undefined without a limit. */
  readonly cap?: readonly string[] | undefined;
  /** `context` in conditions: known to the server, never said by the caller. */
  readonly nowMs: number;
  readonly ipAddress?: string | undefined;
  readonly acr?: string | undefined;
  /** `actor` in conditions: the app that acts for the user. Without one its paths have no value. */
  readonly actor?: ConditionContext['actor'];
};

function refuse(reason: Reason): Decision {
  return Object.freeze({ authorized: false, reason, grant: undefined });
}
export const invalidScope = refuse('INVALID_SCOPE');
export const scopeNotGranted = refuse('SCOPE_NOT_GRANTED');
export const notAuthenticated = refuse('NOT_AUTHENTICATED');
const secondFactorRequired = refuse('SECOND_FACTOR_REQUIRED');
const freshSignInRequired = refuse('FRESH_SIGN_IN_REQUIRED');
const newPasswordRequired = refuse('NEW_PASSWORD_REQUIRED');
const connectionRequired = refuse('CONNECTION_REQUIRED');
const tenantSuspended = refuse('TENANT_SUSPENDED');
const grantSuspended = refuse('GRANT_SUSPENDED');
const grantEnded = refuse('GRANT_ENDED');
const noMatch = refuse('NO_MATCHING_PERMISSION_FOUND');

/** Decisions without a condition never differ, so there is one for each grant. */
const granted = new WeakMap<Grant, Decision>();
function grantedBy(grant: Grant): Decision {
  const known = granted.get(grant);
  if (known !== undefined) return known;
  const decision: Decision = Object.freeze({ authorized: true, reason: 'PERMISSION_GRANTED_NO_CONDITION', grant });
  granted.set(grant, decision);
  return decision;
}

export function rightsFor(rights: Rights, resource: string, action: string): ActionRights | undefined {
  return rights.actions.get(resource)?.get(action);
}

/** Whether the decision reads the user's metadata. */
export function needsUserMetadata(found: ActionRights | undefined): boolean {
  return found !== undefined && found.unconditional === undefined && found.conditional.some((grant) => grant.predicate?.needsUserMetadata);
}

const emptyRecord: Readonly<Record<string, Json>> = Object.freeze({});

function circumstancesOf({ nowMs, ipAddress, acr }: Question): Readonly<Record<string, Json>> {
  return {
    time: new Date(nowMs).toISOString(),
    ...(ipAddress === undefined ? {} : { ipAddress }),
    ...(acr === undefined ? {} : { acr }),
  };
}

/** The context in which a grant's condition is read. */
export function contextOf(grant: Grant, question: Question, effort?: Effort): ConditionContext {
  return {
    ...(effort === undefined ? {} : { effort }),
    user: question.userMetadata === undefined ? { id: question.userId } : { id: question.userId, metadata: question.userMetadata },
    member: { metadata: question.memberMetadata ?? emptyRecord },
    ...(question.grantMetadata === undefined ? {} : { grant: { metadata: question.grantMetadata } }),
    role: grant.role,
    group: grant.group ?? emptyRecord,
    ...(question.actor === undefined ? {} : { actor: question.actor }),
    resource: question.target,
    ...(grant.predicate?.readsContext ? { context: circumstancesOf(question) } : {}),
  };
}

/** Whether the grant's condition is met, at most at this cost. */
export function isMet(grant: Grant, question: Question, effort: Effort): boolean {
  return holdsWithin(effort, () => grant.predicate?.holds(contextOf(grant, question, effort)) === true);
}

function decideUncapped(found: ActionRights | undefined, question: Question): Decision {
  if (found === undefined) return noMatch;
  if (found.unconditional !== undefined) return grantedBy(found.unconditional);
  const effort = newEffort();
  for (const grant of found.conditional) {
    if (isMet(grant, question, effort)) return { authorized: true, reason: 'PERMISSION_GRANTED_CONDITION_MET', grant };
  }
  return { authorized: false, reason: 'PERMISSION_FOUND_CONDITION_NOT_MET', grant: found.conditional[0] };
}

/** What an organization demands of the sessions in it and in its projects. */
export type SessionPolicy = { readonly requireSecondFactor: boolean; readonly maxSessionAgeMinutes: number | null };
/** What an organization demands of one member, besides the policy for all sessions. */
export type MemberDemands = {
  /** In milliseconds: the last sign-in or confirmation must be later. */
  readonly sessionsAfter?: number;
  /** Until the member has changed the password. */
  readonly isPasswordDue?: boolean;
  /** In milliseconds: when it was demanded. Only a later change of the password counts. */
  readonly passwordDueSince?: number;
};
/** What identity tells of an organization; `since` in milliseconds. */
export type EnforcedConnections = {
  readonly connectionIds: readonly string[];
  readonly breakGlassUserIds: readonly string[];
  readonly since: number;
};
/** By which connections a member has to come (decision 31). */
export type Enforcement = {
  readonly connectionIds: readonly string[];
  /**
   * Of an Owner who is named for emergencies, in milliseconds: a proof with a second factor that is
   * younger lets them in. Null for all others.
   */
  readonly breakGlassSince: number | null;
};
/** The same, and how the operator restricts the account or organization. */
export type TenantPolicy = SessionPolicy &
  MemberDemands & {
    readonly isSuspended: boolean;
    readonly requestsPerMinute: number | null;
    /** The state of the grant by which an organization uses another's project. */
    readonly grant?: 'active' | 'suspended' | 'ended';
    /** Of a member of an organization that enforces its connections. */
    readonly enforcement?: Enforcement;
  };

/** What the token of a session says; without `acr` the subject is no session. */
type SessionLevel = {
  readonly acr?: string | undefined;
  readonly authTime?: number | undefined;
  readonly connection?: string | undefined;
  readonly within?: string | undefined;
  readonly secondFactorIn?: string | undefined;
  /** Those who act for the person. */
  readonly actors?: readonly unknown[] | undefined;
};

type Place = { readonly scope: Scope | undefined; readonly rights: Pick<Rights, 'roles'>; readonly policy: TenantPolicy | null };

/**
 * What an organization's provider has linked without the person's word opens that organization
 * alone, and nothing of an Owner's: an administrator of the provider would be one. A proof by a way
 * of the person's own lifts it.
 */
export function isBeyondReach({ within }: SessionLevel, { scope, rights }: Place): boolean {
  if (within === undefined) return false;
  return within === '' || organizationIn(scope) !== within || rights.roles.some(isOwnerRole);
}

function organizationIn(scope: Scope | undefined): string | undefined {
  if (scope?.tenant === 'organization') return scope.id;
  return scope?.tenant === 'organizationProject' ? scope.id.split(':')[0] : undefined;
}

/** A named Owner is asked for the second factor, and for a new proof. */
function refusalByConnection(
  { connectionIds, breakGlassSince }: Enforcement,
  { acr, authTime = 0, connection, actors }: SessionLevel,
): Decision | undefined {
  if (connection !== undefined && connectionIds.includes(connection)) return undefined;
  const [connectionId] = connectionIds;
  // Emergencies are for the Owner, and not for who acts as one.
  if (breakGlassSince === null || actors !== undefined || connectionId === undefined)
    return { ...connectionRequired, ...(connectionId === undefined ? {} : { connectionId }) };
  if (acr !== 'aal2') return secondFactorRequired;
  return authTime * 1_000 < breakGlassSince ? freshSignInRequired : undefined;
}

/**
 * Rights come first: a subject without them learns nothing of the policy. A suspension holds for
 * keys and apps too, the rest for sessions.
 */
export function underPolicy(decision: Decision, place: Place, session: SessionLevel, nowMs: number): Decision {
  if (!decision.authorized) return decision;
  if (isBeyondReach(session, place)) return freshSignInRequired;
  const { policy, scope } = place;
  if (policy === null) return decision;
  const { acr, authTime = 0, secondFactorIn } = session;
  // Of another's project that the organization uses, the other may have demanded it.
  const isByProvider = secondFactorIn !== undefined && policy.grant === undefined && organizationIn(scope) === secondFactorIn;
  const { isSuspended, requireSecondFactor, maxSessionAgeMinutes: most, requestsPerMinute, grant, sessionsAfter = 0 } = policy;
  if (isSuspended) return tenantSuspended;
  if (grant === 'suspended') return grantSuspended;
  if (grant === 'ended') return grantEnded;
  if (policy.enforcement !== undefined && acr !== undefined) {
    const refusal = refusalByConnection(policy.enforcement, session);
    if (refusal !== undefined) return refusal;
  }
  if (acr !== undefined && requireSecondFactor && acr !== 'aal2' && !isByProvider) return secondFactorRequired;
  if (acr !== undefined && most !== null && nowMs - authTime * 1_000 > most * 60_000) return freshSignInRequired;
  if (acr !== undefined && authTime * 1_000 < sessionsAfter) return freshSignInRequired;
  if (acr !== undefined && policy.isPasswordDue === true) return newPasswordRequired;
  return requestsPerMinute === null ? decision : { ...decision, requestsPerMinute };
}

/**
 * One grant without a condition, or with one that holds, authorizes; no other grant revokes it. A
 * cap only restricts: SCOPE_NOT_GRANTED means that the permission alone would have authorized.
 */
export function decide(rights: Rights, question: Question): Decision {
  const decision = decideUncapped(rightsFor(rights, question.resource, question.action), question);
  if (!decision.authorized || question.cap === undefined || question.cap.includes(`${question.resource}:${question.action}`))
    return decision;
  return { authorized: false, reason: 'SCOPE_NOT_GRANTED', grant: decision.grant };
}
