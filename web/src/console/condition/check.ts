import { MalformedCondition, parseCondition } from '../../../../services/rbac/src/domain/condition.ts';
import type { Language } from '../../words/language.tsx';
import { objectOf } from '../form/json.ts';

/** The condition of a text; null when there is none. */
export function conditionOf(text: string): Record<string, unknown> | null {
  return text.trim() === '' ? null : (objectOf(text) ?? null);
}

/** What the server would say against a condition, found by its own code. */
export function faultOf(text: string, language: Language): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    parseCondition(JSON.parse(text));
    return undefined;
  } catch (error) {
    if (error instanceof MalformedCondition) return error.reason[language];
    return error instanceof SyntaxError ? error.message : String(error);
  }
}

type Facts = Readonly<Record<string, unknown>>;
type Example = { readonly user?: Facts; readonly member?: Facts; readonly role?: Facts; readonly group?: Facts; readonly resource?: Facts };

/** What conditions can read of an example; the server refuses any other part. */
export function exampleOf(text: string): Example {
  const { user, member, role, group, resource } = (objectOf(text) ?? {}) as Example;
  return {
    ...(user && { user }),
    ...(member && { member }),
    ...(role && { role }),
    ...(group && { group }),
    ...(resource && { resource }),
  };
}

/** Whether a condition holds for an example; undefined when either can not be read. */
export function holdsFor(text: string, example: string): boolean | undefined {
  const context = objectOf(example);
  if (context === undefined || text.trim() === '' || faultOf(text, 'en') !== undefined) return undefined;
  const { user, member, role, group, resource } = context as Readonly<Record<string, never>>;
  return parseCondition(JSON.parse(text)).holds({
    user: user ?? { id: '' },
    member: member ?? { metadata: {} },
    role: role ?? {},
    group: group ?? {},
    resource: resource ?? {},
  });
}
