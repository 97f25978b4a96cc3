import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Locale } from 'typebox/system';
import { failures, reasons, type Text } from '../errors/index.ts';
import { nameFaults, tooLongFor } from './name.ts';
import { idPattern } from './page.ts';

const validators = new WeakMap<TSchema, Validator>();

/** The compiled schema; compiling it at start spares the first request the time. */
export function validatorOf(schema: TSchema): Validator {
  const compiled = validators.get(schema) ?? Compile(schema);
  validators.set(schema, compiled);
  return compiled;
}

const MAX_DEPTH = 32;

type Unstorable = { readonly path: readonly string[]; readonly reason: Text };

/**
 * Finds what Postgres cannot store (NUL, lone surrogates, too deep nesting), numbers that a reader
 * of JSON rounds, and the key that means a prototype.
 */
function findUnstorable(value: unknown, depth = 0): Unstorable | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path: [], reason: { en: 'contains a NUL character', de: 'enthält ein NUL-Zeichen' } };
    if (value.isWellFormed()) return undefined;
    return { path: [], reason: { en: 'is not well-formed Unicode', de: 'ist kein wohlgeformtes Unicode' } };
  }
  if (typeof value === 'number') return isExact(value) ? undefined : { path: [], reason: inexact };
  if (!isRecord(value)) return undefined;
  if (depth > MAX_DEPTH) return { path: [], reason: { en: 'is nested too deeply', de: 'ist zu tief verschachtelt' } };
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return { path: [key], reason: unknownKey };
    const inKey = findUnstorable(key);
    if (inKey) return inKey;
    const found = findUnstorable(value[key], depth + 1);
    // The path is built on the way out, because valid input, the usual case, needs none.
    if (found) return { path: [key, ...found.path], reason: found.reason };
  }
  return undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

type Fault = ReturnType<Validator['Errors']>[number];

function fieldOf({ instancePath, params, keyword }: Fault): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const listed =
    keyword === 'required' && 'requiredProperties' in params
      ? params.requiredProperties
      : 'additionalProperties' in params
        ? params.additionalProperties
        : undefined;
  const key = Array.isArray(listed) && typeof listed[0] === 'string' ? [listed[0].slice(0, 100)] : [];
  return [...path, ...key].join('.') || 'body';
}

const inexact = { en: 'is beyond 2^53 − 1', de: 'liegt jenseits von 2^53 − 1' };

/** False also for what overflows. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

const unknownKey = { en: 'is not known here', de: 'ist hier nicht bekannt' };

/** What the patterns that most fields have mean, for people. */
const patterns = new Map<unknown, Text>([
  [idPattern, { en: 'must be a UUID in lower case', de: 'muss eine UUID in Kleinbuchstaben sein' }],
  ['\\S', { en: 'must not be blank', de: 'darf nicht leer sein' }],
]);

/** For people; in JSON's words a German sentence would be half English. */
const germanTypes: Readonly<Record<string, string>> = {
  string: 'ein Text',
  number: 'eine Zahl',
  integer: 'eine ganze Zahl',
  boolean: 'true oder false',
  array: 'eine Liste',
  object: 'ein Objekt',
  null: 'null',
};

/** A longer list is in the OpenAPI document. */
const mostValues = 20;

function allowed(values: readonly unknown[]): Text {
  const names = values.slice(0, mostValues).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return names.length === 1
    ? { en: `must be ${names[0]}`, de: `muss ${names[0]} sein` }
    : reasons.oneOf(values.length > mostValues ? [...names, '…'] : names);
}

function germanOf(fault: Fault): string {
  if (fault.keyword !== 'type') return Locale.de_DE(fault);
  return `muss ${[fault.params.type]
    .flat()
    .map((type) => germanTypes[type] ?? type)
    .join(' oder ')} sein`;
}

/** The part of a schema that a fault names. */
function schemaOf({ schemaPath }: Fault, schema: TSchema): unknown {
  return schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), schema);
}

/** `others`: a union of constants fails once for each of them. */
function reasonOf(fault: Fault, others: readonly Fault[], schema: TSchema): Text {
  const length = fault.keyword === 'maxLength' ? tooLongFor(schemaOf(fault, schema)) : undefined;
  if (length !== undefined) return length;
  if (fault.keyword === 'enum') return allowed(fault.params.allowedValues);
  if (fault.keyword === 'const') {
    const constants = others.filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === fault.instancePath);
    return allowed(constants.flatMap((one) => (one.keyword === 'const' ? [one.params.allowedValue] : [])));
  }
  if (fault.keyword === 'required') return reasons.required;
  const ofPattern = fault.keyword === 'pattern' ? patterns.get(fault.params.pattern) : undefined;
  if (ofPattern !== undefined) return ofPattern;
  const ofName = fault.keyword === '~refine' ? nameFaults.get(fault.message) : undefined;
  if (ofName !== undefined) return ofName;
  return fault.keyword === 'additionalProperties' ? unknownKey : { en: fault.message, de: germanOf(fault) };
}

/** Some errors only say that a nested one failed; the most specific error names the field. */
function choose(faults: readonly Fault[]): Fault | undefined {
  return (
    faults.find(({ keyword }) => keyword === 'required' || keyword === 'additionalProperties') ??
    faults.find(({ keyword }) => keyword !== 'anyOf' && keyword !== 'boolean') ??
    faults[0]
  );
}

/** Coerces nothing, drops no unknown key. The error names the field and never repeats its value. */
export function validate(schema: TSchema, value: unknown): void {
  const unstorable = findUnstorable(value);
  if (unstorable) throw failures.validation(unstorable.path.join('.') || 'body', unstorable.reason);
  const validator = validatorOf(schema);
  if (validator.Check(value)) return;
  const faults = validator.Errors(value);
  const fault = choose(faults);
  if (!fault) throw failures.validation('body', { en: 'is not valid', de: 'ist nicht gültig' });
  throw failures.validation(fieldOf(fault), reasonOf(fault, faults, schema));
}
