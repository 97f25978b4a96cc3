import { failures } from '@tessera/kernel/errors';
import { implement } from '@tessera/kernel/grpc';
import type * as wire from '@tessera/proto/types/rbac.v1';
import { type Json, jsonRecord } from '../../domain/condition.ts';
import { encodeConsistency } from '../../domain/consistency.ts';
import { type Decision, type Reason, reasons } from '../../domain/decision.ts';
import { effectiveScope } from '../../domain/subject.ts';
import type { Answer, Check, Decider } from '../../operations/decisions/decider.ts';
import { grantsWithin } from '../../operations/decisions/list-permissions.ts';
import { presentCondition, presentContext, presentPermission } from '../../operations/decisions/present.ts';
import { readAskedScope, readSubject } from './subject.ts';

const maxChecks = 1_000;
const noTarget: Readonly<Record<string, Json>> = Object.freeze({});

function readTarget(json: string): Readonly<Record<string, Json>> {
  if (json === '') return noTarget;
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return jsonRecord(value);
  } catch {
    // Text that is no JSON is refused below, like JSON that is no object.
  }
  throw failures.badInput({ extensions: { field: 'target_json' } });
}

function readCheck({ subject, scope, resource, action, targetJson, consistencyToken, noCache }: wire.Check): Check {
  return {
    subject: readSubject(subject),
    scope: readAskedScope(scope),
    resource,
    action,
    target: readTarget(targetJson),
    consistencyToken,
    noCache,
  };
}

/** One response for each reason, made once: a decision without explanation allocates nothing. */
const plain = Object.fromEntries(
  reasons.map((reason) => [reason, Object.freeze({ authorized: reason.startsWith('PERMISSION_GRANTED'), reason })]),
) as Readonly<Record<Reason, wire.Decision>>;
function toWire({ reason }: Decision): wire.Decision {
  return plain[reason];
}

function explained({ decision, question }: Answer): wire.Decision {
  const { grant } = decision;
  if (grant === undefined) return toWire(decision);
  return {
    ...toWire(decision),
    matchedPermissionJson: JSON.stringify(presentPermission(grant)),
    ...(grant.condition === null ? {} : { matchedConditionJson: JSON.stringify(presentCondition(grant)) }),
    evaluatedContextJson: JSON.stringify(presentContext(grant, question)),
  };
}

/** rbac.v1.Authorization: the hot path. Decisions from memory are answered in the same tick. */
export function authorizationService(decider: Decider) {
  const decide = (asked: wire.Check, explainAll: boolean): wire.Decision | Promise<wire.Decision> => {
    const check = readCheck(asked);
    if (explainAll || asked.explain === true) return decider.explain(check).then(explained);
    const decision = decider.decide(check);
    return decision instanceof Promise ? decision.then(toWire) : toWire(decision);
  };

  return implement('rbac.v1.Authorization', {
    isAuthorized: async (check) => decide(check, false),
    isAuthorizedMany: async ({ checks, explain }) => {
      if (checks.length > maxChecks) throw failures.validation('checks', `at most ${maxChecks}`);
      const decisions: (wire.Decision | Promise<wire.Decision>)[] = [];
      let isWaiting = false;
      for (const check of checks) {
        const decision = decide(check, explain);
        isWaiting ||= decision instanceof Promise;
        decisions.push(decision);
      }
      return { decisions: isWaiting ? await Promise.all(decisions) : (decisions as wire.Decision[]) };
    },
    listPermissions: async ({ subject, scope, consistencyToken }) => {
      const asking = readSubject(subject);
      const asked = readAskedScope(scope);
      const loaded = await decider.rightsOf(asking, asked, { consistencyToken });
      const effective = loaded && effectiveScope(asking, asked);
      if (loaded === undefined || effective === undefined) return { permissions: [], consistencyToken: '' };
      return {
        permissions: grantsWithin(loaded.rights, asking).map(({ resource, action, condition }) => ({
          resource,
          action,
          ...(condition === null ? {} : { conditionJson: JSON.stringify(condition) }),
        })),
        consistencyToken: encodeConsistency({ ...effective, version: loaded.versions.own }),
      };
    },
  });
}
