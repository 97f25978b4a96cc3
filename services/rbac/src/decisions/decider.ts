import type { Scope } from '@tessera/kernel/scope';
import type { Json } from '@tessera/rules/condition';
import { decodeConsistency } from '../domain/consistency.ts';
import {
  type Decision,
  decide,
  invalidScope,
  isBeyondReach,
  needsUserMetadata,
  notAuthenticated,
  type Question,
  type Reason,
  reasons,
  rightsFor,
  scopeNotGranted,
  underPolicy,
} from '../domain/decision.ts';
import { actorOf, holderOf, type Refuser, refuserOf } from '../domain/delegation.ts';
import type { ActionRights, Rights } from '../domain/rights.ts';
import { actsForOwner, capOf, effectiveScope, type Subject } from '../domain/subject.ts';
import { covers, isWithin, type Support, supportPermission } from '../domain/support.ts';
import type { Holder, LoadedRights } from '../storage/rights.ts';
import type { Freshness, RightsCache } from '../storage/rights-cache.ts';
import { scopeByScope } from './scope-by-scope.ts';
import type { Tally } from './tally.ts';
import { createTurns } from './turns.ts';
import type { UserMetadata } from './user-metadata.ts';

/** May this subject do this action on this resource, in this scope? */
export type Check = FreshnessOptions & {
  readonly subject: Subject;
  readonly scope?: Scope | undefined;
  readonly resource: string;
  readonly action: string;
  readonly target: Readonly<Record<string, Json>>;
  /** Of the subject's own request; left out when another asks. */
  readonly ipAddress?: string | undefined;
  /** Tessera asks, for one of its operations: counted apart. */
  readonly isOwn?: boolean | undefined;
};
export type FreshnessOptions = { readonly consistencyToken?: string | undefined; readonly noCache?: boolean | undefined };

/**
 * A decision, the question with everything that its conditions have read, and all grants of the
 * action.
 */
export type Answer = {
  readonly decision: Decision;
  readonly question: Question;
  readonly found?: ActionRights | undefined;
  /** Of a refusal: the subject, the actor, the app or the grant. */
  readonly refusedBy?: Refuser | undefined;
};

export type Decider = {
  /** How often each reason was given since the start. */
  readonly given: Readonly<Record<Reason, number>>;
  /** No promise when the rights are in memory: the hot path allocates next to nothing. */
  decide(check: Check): Decision | Promise<Decision>;
  explain(check: Check): Promise<Answer>;
  /** Answers checks of one subject in their order, and lets other requests run in between. */
  explainAll(checks: readonly Check[]): Promise<Answer[]>;
  /** Everything that the subject holds in the scope; undefined for an invalid scope. */
  rightsOf(subject: Subject, scope: Scope | undefined, options: FreshnessOptions): Promise<LoadedRights | undefined>;
};

type Restraint = Pick<Answer, 'decision' | 'refusedBy'>;

type Deps = { readonly cache: RightsCache; readonly userMetadata: UserMetadata; readonly tally?: Pick<Tally, 'add'> };

function freshnessOf({ consistencyToken, noCache = false }: FreshnessOptions): Freshness {
  const { versions, isFresh } = decodeConsistency(consistencyToken, Date.now());
  return { fresh: noCache || isFresh, atLeast: versions };
}

/** Undefined for a malformed scope, which a token or a gRPC request may carry. */
export function scopeOf(subject: Subject, asked: Scope | undefined): Scope | undefined {
  try {
    return effectiveScope(subject, asked);
  } catch {
    return undefined;
  }
}

/** The subject itself, but for the owner's machine app in a customer's scope. */
function holderIn(subject: Subject, scope: Scope): Holder {
  if (subject.type === 'serviceAccount') return { userId: subject.userId, isServiceAccount: true };
  return actsForOwner(subject, scope) ? { userId: subject.userId, roleId: subject.roleId, isOwners: true } : subject;
}

function questionOf(
  { subject, resource, action, target, ipAddress }: Check,
  nowMs: number,
  rights?: Pick<Rights, 'memberMetadata' | 'grantMetadata'>,
  userMetadata?: Json,
): Question {
  const { userId, acr } = subject;
  const { memberMetadata, grantMetadata } = rights ?? {};
  const cap = capOf(subject);
  const newest = subject.actors?.[0];
  const actor = newest && actorOf(newest);
  return { resource, action, userId, target, cap, userMetadata, memberMetadata, grantMetadata, nowMs, ipAddress, acr, actor };
}

function readsMetadata(rights: Rights, { resource, action }: Check): boolean {
  return needsUserMetadata(rightsFor(rights, resource, action));
}

/** How long the checks of one request may hold the event loop. */
const turnMs = 5;

export function createDecider({ cache, userMetadata, tally }: Deps): Decider {
  const nextTurn = createTurns();
  const given = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
  const count = (decision: Decision): Decision => {
    given[decision.reason] += 1;
    return decision;
  };
  /** Of a scope that exists: those who look after it see how many were given. */
  const countIn = (scope: Scope | undefined, decision: Decision, isOwn = false): Decision => {
    if (scope !== undefined) tally?.add(scope, isOwn ? 'own' : decision.authorized ? 'allowed' : 'refused');
    return count(decision);
  };

  const rightsOf: Decider['rightsOf'] = async (subject, asked, options) => {
    const scope = subject.userId === '' ? undefined : scopeOf(subject, asked);
    if (scope === undefined) return undefined;
    try {
      return await cache.get(scope, holderIn(subject, scope), freshnessOf(options));
    } catch (error) {
      if (Error.isError(error) && 'kind' in error && error.kind === 'validation') return undefined;
      throw error;
    }
  };

  /** Rights in memory, for a check that does not demand fresher ones. */
  const knownRights = ({ subject, noCache, consistencyToken }: Check, scope: Scope): LoadedRights | undefined =>
    noCache === true || (consistencyToken !== undefined && consistencyToken !== '')
      ? undefined
      : cache.peek(scope, holderIn(subject, scope));

  /**
   * The rights that these checks of one subject and scope need, or the reason why there are none.
   */
  const rightsForChecks = async (check: Check): Promise<LoadedRights | Decision> => {
    if (check.subject.userId === '') return notAuthenticated;
    const scope = scopeOf(check.subject, check.scope);
    return (scope && knownRights(check, scope)) ?? (await rightsOf(check.subject, check.scope, check)) ?? invalidScope;
  };

  const metadataFor = async (loaded: LoadedRights | Decision, checks: readonly [Check, ...Check[]]): Promise<Json | undefined> => {
    if ('reason' in loaded || !checks.some((check) => readsMetadata(loaded.rights, check))) return undefined;
    return userMetadata.get(checks[0].subject.userId, freshnessOf(checks[0]));
  };

  const placeOf = ({ subject, scope: asked }: Check, loaded: LoadedRights) => ({ ...loaded, scope: scopeOf(subject, asked) });

  const judge = (check: Check, loaded: LoadedRights | Decision, metadata: Json | undefined): Answer => {
    const nowMs = Date.now();
    if ('reason' in loaded) return { decision: loaded, question: questionOf(check, nowMs), refusedBy: 'subject' };
    const question = questionOf(check, nowMs, loaded.rights, readsMetadata(loaded.rights, check) ? metadata : undefined);
    const decision = underPolicy(decide(loaded.rights, question), placeOf(check, loaded), check.subject, nowMs);
    return { decision, question, found: rightsFor(loaded.rights, check.resource, check.action), refusedBy: refuserOf(decision, 'subject') };
  };

  const counted = (check: Check, loaded: LoadedRights | Decision, answer: Answer): Answer => {
    if ('reason' in loaded) return { ...answer, decision: count(answer.decision) };
    return { ...answer, decision: countIn(scopeOf(check.subject, check.scope), answer.decision, check.isOwn) };
  };

  /**
   * A supporter: outside of what the organization allows, and without SupportAccess:Use now,
   * nothing. What the organization of the project demands was asked when the token was given.
   */
  const refusalOfSupport = async (userId: string, support: Support, check: Check): Promise<Restraint | undefined> => {
    const { scope, resource, action } = check;
    if (scope === undefined || !isWithin(support, scope)) return { decision: invalidScope, refusedBy: 'actor' };
    if (!covers(support, resource, action)) return { decision: scopeNotGranted, refusedBy: 'actor' };
    const asked: Check = { ...check, ...supportPermission, scope: support.project, subject: { type: 'session', userId }, target: {} };
    const loaded = await rightsForChecks(asked);
    const { decision } = judge(asked, loaded, await metadataFor(loaded, [asked]));
    return decision.authorized ? undefined : { decision, refusedBy: 'actor' };
  };

  /** The first refusal among the actors of the subject. It is not counted. */
  const restraintOf = async ({ subject: { actors = [], ...subject }, ...check }: Check): Promise<Restraint | undefined> => {
    const scope = scopeOf(subject, check.scope);
    for (const actor of actors) {
      const ofSupport = actor.support && (await refusalOfSupport(actor.id, actor.support, { ...check, subject, scope }));
      if (ofSupport !== undefined) return ofSupport;
      const [holder, cap] = [holderOf(actor), actor.cap];
      if (holder !== undefined) {
        const asked = { ...check, scope, subject: holder };
        const loaded = await rightsForChecks(asked);
        const { decision } = judge(asked, loaded, await metadataFor(loaded, [asked]));
        if (!decision.authorized) return { decision, refusedBy: refuserOf(decision, 'actor') };
      }
      if (cap !== undefined && !cap.includes(`${check.resource}:${check.action}`)) return { decision: scopeNotGranted, refusedBy: 'app' };
    }
    return undefined;
  };

  /** The subject's own refusal comes first: then the rights of the actors are not read. */
  const restrained = async (check: Check, own: Answer): Promise<Answer> => {
    const isHeld = own.decision.authorized || own.refusedBy === 'app';
    return isHeld ? { ...own, ...(await restraintOf(check)) } : own;
  };

  const explain = async (check: Check): Promise<Answer> => {
    const loaded = await rightsForChecks(check);
    const own = judge(check, loaded, await metadataFor(loaded, [check]));
    return counted(check, loaded, check.subject.actors === undefined ? own : await restrained(check, own));
  };

  const explainScope = async ([first, ...others]: readonly Check[]): Promise<Answer[]> => {
    if (first === undefined) return [];
    const loaded = await rightsForChecks(first);
    const metadata = await metadataFor(loaded, [first, ...others]);
    const answers: Answer[] = [];
    let since = performance.now();
    for (const check of [first, ...others]) {
      if (performance.now() - since > turnMs) {
        await nextTurn();
        since = performance.now();
      }
      const own = judge(check, loaded, metadata);
      answers.push(counted(check, loaded, check.subject.actors === undefined ? own : await restrained(check, own)));
    }
    return answers;
  };

  return {
    given,
    decide(check) {
      const { subject } = check;
      if (subject.userId === '') return count(notAuthenticated);
      const scope = scopeOf(subject, check.scope);
      if (scope === undefined) return count(invalidScope);
      const loaded = knownRights(check, scope);
      if (loaded === undefined || subject.actors !== undefined || readsMetadata(loaded.rights, check))
        return explain(check).then(({ decision }) => decision);
      const nowMs = Date.now();
      const decision = decide(loaded.rights, questionOf(check, nowMs, loaded.rights));
      return countIn(scope, underPolicy(decision, { ...loaded, scope }, subject, nowMs), check.isOwn);
    },
    explain,
    explainAll: (checks) => scopeByScope(explainScope, checks),
    async rightsOf(subject, asked, options) {
      const loaded = await rightsOf(subject, asked, options);
      return loaded !== undefined && isBeyondReach(subject, { ...loaded, scope: scopeOf(subject, asked) }) ? undefined : loaded;
    },
  };
}
