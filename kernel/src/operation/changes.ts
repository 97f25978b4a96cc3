import { createRedactor, markedFields, secretFields } from '../telemetry/index.ts';
import type { Change } from './audit.ts';
import type { AuditEntry } from './context.ts';
import type { Operation, OperationInput } from './declaration.ts';

const unshown = ['id', 'scope', 'createdAt', 'updatedAt', 'deletedAt'];
/** Longer values are named with their length only: a row is kept for months. */
const longestValue = 4_096;

function shapeOf<Deps>({ input, output }: Operation<Deps>) {
  const namesOf = (schema: object): string[] => Object.keys('properties' in schema ? Object(schema.properties) : {});
  const secrets = [...secretFields, ...markedFields(input), ...markedFields(output)];
  const own = namesOf(output).filter((name) => !unshown.includes(name) && !secrets.includes(name));
  return { own, given: namesOf(input).filter((name) => own.includes(name)), hide: createRedactor(secrets) };
}
const shapes = new WeakMap<object, ReturnType<typeof shapeOf>>();

function bounded(value: unknown): unknown {
  const { length } = JSON.stringify(value ?? null);
  return length > longestValue ? { omitted: `${length} characters` } : value;
}

/** The entity's fields that are not as they were; a deletion has all of them, before it. */
export function changesOf<Deps>(operation: Operation<Deps>, input: OperationInput, result: unknown, entry: AuditEntry): readonly Change[] {
  const shape = shapes.get(operation) ?? shapeOf(operation);
  shapes.set(operation, shape);
  const { before, after } = entry;
  const isDeletion = 'method' in operation.rest && operation.rest.method === 'DELETE';
  const names = isDeletion ? [...shape.own, ...Object.keys(before ?? {})] : [...shape.given, ...Object.keys(after ?? {})];
  const was = before ?? (isDeletion ? Object(result) : {});
  return differences(names, was, isDeletion ? {} : { ...input, ...Object(result), ...after }, shape.hide);
}

/** Those of the fields that are not as they were, without secrets. */
export function differences(names: readonly string[], before: object, after: object, hide = createRedactor(secretFields)): Change[] {
  const [was, is] = [Object(hide(before)), Object(hide(after))];
  return [...new Set(names)]
    .filter((name) => !unshown.includes(name) && JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null))
    .map((field) => ({ field, before: bounded(was[field]) ?? null, after: bounded(is[field]) ?? null }));
}
