import { failures } from '@tessera/kernel/errors';
import { type OperationContext, strict } from '@tessera/kernel/operation';
import { type Scope, ScopeSchema, tenants } from '@tessera/kernel/scope';
import Type from 'typebox';
import { scopeOf } from '../../decisions/decider.ts';
import { operation, type RbacDeps } from '../../deps.ts';
import { checkOf, optionalScope, optionalSubject, ownQuestions, question } from './input.ts';
import { mayCaller, type NamedActor, type NamedSubject, type Whose, whoseRights } from './named.ts';
import { DecisionSchema, presentAnswer, weightOf, withoutMetadata } from './present.ts';

export const isAuthorizedMany = operation({
  name: 'isAuthorizedMany',
  summary: 'Up to 1,000 questions at once, answered in their order. A question without scope or subject takes that of the whole.',
  kind: 'query',
  input: strict({
    checks: Type.Array(
      strict({ ...question, scope: Type.Optional(ScopeSchema), ...optionalSubject }, { graphqlType: 'IsAuthorizedCheck' }),
      { minItems: 1, maxItems: 1_000 },
    ),
    ...optionalScope,
    ...optionalSubject,
  }),
  output: Type.Object({ decisions: Type.Array(DecisionSchema) }),
  access: ownQuestions,
  support: 'allowed',
  scopes: tenants,
  verification: 'by-scope',
  isolation: { none: 'the decision reads its rights in one statement of its own, as the restricted role' },
  errors: ['FORBIDDEN'],
  audit: { none: 'questions are asked thousands of times a second' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/is-authorized/batch' },
  graphql: { field: 'isAuthorizedMany', type: 'AuthorizationDecisions' },
  handle: async ({ checks, scope, subject, actor }, context) => {
    const whose = resolveOnce(context);
    const asked = await Promise.all(
      checks.map(async (check) => {
        const place = check.scope ?? scope;
        const found = await whose({ subject: check.subject ?? subject, actor: check.actor ?? actor }, place);
        return { check: checkOf(context, check, found), seesPeople: found.seesPeople };
      }),
    );
    const answers = await context.deps.decider.explainAll(asked.map(({ check }) => check));
    const counted = new Set<string>();
    for (const [index, { decision }] of answers.entries()) {
      const check = asked[index]?.check;
      if (check !== undefined) await context.deps.requests.admit(scopeOf(check.subject, check.scope), decision, counted);
    }
    const shown = answers.map((answer, index) => (asked[index]?.seesPeople === true ? answer : withoutMetadata(answer)));
    if (shown.reduce((sum, answer) => sum + weightOf(answer), 0) > heaviestAnswer) {
      throw failures.validation('checks', {
        en: 'with roles, groups and conditions this large fewer can be explained at once',
        de: 'sind zu viele: Mit so großen Rollen, Gruppen und Bedingungen können weniger auf einmal erklärt werden',
      });
    }
    return { decisions: shown.map(presentAnswer) };
  },
});

type Found = Whose & { readonly seesPeople: boolean };
type Named = { readonly subject: NamedSubject | undefined; readonly actor: NamedActor | undefined };

/** Looks each subject up once in each scope. */
function resolveOnce(context: OperationContext<RbacDeps>) {
  const known = new Map<string, Promise<Found>>();
  const resolve = async ({ subject, actor }: Named, scope: Scope | undefined): Promise<Found> => {
    const whose = await whoseRights(context, subject, scope, actor);
    return { ...whose, seesPeople: !whose.isOther || (await mayCaller(context, scope, 'User:Query')) };
  };
  return (named: Named, scope: Scope | undefined): Promise<Found> => {
    const { subject, actor } = named;
    const key = [subject?.type, subject?.id, actor?.type, actor?.id, scope?.tenant, scope?.id].join(' ');
    const found = known.get(key) ?? resolve(named, scope);
    known.set(key, found);
    return found;
  };
}

/**
 * In characters. One large condition is stored once but repeated in the explanation of every check.
 */
const heaviestAnswer = 16 * 1_024 * 1_024;
