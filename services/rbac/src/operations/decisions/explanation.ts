import { failures } from '@tessera/kernel/errors';
import { callerOf, Id, Nullable, type OperationContext } from '@tessera/kernel/operation';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { type Effort, newEffort, TooCostly } from '@tessera/rules/effort';
import Type, { type Static } from 'typebox';
import type { Answer } from '../../decisions/decider.ts';
import type { RbacDeps } from '../../deps.ts';
import { builtInRolesGiving } from '../../domain/catalogue.ts';
import { contextOf, type Reason } from '../../domain/decision.ts';
import { refusers } from '../../domain/delegation.ts';
import type { Grant } from '../../domain/rights.ts';
import { effectiveScope } from '../../domain/subject.ts';
import { type Comparison, traceCondition } from '../../domain/trace.ts';
import { listGivingRoles } from '../../storage/action-holders.ts';
import { roleTable } from '../../storage/entity-tables.ts';
import { findEntities } from '../../storage/scoped-entity.ts';
import { newRoom, type Room, takeRoom } from './length.ts';
import { MatchedPermission, presentCondition, presentPermission } from './matched-permission.ts';
import { mayCaller } from './named.ts';

export const ComparisonSchema = Type.Object({
  operator: Type.String(),
  path: Type.String(),
  actual: Type.Unknown({ description: 'Null when the path has no value, or when it is hidden' }),
  expected: Type.Unknown(),
  holds: Type.Boolean(),
  isUnmet: Type.Boolean({ description: 'It stands in the way: with another value the condition could hold' }),
  isHidden: Type.Boolean({ description: 'Metadata of a person, which the caller may not read (User:Query)' }),
});

const changes = [
  'meetCondition', 'giveRole', 'makePermission', 'allowScope', 'useSecondFactor', 'signInAgain', 'changePassword', 'signInByConnection', 'chooseScope', 'signIn',
  'giveRoleToActor',
] as const; // biome-ignore format: one list

export const Explanation = Type.Object({
  paths: Type.Array(
    Type.Object({
      permission: MatchedPermission,
      condition: Nullable(Type.Record(Type.String(), Type.Unknown())),
      holds: Type.Boolean(),
      comparisons: Type.Array(ComparisonSchema),
    }),
    { description: 'Every way by which the subject holds the action: role, group, permission, condition' },
  ),
  changes: Type.Array(
    Type.Object({
      kind: Type.Enum([...changes]),
      role: Nullable(Type.Object({ id: Id, name: Type.String() })),
      permission: Nullable(Type.String()),
    }),
    { description: 'What would have to change for a yes; any one of these' },
  ),
  moreRoles: Type.Integer({ description: 'How many more roles would give it than `changes` names' }),
  refusedBy: Nullable(
    Type.Enum([...refusers], {
      description:
        'subject: the person has no right; actor: who acts has none; app: its scopes or the consent leave it out; grant: the project grant',
    }),
  ),
});
type Explanation = Static<typeof Explanation>;
type Change = Explanation['changes'][number];

const mostRoles = 20;

function isPersonal(path: string): boolean {
  return path.startsWith('user.metadata') || path.startsWith('member.metadata');
}

export function presentComparison(
  { operator, path, actual, expected, holds, isUnmet, reads }: Comparison,
  { seesPeople, room }: { readonly seesPeople: boolean; readonly room: Room },
) {
  takeRoom(room, actual, expected);
  const isHidden = !seesPeople && reads.some(isPersonal);
  return {
    operator,
    path,
    holds,
    isUnmet,
    isHidden,
    actual: isHidden && isPersonal(path) ? null : (actual ?? null),
    expected: isHidden && reads.slice(1).some(isPersonal) ? null : (expected ?? null),
  };
}

/** A malformed condition, which none should be, has nothing to show. */
function comparisonsOf(grant: Grant, question: Answer['question'], effort: Effort): { holds: boolean; comparisons: readonly Comparison[] } {
  if (grant.predicate === null) return { holds: true, comparisons: [] };
  try {
    return traceCondition(grant.condition, contextOf(grant, question, effort));
  } catch (error) {
    if (error instanceof TooCostly) throw failures.answerTooLarge();
    return { holds: false, comparisons: [] };
  }
}

function pathsOf({ found, question }: Answer, seesPeople: boolean): Explanation['paths'] {
  const grants = found?.unconditional === undefined ? (found?.conditional ?? []) : [found.unconditional];
  const [effort, room] = [newEffort(), newRoom()];
  return grants.map((grant) => {
    takeRoom(room, grant.condition);
    const { holds, comparisons } = comparisonsOf(grant, question, effort);
    return {
      permission: presentPermission(grant),
      condition: presentCondition(grant),
      holds,
      comparisons: comparisons.map((comparison) => presentComparison(comparison, { seesPeople, room })),
    };
  });
}

const remedies: Readonly<Partial<Record<Reason, Change['kind']>>> = {
  SCOPE_NOT_GRANTED: 'allowScope',
  SECOND_FACTOR_REQUIRED: 'useSecondFactor',
  FRESH_SIGN_IN_REQUIRED: 'signInAgain',
  NEW_PASSWORD_REQUIRED: 'changePassword',
  CONNECTION_REQUIRED: 'signInByConnection',
  INVALID_SCOPE: 'chooseScope',
  NOT_AUTHENTICATED: 'signIn',
};

function change(kind: Change['kind'], role: Change['role'] = null, permission: string | null = null): Change {
  return { kind, role, permission };
}

/** Roles that would give the action, for callers who may see roles. */
async function rolesToGive(context: OperationContext<RbacDeps>, scope: Scope, question: Answer['question']) {
  if (!(await mayCaller(context, scope, 'Role:Query'))) return { changes: [change('giveRole')], moreRoles: 0 };
  const parsed = parseScope(scope);
  const roles = await context.deps.database.scoped(
    parsed,
    (tx) => listGivingRoles(tx, parsed, question, builtInRolesGiving(question.resource, question.action)),
    { readOnly: true },
  );
  if (roles.length === 0) return { changes: [change('makePermission', null, `${question.resource}:${question.action}`)], moreRoles: 0 };
  return {
    changes: roles.slice(0, mostRoles).map(({ id, name }) => change('giveRole', { id, name })),
    moreRoles: Math.max(0, roles.length - mostRoles),
  };
}

/** The whole path of an answer, with each value compared, and what would have to change. */
export async function explain(
  context: OperationContext<RbacDeps>,
  answer: Answer,
  { asked, seesPeople }: { readonly asked: Scope | undefined; readonly seesPeople: boolean },
): Promise<Explanation> {
  return { ...(await explainPaths(context, answer, { asked, seesPeople })), refusedBy: await refusedBy(context, answer) };
}

/** `grant` when, in a customer's scope, no role that the grant shares has the permission. */
async function refusedBy({ deps, scope }: OperationContext<RbacDeps>, { question, ...answer }: Answer): Promise<Explanation['refusedBy']> {
  const isLeftOut = answer.refusedBy === 'subject' && answer.decision.reason === 'NO_MATCHING_PERMISSION_FOUND';
  if (!isLeftOut || scope === undefined || question.grantMetadata === undefined) return answer.refusedBy ?? null;
  const builtIn = builtInRolesGiving(question.resource, question.action);
  const granted = await deps.database.scoped(
    scope,
    async (tx) => {
      const giving = await listGivingRoles(tx, scope, question, builtIn);
      const ids = giving.map(({ id }) => id);
      return ids.length === 0 ? [] : findEntities(tx, roleTable, scope, ids);
    },
    { readOnly: true },
  );
  return granted.length === 0 ? 'grant' : 'subject';
}

async function explainPaths(
  context: OperationContext<RbacDeps>,
  answer: Answer,
  { asked, seesPeople }: { readonly asked: Scope | undefined; readonly seesPeople: boolean },
): Promise<Omit<Explanation, 'refusedBy'>> {
  const paths = pathsOf(answer, seesPeople);
  const { reason, authorized } = answer.decision;
  // Only the operator can lift a suspension.
  if (authorized || reason === 'TENANT_SUSPENDED' || reason === 'GRANT_SUSPENDED' || reason === 'GRANT_ENDED')
    return { paths, changes: [], moreRoles: 0 };
  // The actor lacks the permission: a change of the person's roles would not help.
  if (answer.refusedBy === 'actor') return { paths, changes: [change('giveRoleToActor')], moreRoles: 0 };
  const remedy = remedies[reason];
  if (remedy !== undefined) return { paths, changes: [change(remedy)], moreRoles: 0 };
  if (reason === 'PERMISSION_FOUND_CONDITION_NOT_MET')
    return {
      paths,
      changes: paths.map(({ permission: { role, name } }) => change('meetCondition', role, name)),
      moreRoles: 0,
    };
  const scope = effectiveScope(callerOf(context).subject, asked);
  return {
    paths,
    ...(scope === undefined ? { changes: [change('chooseScope')], moreRoles: 0 } : await rolesToGive(context, scope, answer.question)),
  };
}
