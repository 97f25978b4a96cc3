import { MalformedCondition, parseCondition } from '@tessera/rules/condition';
import { hasText, textOf } from '../../../words/spoken.ts';
import { objectOf } from '../form/json.ts';

/** The condition of a text; null when there is none. */
export function conditionOf(text: string): Record<string, unknown> | null {
  return text.trim() === '' ? null : (objectOf(text) ?? null);
}

/** What the server would say against a condition, found by its own code. */
export function faultOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    parseCondition(JSON.parse(text));
    return undefined;
  } catch (error) {
    if (error instanceof MalformedCondition) return reasonOf(error);
    return error instanceof SyntaxError ? error.message : String(error);
  }
}

function reasonOf({ template, named, message }: MalformedCondition): string {
  const key = `reason.${template}`;
  return hasText(key) ? textOf(key, { 1: named }) : message;
}

/** JSON where it is JSON, otherwise the text itself. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const joins = ['And', 'Or', 'AndNot'] as const;
export type Join = (typeof joins)[number];

/** A condition with one more comparison: both must hold, one of both, or the new one must not. */
export function withComparison(text: string, path: string, operator: string, value: string, join: Join): string {
  const comparison = { [operator]: { [path]: read(value) } };
  const part = join === 'AndNot' ? { Not: comparison } : comparison;
  const before = objectOf(text);
  if (before === undefined || Object.keys(before).length === 0) return JSON.stringify(part, null, 2);
  const name = join === 'Or' ? 'Or' : 'And';
  const list = before[name];
  return JSON.stringify({ [name]: Array.isArray(list) ? [...list, part] : [before, part] }, null, 2);
}

type Facts = Readonly<Record<string, unknown>>;
const partNames = ['user', 'member', 'role', 'group', 'resource', 'context'] as const;
type Example = { readonly [Name in (typeof partNames)[number]]?: Facts };

/** What conditions can read of an example; the server refuses any other part. */
export function exampleOf(text: string): Example {
  const given = (objectOf(text) ?? {}) as Example;
  return Object.fromEntries(partNames.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
}

/** Whether a condition holds for an example; undefined when either can not be read. */
export function holdsFor(text: string, example: string): boolean | undefined {
  if (objectOf(example) === undefined || text.trim() === '' || faultOf(text) !== undefined) return undefined;
  const { user, member, role = {}, group = {}, resource = {}, context } = exampleOf(example) as Readonly<Record<string, never>>;
  return parseCondition(JSON.parse(text)).holds({
    user: { id: '', ...(user ?? {}) },
    member: { metadata: {}, ...(member ?? {}) },
    role,
    group,
    resource,
    ...(context === undefined ? {} : { context }),
  });
}
