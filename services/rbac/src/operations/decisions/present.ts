import { Nullable } from '@tessera/kernel/operation';
import Type from 'typebox';
import type { Answer } from '../../decisions/decider.ts';
import { contextOf, reasons } from '../../domain/decision.ts';
import type { Grant } from '../../domain/rights.ts';
import { Explanation } from './explanation.ts';
import { lengthOf } from './length.ts';
import { MatchedPermission, presentCondition, presentPermission } from './matched-permission.ts';

const FreeForm = Type.Record(Type.String(), Type.Unknown());

export const DecisionSchema = Type.Object({
  authorized: Type.Boolean(),
  reason: Type.Enum([...reasons]),
  matchedPermission: Nullable(MatchedPermission),
  matchedCondition: Nullable(FreeForm),
  evaluatedContext: Nullable(FreeForm),
  explanation: Nullable(Explanation),
});

/** The fields of role and group that conditions are documented to read. */
function shown({ id, name, description, metadata }: Grant['role'] | NonNullable<Grant['group']>) {
  return { id, name, description, metadata };
}

export function presentContext(grant: Grant, question: Answer['question']) {
  const { member, ...context } = contextOf(grant, question);
  return {
    ...context,
    ...(grant.predicate?.readsMember ? { member } : {}),
    role: shown(grant.role),
    ...(grant.group ? { group: shown(grant.group) } : { group: {} }),
  };
}

/** A decision with everything that explains it. */
export function presentAnswer({ decision: { authorized, reason, grant }, question }: Answer) {
  return {
    authorized,
    reason,
    matchedPermission: grant ? presentPermission(grant) : null,
    matchedCondition: grant ? presentCondition(grant) : null,
    evaluatedContext: grant ? presentContext(grant, question) : null,
    explanation: null,
  };
}

/** An answer about another subject, for a caller who may not read people's metadata. */
export function withoutMetadata(answer: Answer): Answer {
  return { ...answer, question: { ...answer.question, userMetadata: undefined, memberMetadata: undefined } };
}

/**
 * The approximate length of an explanation without the caller's own input. Each part is measured
 * once.
 */
export function weightOf({ decision: { grant }, question }: Answer): number {
  return grant === undefined
    ? 0
    : [grant.role, grant.group, grant.condition, question.userMetadata, question.memberMetadata].reduce<number>(
        (sum, part) => sum + lengthOf(part),
        0,
      );
}
