import type { Scope } from '@tessera/kernel/scope';
import type { Json } from '../../domain/condition.ts';
import { decodeConsistency } from '../../domain/consistency.ts';
import {
  type Decision,
  decide,
  invalidScope,
  needsUserMetadata,
  notAuthenticated,
  type Question,
  type Reason,
  reasons,
  rightsFor,
} from '../../domain/decision.ts';
import { capOf, effectiveScope, type Subject } from '../../domain/subject.ts';
import type { LoadedRights } from '../../storage/rights.ts';
import type { Freshness, RightsCache } from '../../storage/rights-cache.ts';
import { createTurns } from './turns.ts';
import type { UserMetadata } from './user-metadata.ts';

/** One question: may this subject do this action on this resource, in this scope? */
export type Check = {
  readonly subject: Subject;
  readonly scope?: Scope | undefined;
  readonly resource: string;
  readonly action: string;
  readonly target: Readonly<Record<string, Json>>;
  readonly consistencyToken?: string | undefined;
  readonly noCache?: boolean | undefined;
};
/** The decision with the question that it answers, for those who want it explained. */
export type Answer = { readonly decision: Decision; readonly question: Question };

export type Decider = {
  /** How often each answer was given since the start. */
  readonly given: Readonly<Record<Reason, number>>;
  /** The answer from memory, allocating next to nothing; undefined when somebody must be asked first. */
  decideNow(check: Check): Decision | undefined;
  decide(check: Check): Promise<Decision>;
  explain(check: Check): Promise<Answer>;
  /** Questions that differ in nothing but the permission and its target, answered in order; gives way to others meanwhile. */
  explainMany(checks: readonly Check[]): Promise<Answer[]>;
  /** Everything that the subject holds in the scope; undefined for an invalid one. */
  rightsOf(subject: Subject, scope: Scope | undefined, options: FreshnessOptions): Promise<LoadedRights | undefined>;
};
export type FreshnessOptions = { readonly consistencyToken?: string | undefined; readonly noCache?: boolean | undefined };

type Deps = { readonly cache: RightsCache; readonly userMetadata: UserMetadata };

function freshnessOf({ consistencyToken, noCache = false }: FreshnessOptions): Freshness {
  const { versions, isFresh } = decodeConsistency(consistencyToken, Date.now());
  return { fresh: noCache || isFresh, atLeast: versions };
}

/** A malformed scope (in a token or over gRPC) is no scope. */
function scopeOf(subject: Subject, asked: Scope | undefined): Scope | undefined {
  try {
    return effectiveScope(subject, asked);
  } catch {
    return undefined;
  }
}

function questionOf({ subject, resource, action, target }: Check, userMetadata?: Json): Question {
  return {
    resource,
    action,
    userId: subject.userId,
    target,
    cap: capOf(subject),
    userMetadata,
  };
}

/** How long one request's questions keep everybody else waiting. */
const turnMs = 5;

export function createDecider({ cache, userMetadata }: Deps): Decider {
  const giveWay = createTurns();
  const load = async (subject: Subject, asked: Scope | undefined, freshness: Freshness): Promise<LoadedRights | undefined> => {
    const scope = subject.userId === '' ? undefined : scopeOf(subject, asked);
    if (scope === undefined) return undefined;
    try {
      return await cache.get(scope, subject, freshness);
    } catch (error) {
      if (error instanceof Error && 'kind' in error && error.kind === 'validation') return undefined;
      throw error;
    }
  };

  const given = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
  const give = (decision: Decision): Decision => {
    given[decision.reason] += 1;
    return decision;
  };

  const refuse = (decision: Decision, check: Check): Answer => ({ decision: give(decision), question: questionOf(check) });

  /** Rights in memory that are fresh enough for this check. */
  const knownRights = ({ subject, noCache, consistencyToken }: Check, scope: Scope): LoadedRights | undefined =>
    noCache === true || (consistencyToken !== undefined && consistencyToken !== '') ? undefined : cache.peek(scope, subject);

  const rightsFreshEnough = async (check: Check): Promise<LoadedRights | undefined> => {
    const scope = scopeOf(check.subject, check.scope);
    return (scope && knownRights(check, scope)) ?? (await load(check.subject, check.scope, freshnessOf(check)));
  };

  const explain = async (check: Check): Promise<Answer> => {
    const { subject, resource, action } = check;
    if (subject.userId === '') return refuse(notAuthenticated, check);
    const loaded = await rightsFreshEnough(check);
    if (loaded === undefined) return refuse(invalidScope, check);
    const isNeeded = needsUserMetadata(rightsFor(loaded.rights, resource, action));
    const question = questionOf(check, isNeeded ? await userMetadata.get(subject.userId, freshnessOf(check)) : undefined);
    return { decision: give(decide(loaded.rights, question)), question };
  };

  const explainMany = async (checks: readonly Check[]): Promise<Answer[]> => {
    const [first] = checks;
    if (first === undefined) return [];
    const { userId } = first.subject;
    if (userId === '') return checks.map((check) => refuse(notAuthenticated, check));
    const loaded = await rightsFreshEnough(first);
    if (loaded === undefined) return checks.map((check) => refuse(invalidScope, check));
    const isNeeded = ({ resource, action }: Check): boolean => needsUserMetadata(rightsFor(loaded.rights, resource, action));
    const metadata = checks.some(isNeeded) ? await userMetadata.get(userId, freshnessOf(first)) : undefined;
    const answers: Answer[] = [];
    let since = performance.now();
    for (const check of checks) {
      if (performance.now() - since > turnMs) {
        await giveWay();
        since = performance.now();
      }
      const question = questionOf(check, isNeeded(check) ? metadata : undefined);
      answers.push({ decision: give(decide(loaded.rights, question)), question });
    }
    return answers;
  };

  const decideNow = (check: Check): Decision | undefined => {
    const { subject } = check;
    if (subject.userId === '') return give(notAuthenticated);
    const scope = scopeOf(subject, check.scope);
    if (scope === undefined) return give(invalidScope);
    const loaded = knownRights(check, scope);
    if (loaded === undefined || needsUserMetadata(rightsFor(loaded.rights, check.resource, check.action))) return undefined;
    return give(decide(loaded.rights, questionOf(check)));
  };

  return {
    given,
    decideNow,
    decide: async (check) => decideNow(check) ?? (await explain(check)).decision,
    explain,
    explainMany,
    rightsOf: (subject, asked, options) => load(subject, asked, freshnessOf(options)),
  };
}
