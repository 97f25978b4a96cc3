import { strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import { operation } from '../../deps.ts';
import { checkOf, optionalScope, ownQuestions, question } from './input.ts';
import { DecisionSchema, presentAnswer } from './present.ts';

export const isAuthorized = operation({
  name: 'isAuthorized',
  summary: 'May the caller do this here? A refusal is an answer (200), not an error.',
  kind: 'query',
  input: strict({ ...question, ...optionalScope }),
  output: DecisionSchema,
  access: ownQuestions,
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: [],
  audit: { none: 'questions are asked thousands of times a second' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/is-authorized' },
  graphql: { field: 'isAuthorized' },
  handle: async (input, context) => presentAnswer(await context.deps.decider.explain(checkOf(context, input, input.scope))),
});
