/** What the editor offers to compare: paths, and values that fit an operator. */
import { operators, referencedPath } from '@tessera/rules/condition';

export type Operator = keyof typeof operators;
export const operatorNames = Object.keys(operators) as Operator[];

/** As the server reads them. What ends with a dot goes on with a name of one's own. */
export const paths = [
  'user.id',
  'user.metadata.',
  'member.metadata.',
  'resource.',
  'context.time',
  'context.ipAddress',
  'context.acr',
  'role.name',
  'role.metadata.',
  'group.name',
  'group.metadata.',
] as const;

const anyValue = ['{{user.id}}', 'true', '"text"', '100'];
const list = ['["one", "two"]', '{{member.metadata.list}}'];
const text = ['"text"', '{{member.metadata.text}}'];
const number = ['100', '{{member.metadata.limit}}'];
const workingHours = '{ "days": ["Mon", "Tue", "Wed", "Thu", "Fri"], "from": "08:00", "to": "18:00", "timeZone": "Europe/Berlin" }';

/** Values that an operator takes, the first to begin with. */
export function valuesFor(operator: Operator, path = ''): readonly string[] {
  if (path === 'context.acr' && (operator === 'StringEquals' || operator === 'StringNotEquals')) return ['"aal2"', '"aal1"'];
  if (operator === 'IpAddressIn') return ['"203.0.113.0/24"', '["2001:db8::/32", "192.0.2.7"]'];
  if (operator === 'TimeWithin') return [workingHours, '{ "before": "2030-01-01T00:00:00Z" }'];
  if (operator.startsWith('Numeric')) return number;
  if (operator.endsWith('In')) return list;
  return operator.startsWith('String') || operator.endsWith('With') ? text : anyValue;
}

const made: Readonly<Record<string, Operator>> = {
  'context.time': 'TimeWithin',
  'context.ipAddress': 'IpAddressIn',
  'context.acr': 'StringEquals',
};

/** The operator that a path is made for. */
export function operatorFor(path: string): Operator | undefined {
  return made[path];
}
/** The path that an operator is made for. */
export function pathFor(operator: Operator): string | undefined {
  return operator === 'StringEquals' ? undefined : Object.keys(made).find((path) => made[path] === operator);
}

/** The paths that a condition reads, to be offered again. */
export function pathsOf(condition: unknown): readonly string[] {
  if (Array.isArray(condition)) return condition.flatMap(pathsOf);
  if (typeof condition !== 'object' || condition === null) return [];
  return Object.entries(condition).flatMap(([name, operand]) => {
    if (!Object.hasOwn(operators, name)) return pathsOf(operand);
    const compared: readonly unknown[] = Object.values(operand ?? {});
    const referred = compared.flatMap((value) => (typeof value === 'string' ? (referencedPath(value) ?? []) : []));
    return [...Object.keys(operand ?? {}), ...referred];
  });
}
