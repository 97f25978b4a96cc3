/** rbac.v1.Authorization as applications see it. */
import { AppError, failures } from '@tessera/kernel/errors';
import type { Call } from '@tessera/kernel/grpc';
import type { RequestQuota } from '@tessera/kernel/quota';
import { type Claims, credentialOf } from '@tessera/kernel/tokens';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { type Answer, scopeOf } from '../../../decisions/decider.ts';
import { createTurns } from '../../../decisions/turns.ts';
import { notAuthenticated } from '../../../domain/decision.ts';
import { weightOf } from '../../../operations/decisions/present.ts';
import { explained, listGranted, readQuestion, toWire } from '../present.ts';
import { answerActions, answerResources, answerSubjects, type SearchDeps } from '../search.ts';
import type { Application } from './admit.ts';
import { maxChecks } from './inspect.ts';
import type { CredentialLimit } from './limit.ts';
import type { NoteRefusal } from './refusals.ts';
import { type AskedBy, assertEvaluate, coveredScope, resolveActor, resolveSubject } from './subjects.ts';

type Deps = SearchDeps & {
  readonly verifyToken: (token: string) => Promise<Claims>;
  readonly limit: CredentialLimit;
  readonly requests: Pick<RequestQuota, 'admit'>;
  readonly noteRefusal: NoteRefusal;
};
type AskedCall = Call<Application> & { readonly application: Application };

/** Checks of one call that may wait for the database at the same time. */
const checksAtOnce = 4;
/** How long one call may hold the event loop. */
const turnMs = 5;
/** In characters, over all explanations of a call. */
const heaviestAnswer = 2 * 1_024 * 1_024;
/** A check that reads the database counts as so many. */
const freshCost = 10;
/** One that goes through the holders of a scope. */
const searchCost = 100;

function costOf({
  noCache,
  consistencyToken = '',
}: {
  readonly noCache?: boolean;
  readonly consistencyToken?: string | undefined;
}): number {
  return noCache === true || consistencyToken !== '' ? freshCost : 1;
}

/** A check that does not say whose rights it is about gets the token of the whole. */
function withToken(check: wire.Check, userToken: string): wire.Check {
  return check.subject === undefined && check.userToken === undefined ? { ...check, userToken } : check;
}

/** Verifies a token once for all checks of a call. */
function onceEach(verifyToken: Deps['verifyToken']): Deps['verifyToken'] {
  const verified = new Map<string, Promise<Claims>>();
  return (token) => {
    const known = verified.get(token) ?? verifyToken(token);
    verified.set(token, known);
    return known;
  };
}

export function createApplicationAnswers(deps: Deps) {
  const { decider, limit, noteRefusal, requests, verifyToken } = deps;
  const nextTurn = createTurns();
  const asked: Record<AskedBy, number> = { 'user token': 0, name: 0, 'own token': 0 };

  /** The call itself has been counted as one check when it was let in. */
  const count = ({ application }: AskedCall, cost: number): void => limit.take(credentialOf(application.claims), Math.max(0, cost - 1));

  const answer = async (
    { application }: AskedCall,
    check: wire.Check,
    isExplained: boolean,
    { verify = verifyToken, counted = new Set<string>() } = {},
  ): Promise<{ decision: wire.Decision; weight: number }> => {
    const resolved = await resolveSubject(application, check, { ...deps, verifyToken: verify });
    if (resolved === undefined) return { decision: toWire(notAuthenticated), weight: 0 };
    asked[resolved.by] += 1;
    const question = { ...readQuestion(check), subject: resolved.subject, scope: resolved.scope };
    const scope = scopeOf(question.subject, question.scope);
    if (!isExplained && check.explain !== true) {
      const decision = await decider.decide(question);
      await requests.admit(scope, decision, counted);
      return { decision: toWire(decision), weight: 0 };
    }
    const found = await decider.explain(question);
    await requests.admit(scope, found.decision, counted);
    // To evaluate the rights of others is no right to read their metadata.
    const shown: Answer =
      resolved.by === 'name' ? { ...found, question: { ...found.question, userMetadata: undefined, memberMetadata: undefined } } : found;
    return { decision: explained(shown), weight: weightOf(shown) };
  };

  const answerMany = async (call: AskedCall, checks: readonly wire.Check[], isExplained: boolean): Promise<wire.Decision[]> => {
    const decisions: wire.Decision[] = new Array(checks.length);
    const once = { verify: onceEach(verifyToken), counted: new Set<string>() };
    let [place, weight, since] = [0, 0, performance.now()];
    const work = async (): Promise<void> => {
      for (let index = place++; index < checks.length; index = place++) {
        const check = checks[index];
        if (check === undefined) continue;
        const { decision, weight: more } = await answer(call, check, isExplained, once);
        decisions[index] = decision;
        weight += more;
        if (weight > heaviestAnswer)
          throw failures.validation('checks', {
            en: 'with roles, groups and conditions this large fewer can be explained at once',
            de: 'sind zu viele: Mit so großen Rollen, Gruppen und Bedingungen können weniger auf einmal erklärt werden',
          });
        if (performance.now() - since <= turnMs) continue;
        if (Date.now() > call.deadline.getTime()) throw failures.timeout('rbac');
        await nextTurn();
        since = performance.now();
      }
    };
    try {
      await Promise.all(Array.from({ length: checksAtOnce }, work));
    } finally {
      place = checks.length;
    }
    return decisions;
  };

  const resolve = async ({ application }: AskedCall, request: Parameters<typeof resolveSubject>[1]) => {
    const resolved = await resolveSubject(application, request, deps);
    if (resolved !== undefined) return resolved;
    throw failures.validation('user_token', { en: 'must be a valid access token', de: 'muss ein gültiges Access-Token sein' });
  };

  /** Audits what is refused to a credential that is valid. */
  const audited = async <Result>(call: AskedCall, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.kind === 'forbidden') noteRefusal(call.application, error);
      throw error;
    }
  };

  return {
    /** How often applications asked, by the way in which they named the subject. */
    asked,
    isAuthorized: (call: AskedCall, check: wire.Check) =>
      audited(call, async () => {
        count(call, costOf(check));
        return (await answer(call, check, false)).decision;
      }),
    isAuthorizedMany: (call: AskedCall, { checks: given, explain, userToken }: wire.CheckMany) =>
      audited(call, async () => {
        if (given.length > maxChecks)
          throw failures.validation('checks', { en: `must be at most ${maxChecks}`, de: `dürfen höchstens ${maxChecks} sein` });
        const checks = userToken === undefined ? given : given.map((check) => withToken(check, userToken));
        count(
          call,
          checks.reduce((sum, check) => sum + costOf(check), 0),
        );
        return { decisions: await answerMany(call, checks, explain) };
      }),
    listPermissions: (call: AskedCall, request: wire.ListPermissionsRequest) =>
      audited(call, async () => {
        count(call, freshCost);
        const { subject, scope } = await resolve(call, request);
        return listGranted(decider, subject, scope, request.consistencyToken);
      }),
    findSubjects: (call: AskedCall, request: wire.FindSubjectsRequest) =>
      audited(call, async () => {
        count(call, searchCost);
        const scope = coveredScope(call.application, request.scope);
        await requests.admit(scope, await assertEvaluate(call.application, request, deps));
        const actor = request.actor && (await resolveActor(call.application, request, { ...deps, scope }));
        return answerSubjects(deps, request, scope, actor);
      }),
    findActions: (call: AskedCall, request: wire.FindActionsRequest) =>
      audited(call, async () => {
        count(call, freshCost);
        const { subject, scope } = await resolve(call, request);
        return answerActions(deps, request, subject, scope);
      }),
    findResources: (call: AskedCall, request: wire.FindResourcesRequest) =>
      audited(call, async () => {
        count(call, freshCost);
        const { subject, scope } = await resolve(call, request);
        return answerResources(deps, request, subject, scope);
      }),
  };
}
