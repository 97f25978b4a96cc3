import { failures } from '@tessera/kernel/errors';
import { type Call, type Door, implement } from '@tessera/kernel/grpc';
import type * as wire from '@tessera/proto/types/rbac.v1';
import type { Check } from '../../decisions/decider.ts';
import type { Application } from './application/admit.ts';
import type { createApplicationAnswers } from './application/answer.ts';
import { maxChecks } from './application/inspect.ts';
import { explained, listGranted, readQuestion, toService } from './present.ts';
import { answerActions, answerResources, answerSubjects, type SearchDeps } from './search.ts';
import { readAskedScope, readScope, readSubject } from './subject.ts';

/** Others that show a service's credential ask for operations of their own. */
const ownServices: ReadonlySet<string> = new Set(['gateway', 'identity', 'keys', 'rbac', 'tenancy']);

function readCheck(check: wire.Check, isOwn: boolean): Check {
  const { subject, scope, ipAddress } = check;
  return { ...readQuestion(check), subject: readSubject(subject), scope: readAskedScope(scope), ipAddress, isOwn };
}

type Applications = { readonly door: Door<Application>; readonly answers: ReturnType<typeof createApplicationAnswers> };

function isOfApplication(call: Call<Application>): call is Call<Application> & { application: Application } {
  return call.application !== undefined;
}

/**
 * rbac.v1.Authorization: the hot path. Decisions from memory are answered in the same tick. A
 * service is believed what it says of a subject; an application proves it.
 */
export function authorizationService(deps: SearchDeps, { door, answers }: Applications) {
  const { decider } = deps;
  const decide = (asked: wire.Check, explainAll: boolean, caller: string): wire.Decision | Promise<wire.Decision> => {
    const check = readCheck(asked, ownServices.has(caller));
    if (explainAll || asked.explain === true) return decider.explain(check).then(explained);
    const decision = decider.decide(check);
    return decision instanceof Promise ? decision.then(toService) : toService(decision);
  };
  const decideAll = async ({ checks, explain }: wire.CheckMany, caller: string): Promise<wire.DecisionMany> => {
    if (checks.length > maxChecks)
      throw failures.validation('checks', { en: `must be at most ${maxChecks}`, de: `dürfen höchstens ${maxChecks} sein` });
    const decisions: (wire.Decision | Promise<wire.Decision>)[] = [];
    let isWaiting = false;
    for (const check of checks) {
      const decision = decide(check, explain, caller);
      isWaiting ||= decision instanceof Promise;
      decisions.push(decision);
    }
    return { decisions: isWaiting ? await Promise.all(decisions) : (decisions as wire.Decision[]) };
  };

  return implement<'rbac.v1.Authorization', Application>(
    'rbac.v1.Authorization',
    {
      isAuthorized: async (check, call) => (isOfApplication(call) ? answers.isAuthorized(call, check) : decide(check, false, call.caller)),
      isAuthorizedMany: async (request, call) =>
        isOfApplication(call) ? answers.isAuthorizedMany(call, request) : decideAll(request, call.caller),
      listPermissions: async (request, call) =>
        isOfApplication(call)
          ? answers.listPermissions(call, request)
          : listGranted(decider, readSubject(request.subject), readAskedScope(request.scope), request.consistencyToken),
      findSubjects: async (request, call) =>
        isOfApplication(call)
          ? answers.findSubjects(call, request)
          : answerSubjects(deps, request, readScope(request.scope ?? { tenant: '', id: '' })),
      findActions: async (request, call) =>
        isOfApplication(call)
          ? answers.findActions(call, request)
          : answerActions(deps, request, readSubject(request.subject), readAskedScope(request.scope)),
      findResources: async (request, call) =>
        isOfApplication(call)
          ? answers.findResources(call, request)
          : answerResources(deps, request, readSubject(request.subject), readAskedScope(request.scope)),
    },
    door,
  );
}
