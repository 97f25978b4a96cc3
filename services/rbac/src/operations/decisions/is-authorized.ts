import { strict } from '@tessera/kernel/operation';
import { tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { scopeOf } from '../../decisions/decider.ts';
import { operation } from '../../deps.ts';
import { explain } from './explanation.ts';
import { checkOf, optionalScope, optionalSubject, ownQuestions, question } from './input.ts';
import { mayCaller, whoseRights } from './named.ts';
import { DecisionSchema, presentAnswer, withoutMetadata } from './present.ts';

export const isAuthorized = operation({
  name: 'isAuthorized',
  summary: 'May the caller, or the subject that it names, do this here? A refusal is an answer (200), not an error.',
  kind: 'query',
  input: strict({
    ...question,
    ...optionalScope,
    ...optionalSubject,
    explain: Type.Optional(Type.Boolean({ description: 'Also answer every path with the values compared, and what would have to change' })),
  }),
  output: DecisionSchema,
  access: ownQuestions,
  support: 'allowed',
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: ['FORBIDDEN'],
  audit: { none: 'questions are asked thousands of times a second' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/is-authorized' },
  graphql: { field: 'isAuthorized', type: 'AuthorizationDecision' },
  example: { input: { permission: { resource: 'Role', action: 'Query' } } },
  handle: async (input, context) => {
    const { scope } = input;
    const whose = await whoseRights(context, input.subject, scope, input.actor);
    const answer = await context.deps.decider.explain(checkOf(context, input, whose));
    await context.deps.requests.admit(scopeOf(whose.subject, whose.scope), answer.decision);
    // To evaluate the rights of others is no right to read their metadata.
    const seesPeople = !whose.isOther || (await mayCaller(context, scope, 'User:Query'));
    const shown = presentAnswer(seesPeople ? answer : withoutMetadata(answer));
    if (input.explain !== true) return shown;
    return { ...shown, explanation: await explain(context, answer, { asked: scope, seesPeople }) };
  },
});
