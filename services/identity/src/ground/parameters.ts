import { failures, reasons } from '@tessera/kernel/errors';

const longest = 2_048;

/** RFC 6749 3.1: a parameter occurs at most once; without a value it counts as omitted. */
export function parameter(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name);
  if (more.length > 0) throw failures.validation(name, reasons.repeated);
  if (value !== undefined && value.length > longest) throw failures.validation(name, { en: 'is too long', de: 'ist zu lang' });
  // Postgres cannot store it.
  if (value?.includes('\0')) throw failures.validation(name, { en: 'contains a NUL character', de: 'enthält ein NUL-Zeichen' });
  return value === '' ? undefined : value;
}

export function requiredParameter(query: URLSearchParams, name: string): string {
  const value = parameter(query, name);
  if (value === undefined) throw failures.validation(name, reasons.required);
  return value;
}

export function oneOf<const Choice extends string>(query: URLSearchParams, name: string, choices: readonly [Choice, ...Choice[]]): Choice {
  const value = parameter(query, name);
  if (value === undefined) return choices[0];
  const known = choices.find((choice) => choice === value);
  if (known === undefined) throw failures.validation(name, reasons.oneOf(choices));
  return known;
}
