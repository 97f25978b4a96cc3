/**
 * PATCH (RFC 7644, section 3.5.2) on a resource as it is kept. Both dialects are read: Okta's `{
 * op: 'replace', value: { active: false } }`, and Entra's `{ op: 'Replace', path: 'active', value:
 * 'False' }` with dotted names and paths as the keys of one value.
 */
import { scimError } from '../../errors.ts';
import { type Filter, type Path, parsePath } from './filter.ts';
import { matches, sizeOf } from './match.ts';
import { assertComplete, assertSize, isObject, type Json, type Resource, readOne, readValue } from './resource.ts';
import { type Attribute, findTarget, type ResourceType } from './schema.ts';

export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
/** The operations of a request, and the paths that are keys of their values. */
const mostOperations = 1_000;
/** Comparisons of values with each other and with filters, in a whole request. */
const mostComparisons = 100_000;

/** The remaining budget of a request, because one thread serves all organizations. */
class Budget {
  #operations = mostOperations;
  #comparisons = mostComparisons;

  takeOperation(): void {
    this.#operations -= 1;
    if (this.#operations < 0) throw scimError('tooMany', `The request changes more than ${mostOperations} paths.`);
  }

  compare(count: number): void {
    this.#comparisons -= count;
    if (this.#comparisons < 0) throw scimError('tooMany', `The request compares more than ${mostComparisons} values.`);
  }
}

type Op = 'add' | 'replace' | 'remove';
export type PatchOperation = { readonly op: Op; readonly path: string | undefined; readonly value: unknown };

/** The name of a field in any case: Entra has written `Operations`, others `operations`. */
function fieldOf(body: Json, name: string): unknown {
  return Object.entries(body).find(([key]) => key.toLowerCase() === name)?.[1];
}

export function readPatch(body: unknown): readonly PatchOperation[] {
  if (!isObject(body)) throw scimError('invalidSyntax', 'The body must be a JSON object.');
  const schemas = body['schemas'];
  if (!Array.isArray(schemas) || !schemas.some((one) => typeof one === 'string' && one.toLowerCase() === patchSchema.toLowerCase()))
    throw scimError('invalidSyntax', `schemas must name ${patchSchema}.`);
  const operations = fieldOf(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimError('invalidSyntax', 'Operations must be a list with an operation.');
  if (operations.length > mostOperations) throw scimError('invalidSyntax', `Operations has more than ${mostOperations}.`);
  return operations.map(readOperation);
}

function readOperation(given: unknown): PatchOperation {
  if (!isObject(given)) throw scimError('invalidSyntax', 'An operation must be an object.');
  const [name, path, value] = ['op', 'path', 'value'].map((field) => fieldOf(given, field));
  const op = typeof name === 'string' ? ops.get(name.toLowerCase()) : undefined;
  if (op === undefined) throw scimError('invalidSyntax', 'op must be add, replace or remove.');
  if (path !== undefined && path !== null && typeof path !== 'string') throw scimError('invalidPath', 'path must be a text.');
  if (op !== 'remove' && value === undefined) throw scimError('invalidValue', `${op} needs a value.`);
  return { op, path: typeof path === 'string' && path.trim() !== '' ? path : undefined, value };
}
const ops = new Map<string, Op>([
  ['add', 'add'],
  ['replace', 'replace'],
  ['remove', 'remove'],
]);

/** The resource after all operations, or none of them. */
export function applyPatch(type: ResourceType, resource: Resource, operations: readonly PatchOperation[]): Resource {
  const budget = new Budget();
  const patched = operations.reduce((before, { op, path, value }) => applyOne(type, before, { op, path, value, budget }), resource);
  return assertComplete(type.schema, patched);
}

type Budgeted = { readonly budget: Budget };

function applyOne(type: ResourceType, resource: Resource, { op, path, value, budget }: PatchOperation & Budgeted): Resource {
  if (path !== undefined) {
    budget.takeOperation();
    return assertSize(change(type, resource, { op, value, path: parsePath(type, path), isNamed: true, budget }));
  }
  if (op === 'remove') throw scimError('noTarget', 'remove needs a path.');
  return changeEach(type, resource, { op, value, budget });
}

type Part = Budgeted & { readonly op: Op; readonly value: unknown };

/** The fields of a value are paths. What no schema has is left out, as in a PUT. */
function changeEach(type: ResourceType, resource: Resource, { op, value, budget }: Part, prefix = ''): Resource {
  if (!isObject(value)) throw scimError('invalidValue', 'The value must be an object of attributes.');
  return Object.entries(value).reduce((before, [name, part]) => {
    budget.takeOperation();
    const path = prefix + name;
    const isKnown = path.includes('[') || findTarget(type, path) !== undefined;
    return isKnown ? assertSize(change(type, before, { op, value: part, path: parsePath(type, path), isNamed: false, budget })) : before;
  }, resource);
}

/** `isNamed`: the path stands in the operation, and is no field of its value. */
type Change = Part & { readonly path: Path; readonly isNamed: boolean };

function change(type: ResourceType, resource: Resource, { isNamed, ...asked }: Change): Resource {
  const { op, value, budget } = asked;
  const { extension, attribute, sub } = asked.path.target;
  if (attribute === undefined) {
    if (extension === undefined) return resource;
    return op === 'remove' ? withField(resource, extension, undefined) : changeEach(type, resource, { op, value, budget }, `${extension}:`);
  }
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly' || attribute.name === 'schemas') {
    // Directories send the whole resource back, with its id.
    if (!isNamed) return resource;
    throw scimError('mutability', `${attribute.name}${sub === undefined ? '' : `.${sub.name}`} can't be changed.`);
  }
  if (extension === undefined) return changeIn(resource, attribute, asked);
  const before = resource[extension];
  const after = changeIn(isObject(before) ? before : {}, attribute, asked);
  return withField(resource, extension, Object.keys(after).length === 0 ? undefined : after);
}

function withField(of: Json, name: string, value: unknown): Json {
  const { [name]: _, ...rest } = of;
  return value === undefined ? rest : { ...rest, [name]: value };
}

function changeIn(of: Json, attribute: Attribute, { op, value, path, budget }: Omit<Change, 'isNamed'>): Json {
  const { sub } = path.target;
  const before = of[attribute.name];
  if (attribute.multiValued === true)
    return withField(of, attribute.name, changeList(listOf(before), attribute, { op, value, path, budget }));
  if (sub !== undefined) {
    const parts = isObject(before) ? before : {};
    const after = withField(parts, sub.name, op === 'remove' ? undefined : readValue(sub, value, `${attribute.name}.${sub.name}`));
    return withField(of, attribute.name, Object.keys(after).length === 0 ? undefined : after);
  }
  if (op === 'remove') return withField(of, attribute.name, undefined);
  const read = readValue(attribute, value);
  // Parts that the value does not name stay (section 3.5.2.3).
  if (attribute.type === 'complex' && isObject(read) && isObject(before)) return withField(of, attribute.name, { ...before, ...read });
  return withField(of, attribute.name, read);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function changeList(before: readonly unknown[], attribute: Attribute, { op, value, path, budget }: Omit<Change, 'isNamed'>): unknown {
  const { sub } = path.target;
  const { filter } = path;
  if (filter !== undefined) return changeMatching(before, attribute, { op, value, filter, sub, budget });
  if (sub !== undefined) {
    // A path such as `emails.value` changes each entry.
    const read = op === 'remove' ? undefined : readValue(sub, value, `${attribute.name}.${sub.name}`);
    const changed = before.flatMap((one) => partsOf(withField(isObject(one) ? one : {}, sub.name, read)));
    const made = before.length === 0 && read !== undefined ? [{ [sub.name]: read }] : changed;
    return readValue(attribute, made);
  }
  if (op === 'replace') return readValue(attribute, value);
  const given = listOf(readValue(attribute, value));
  budget.compare(given.length * before.length);
  if (op === 'remove')
    return given.length === 0
      ? undefined
      : readValue(
          attribute,
          before.filter((one) => !given.some((other) => isSameValue(one, other))),
        );
  const added = given.filter((one) => !before.some((other) => isEqual(one, other)));
  return readValue(attribute, withOnePrimary(before, added));
}

/** Entra removes an entry of a list by its `value` alone. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (isObject(one) && isObject(other) && other['value'] !== undefined) return one['value'] === other['value'];
  return isEqual(one, other);
}

/** A value that becomes the primary one takes that from the others (section 3.5.2). */
function withOnePrimary(before: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const isPrimary = added.some((one) => isObject(one) && one['primary'] === true);
  const others = isPrimary ? before.map((one) => (isObject(one) && one['primary'] === true ? { ...one, primary: false } : one)) : before;
  return [...others, ...added];
}

function partsOf(value: Json): Json[] {
  return Object.keys(value).length === 0 ? [] : [value];
}

type Matching = Part & { readonly filter: Filter; readonly sub: Attribute | undefined };

function changeMatching(before: readonly unknown[], attribute: Attribute, { op, value, filter, sub, budget }: Matching): unknown {
  budget.compare(sizeOf(filter) * before.length);
  const found = new Set(before.filter((one) => isObject(one) && matches(one, filter)));
  const isMatch = (one: unknown) => found.has(one);
  if (op === 'remove') {
    const left = before.flatMap((one) =>
      isMatch(one) ? (sub === undefined || !isObject(one) ? [] : partsOf(withField(one, sub.name, undefined))) : [one],
    );
    return readValue(attribute, left);
  }
  const changeOf = (one: Json): unknown => {
    if (sub !== undefined) return withField(one, sub.name, readValue(sub, value, `${attribute.name}.${sub.name}`));
    const read = readOne(attribute, value, attribute.name);
    if (!isObject(read)) throw scimError('invalidValue', `${attribute.name} must be an object.`);
    return { ...one, ...read };
  };
  if (found.size === 0) {
    if (op === 'replace') throw scimError('noTarget', `No value of ${attribute.name} fulfils the filter.`);
    // Entra adds emails[type eq "work"].value before there is such a value.
    return readValue(attribute, withOnePrimary(before, [changeOf(equalParts(filter))]));
  }
  const changed = [...found].map((one) => changeOf(isObject(one) ? one : {}));
  const isPrimary = changed.some((one) => isObject(one) && one['primary'] === true);
  const next = changed[Symbol.iterator]();
  const all = before.map((one) => {
    if (isMatch(one)) return next.next().value;
    return isPrimary && isObject(one) && one['primary'] === true ? { ...one, primary: false } : one;
  });
  return readValue(attribute, all);
}

/** The parts of a new value, from a filter that has only equalities. */
function equalParts(filter: Filter): Json {
  if (filter.op === 'and') return Object.assign({}, ...filter.parts.map(equalParts));
  if (filter.op !== 'eq' || filter.target.sub === undefined || filter.value === null)
    throw scimError('noTarget', 'No value fulfils the filter, and the filter does not say what a new one would be.');
  return { [filter.target.sub.name]: filter.value };
}

/** Of values as they are kept: the order of fields does not count. */
function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return one.length === other.length && one.every((value, at) => isEqual(value, other[at]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isEqual(one[name], other[name]));
}
