import { failures } from '@tessera/kernel/errors';
import { strict } from '@tessera/kernel/operation';
import { ScopeSchema, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { checkOf, optionalScope, ownQuestions, question } from './input.ts';
import { DecisionSchema, presentAnswer, weightOf } from './present.ts';

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
    const asked = checks.map((check) => checkOf(context, check, check.scope ?? scope));
    const answers = await context.deps.decider.explainAll(asked);
    if (answers.reduce((sum, answer) => sum + weightOf(answer), 0) > heaviestAnswer) {
      throw failures.validation('checks', {
        en: 'with roles, groups and conditions this large fewer can be explained at once',
        de: 'sind zu viele: Mit so großen Rollen, Gruppen und Bedingungen können weniger auf einmal erklärt werden',
      });
    }
    return { decisions: answers.map(presentAnswer) };
  },
});

/**
 * In characters. One large condition is stored once but repeated in the explanation of every check.
 */
const heaviestAnswer = 16 * 1_024 * 1_024;
