import { failures } from '@tessera/kernel/errors';
import { scopeField, strict } from '@tessera/kernel/operation';
import { type ConditionContext, type Json, jsonRecord } from '@tessera/rules/condition';
import { newEffort, TooCostly } from '@tessera/rules/effort';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { type Trace, traceCondition } from '../../domain/trace.ts';
import { assertCondition } from '../permissions/rules.ts';
import { ConditionSchema, ownScopes } from '../schemas.ts';
import { ComparisonSchema, presentComparison } from './explanation.ts';
import { Target } from './input.ts';
import { newRoom } from './length.ts';

const Facts = Type.Optional(Target);

export const tryCondition = operation({
  name: 'tryCondition',
  summary: 'Evaluates a condition against an example, as a decision would. Nothing is stored or read.',
  kind: 'query',
  input: strict({
    ...scopeField,
    condition: ConditionSchema,
    example: strict(
      { user: Facts, member: Facts, actor: Facts, role: Facts, group: Facts, resource: Facts, context: Facts },
      { description: 'What the paths of a condition read', graphqlType: 'ConditionExample' },
    ),
  }),
  output: Type.Object({ holds: Type.Boolean(), comparisons: Type.Array(ComparisonSchema) }),
  access: { permission: 'Permission:Query' },
  scopes: ownScopes,
  verification: 'by-scope',
  isolation: { none: 'it reads nothing' },
  errors: [],
  audit: { none: 'reads leave no trace' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/try-condition' },
  graphql: { field: 'tryCondition', type: 'ConditionTrial' },
  example: { input: { condition: { Equals: { 'member.metadata.tier': 'gold' } }, example: { member: { metadata: { tier: 'gold' } } } } },
  handle: async ({ condition, example: { user = {}, member = {}, actor, role = {}, group = {}, resource = {}, context } }) => {
    if (condition === null) return { holds: true, comparisons: [] };
    assertCondition(condition);
    const facts: ConditionContext = {
      user: { id: '', ...jsonRecord(user) },
      member: { metadata: {}, ...jsonRecord(member) },
      ...(actor === undefined ? {} : { actor: jsonRecord(actor) }),
      role: jsonRecord(role),
      group: jsonRecord(group),
      resource: jsonRecord(resource),
      ...(context === undefined ? {} : { context: jsonRecord(context) }),
      effort: newEffort(),
    };
    const { holds, comparisons } = traced(condition as Json, facts);
    const shown = { seesPeople: true, room: newRoom() };
    return { holds, comparisons: comparisons.map((one) => presentComparison(one, shown)) };
  },
});

/** A decision would not have this condition met either. */
function traced(condition: Json, facts: ConditionContext): Trace {
  try {
    return traceCondition(condition, facts);
  } catch (error) {
    throw error instanceof TooCostly ? failures.answerTooLarge() : error;
  }
}
