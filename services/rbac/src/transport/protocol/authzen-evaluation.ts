import { AppError, failures, reasons, renderError } from '@tessera/kernel/errors';
import { isAuthorized } from '../../operations/decisions/is-authorized.ts';
import { isAuthorizedMany } from '../../operations/decisions/is-authorized-many.ts';
import { type Asked, atMost, checkOf, isObject, type Json, mustBeObject, optionalObject } from './authzen-request.ts';

type Decision = {
  readonly authorized: boolean;
  readonly reason: string;
  readonly matchedPermission: { readonly name: string; readonly role: { readonly name: string } } | null;
};
type Evaluation = { readonly decision: boolean; readonly context: object };

function evaluationOf({ authorized, reason, matchedPermission }: Decision): Evaluation {
  const path = matchedPermission === null ? {} : { permission: matchedPermission.name, role: matchedPermission.role.name };
  return { decision: authorized, context: { reason, ...path } };
}

export async function answerEvaluation(body: Json, { ask }: Asked): Promise<Evaluation> {
  return evaluationOf(await ask<Decision>(isAuthorized, checkOf(body)));
}

const semantics = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;

function semanticOf(body: Json): (typeof semantics)[number] {
  const { evaluations_semantic: given = 'execute_all' } = optionalObject(body, 'options');
  const known = semantics.find((name) => name === given);
  if (known === undefined) throw failures.validation('options.evaluations_semantic', reasons.oneOf(semantics));
  return known;
}

/** What an evaluation says replaces the default whole (section 7.1.1 of the standard). */
function withDefaults({ subject, actor, action, resource, context }: Json, item: unknown): Json {
  if (!isObject(item)) throw failures.validation('evaluations', mustBeObject);
  return { subject, actor, action, resource, context, ...item };
}

/** A question that can not be asked is a refusal of its own; the others are answered. */
function readItem(body: Json, item: unknown): { readonly check: object } | { readonly fault: Evaluation } {
  try {
    return { check: checkOf(withDefaults(body, item)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { status, body: rendered } = renderError(error, 'en');
    return { fault: { decision: false, context: { error: { status, message: rendered.error } } } };
  }
}

const mostEvaluations = 1_000;
/** In characters, over all items: each of them reads anew what it takes over. */
const mostTakenOver = 4 * 1_024 * 1_024;
const defaults = ['subject', 'actor', 'action', 'resource', 'context'] as const;

/** A megabyte that a thousand items take over would be a gigabyte of questions. */
function assertFitting(body: Json, evaluations: readonly unknown[]): void {
  const lengths = defaults.map((name) => {
    const heirs = evaluations.filter((item) => isObject(item) && item[name] === undefined).length;
    return heirs * JSON.stringify(body[name] ?? null).length;
  });
  if (lengths.reduce((sum, length) => sum + length) > mostTakenOver) throw failures.tooLarge();
}

export async function answerEvaluations(body: Json, asked: Asked): Promise<object> {
  const { evaluations } = body;
  const semantic = semanticOf(body);
  if (evaluations !== undefined && !Array.isArray(evaluations))
    throw failures.validation('evaluations', { en: 'must be a list', de: 'muss eine Liste sein' });
  if (evaluations === undefined || evaluations.length === 0) return answerEvaluation(body, asked);
  if (evaluations.length > mostEvaluations) throw failures.validation('evaluations', atMost(mostEvaluations));
  assertFitting(body, evaluations);
  const items = evaluations.map((item: unknown) => readItem(body, item));
  const checks = items.flatMap((item) => ('check' in item ? [item.check] : []));
  const decisions =
    checks.length === 0 ? [] : [...(await asked.ask<{ readonly decisions: readonly Decision[] }>(isAuthorizedMany, { checks })).decisions];
  const answers = items.map((item) => {
    if ('fault' in item) return item.fault;
    const decision = decisions.shift();
    if (decision === undefined) throw new Error('a check has no decision');
    return evaluationOf(decision);
  });
  const last = semantic === 'execute_all' ? -1 : answers.findIndex(({ decision }) => decision === (semantic === 'permit_on_first_permit'));
  return { evaluations: last === -1 ? answers : answers.slice(0, last + 1) };
}
