import { strict } from '@tessera/kernel/operation';
import { ScopeSchema, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../deps.ts';
import { checkOf, optionalScope, ownQuestions, question } from './input.ts';
import { DecisionSchema, presentAnswer } from './present.ts';

export const isAuthorizedMany = operation({
  name: 'isAuthorizedMany',
  summary: 'Up to 1,000 questions at once, answered in their order. A question without a scope takes that of the whole.',
  kind: 'query',
  input: strict({
    checks: Type.Array(strict({ ...question, scope: Type.Optional(ScopeSchema) }), { minItems: 1, maxItems: 1_000 }),
    ...optionalScope,
  }),
  output: Type.Object({ decisions: Type.Array(DecisionSchema) }),
  access: ownQuestions,
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: [],
  audit: { none: 'questions are asked thousands of times a second' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/is-authorized/batch' },
  graphql: { field: 'isAuthorizedMany' },
  handle: async ({ checks, scope }, context) => {
    const answers = await Promise.all(checks.map((check) => context.deps.decider.explain(checkOf(context, check, check.scope ?? scope))));
    return { decisions: answers.map(presentAnswer) };
  },
});
