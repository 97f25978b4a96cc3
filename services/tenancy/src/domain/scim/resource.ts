/** Resources as they are kept: by the names of the schema, with the types of the schema. */
import { scimError } from '../../errors.ts';
import { type Attribute, attributeIn, commonAttributes, type ResourceType, type Schema, subAttributeOf } from './schema.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Resource = Readonly<Record<string, unknown>>;

const mostValues = 100;
const longestText = 2_000;
/** Of a whole resource, as JSON. */
export const mostCharacters = 32_768;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, what: string) {
  return scimError('invalidValue', `${path} must be ${what}.`);
}

/** A value of the attribute, or undefined for none: null, an empty list, an object without any. */
export function readValue(attribute: Attribute, value: unknown, path: string = attribute.name): unknown {
  if (value === null || value === undefined) return undefined;
  if (attribute.multiValued !== true) return readOne(attribute, value, path);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > mostValues) throw wrong(path, `a list of ${mostValues} values at most`);
  const read = values.flatMap((one) => readOne(attribute, one, path) ?? []);
  if (read.filter((one) => isObject(one) && one['primary'] === true).length > 1)
    throw scimError('invalidValue', `${path} has more than one primary value.`);
  return read.length === 0 ? undefined : read;
}

/** One value. Entra sends booleans as texts, and a manager as its id. */
export function readOne(attribute: Attribute, value: unknown, path: string): unknown {
  const { type } = attribute;
  if (value === null || value === undefined) return undefined;
  if (type === 'complex') return readParts(attribute, value, path);
  if (type === 'boolean') {
    const text = typeof value === 'string' ? value.toLowerCase() : value;
    if (text === true || text === 'true') return true;
    if (text === false || text === 'false') return false;
    throw wrong(path, 'true or false');
  }
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') throw wrong(path, 'a text');
  if (text.length > longestText) throw wrong(path, `${longestText} characters at most`);
  if (text.includes('\u0000') || !text.isWellFormed()) throw wrong(path, 'a text of Unicode without NUL');
  return text === '' ? undefined : text;
}

function readParts(attribute: Attribute, value: unknown, path: string): unknown {
  const ofValue = subAttributeOf(attribute, 'value');
  if (!isObject(value)) {
    if (ofValue === undefined || typeof value === 'object') throw wrong(path, 'an object');
    const only = readOne(ofValue, value, `${path}.value`);
    return only === undefined ? undefined : { value: only };
  }
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const sub = subAttributeOf(attribute, name);
    if (sub === undefined || sub.mutability === 'readOnly') return [];
    const read = readValue(sub, part, `${path}.${sub.name}`);
    return read === undefined ? [] : [[sub.name, read] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function readAttributes(attributes: readonly Attribute[], given: Json, prefix = ''): Resource {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const attribute = attributeIn(attributes, name);
      if (attribute === undefined || attribute.mutability === 'readOnly') return [];
      const read = readValue(attribute, value, prefix + attribute.name);
      return read === undefined ? [] : [[attribute.name, read] as const];
    }),
  );
}

const common = commonAttributes.filter(({ name }) => name === 'externalId');

/**
 * The body of a POST or PUT. What is read-only is left out (RFC 7644, section 3.5.1), and so is
 * what no schema has: directories send passwords, too, which they may not set here.
 */
export function readResource({ schema, extensions }: ResourceType, body: unknown): Resource {
  if (!isObject(body)) throw scimError('invalidSyntax', 'The body must be a JSON object.');
  assertSchemas(schema, body['schemas']);
  const own = readAttributes([...common, ...schema.attributes], body);
  const extended = extensions.flatMap(({ id, attributes }) => {
    const given = Object.entries(body).find(([name]) => name.toLowerCase() === id.toLowerCase())?.[1];
    if (given === undefined || given === null) return [];
    if (!isObject(given)) throw wrong(id, 'an object');
    const read = readAttributes(attributes, given, `${id}:`);
    return Object.keys(read).length === 0 ? [] : [[id, read] as const];
  });
  return assertComplete(schema, { ...own, ...Object.fromEntries(extended) });
}

function assertSchemas({ id }: Schema, schemas: unknown): void {
  const isNamed = Array.isArray(schemas) && schemas.some((one) => typeof one === 'string' && one.toLowerCase() === id.toLowerCase());
  if (!isNamed) throw scimError('invalidValue', `schemas must name ${id}.`);
}

/** 400 for a resource that lacks what it must have, or is too large. */
export function assertComplete({ attributes }: Schema, resource: Resource): Resource {
  for (const { name, required } of attributes)
    if (required === true && resource[name] === undefined) throw scimError('invalidValue', `${name} is required.`);
  return assertSize(resource);
}

export function assertSize(resource: Resource): Resource {
  if (JSON.stringify(resource).length > mostCharacters)
    throw scimError('invalidValue', `The resource has more than ${mostCharacters} characters.`);
  return resource;
}

/** The schemas of a resource: the extensions that it has values of, too. */
export function schemasOf({ schema, extensions }: ResourceType, resource: Resource): readonly string[] {
  return [schema.id, ...extensions.flatMap(({ id }) => (resource[id] === undefined ? [] : [id]))];
}
