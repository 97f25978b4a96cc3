import { buildSchema, findBreakingChanges } from 'graphql';
import type { Break } from './break.ts';

/** By the library's own comparison; an enumeration may gain values (docs/stability.md). */
export function graphqlBreaks(before: string, now: string): readonly Break[] {
  return findBreakingChanges(buildSchema(before), buildSchema(now)).map(({ description }) => ({
    subject: subjectOf(description),
    what: description.replace(/\.$/, ''),
  }));
}

/** The library writes `Role.name was removed.` or `… on input type RoleInput was added.` */
function subjectOf(description: string): string {
  return (/[_A-Za-z]\w*\.\w+/.exec(description) ?? /(?<=type )\w+/.exec(description) ?? /\w+/.exec(description))?.[0] ?? description;
}
