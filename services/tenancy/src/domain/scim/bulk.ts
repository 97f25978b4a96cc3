/** The message of a bulk request (RFC 7644, section 3.7), and what its operations refer to. */
import { isId } from '@tessera/kernel/ids';
import { errors, scimError } from '../../errors.ts';
import { isObject, type Json } from './resource.ts';

export const bulkRequestSchema = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';
export const bulkResponseSchema = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse';

export const mostBulkOperations = 100;

const methods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

export type BulkOperation = {
  readonly method: (typeof methods)[number];
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly version: string | undefined;
  readonly data: unknown;
};

export type BulkRequest = { readonly operations: readonly BulkOperation[]; readonly failOnErrors: number };

/** Names are compared without case (RFC 7643, section 2.1). */
function fieldOf(of: Json, name: string): unknown {
  return Object.entries(of).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? undefined;
}

/** A message that is none is refused as a whole, before anything is done. */
export function readBulk(body: unknown): BulkRequest {
  if (!isObject(body)) throw scimError('invalidSyntax', 'The body must be a JSON object.');
  const schemas = body['schemas'];
  if (!Array.isArray(schemas) || !schemas.some((one) => typeof one === 'string' && one.toLowerCase() === bulkRequestSchema.toLowerCase()))
    throw scimError('invalidSyntax', `schemas must name ${bulkRequestSchema}.`);
  const given = fieldOf(body, 'Operations');
  if (!Array.isArray(given) || given.length === 0) throw scimError('invalidSyntax', 'Operations must be a list with an operation.');
  if (given.length > mostBulkOperations) throw errors.scimTooManyOperations({ params: { limit: mostBulkOperations } });
  const operations = given.map(readOperation);
  const bulkIds = operations.flatMap(({ bulkId }) => bulkId ?? []);
  if (new Set(bulkIds).size < bulkIds.length) throw scimError('invalidValue', 'A bulkId is given twice.');
  return { operations, failOnErrors: failOnErrorsOf(body) };
}

function failOnErrorsOf(body: Json): number {
  const given = fieldOf(body, 'failOnErrors');
  if (given === undefined) return Number.POSITIVE_INFINITY;
  if (typeof given !== 'number' || !Number.isSafeInteger(given) || given < 1)
    throw scimError('invalidValue', 'failOnErrors must be a whole number from 1.');
  return given;
}

const bulkIdForm = /^[^"\\/\p{Cc}\p{Cs}]{1,200}$/u;

function readOperation(given: unknown): BulkOperation {
  if (!isObject(given)) throw scimError('invalidSyntax', 'An operation must be an object.');
  const name = fieldOf(given, 'method');
  const method = methods.find((one) => typeof name === 'string' && one === name.toUpperCase());
  if (method === undefined) throw scimError('invalidSyntax', 'method must be POST, PUT, PATCH or DELETE.');
  const [path, bulkId, version] = ['path', 'bulkId', 'version'].map((field) => textOf(given, field));
  if (path === undefined) throw scimError('invalidSyntax', 'An operation needs a path.');
  if (bulkId !== undefined && !bulkIdForm.test(bulkId))
    throw scimError('invalidValue', 'A bulkId has 1 to 200 characters, none of which is a quote, a slash or a backslash.');
  return { method, path, bulkId, version, data: fieldOf(given, 'data') };
}

function textOf(given: Json, field: string): string | undefined {
  const value = fieldOf(given, field);
  if (value !== undefined && typeof value !== 'string') throw scimError('invalidSyntax', `${field} must be a text.`);
  return value;
}

const reference = 'bulkId:';
/** In the path of a PATCH: `members[value eq "bulkId:ada"]`. */
const referenceInPath = /"bulkId:([^"\\/]{1,200})"/gi;
/** No attribute of a schema is deeper. */
const deepest = 12;

/** The bulkId that a text refers to. */
function referenceOf(text: string): string | undefined {
  const isReference = text.slice(0, reference.length).toLowerCase() === reference.toLowerCase();
  return isReference ? text.slice(reference.length) : undefined;
}

/**
 * The same data with each reference replaced. Undefined leaves out the value, and the object that
 * it stands in: a member without its id is no member.
 */
function replaced(value: unknown, replace: (bulkId: string) => string | undefined, depth = 0): unknown {
  if (typeof value === 'string') {
    const bulkId = referenceOf(value);
    return bulkId === undefined ? value : replace(bulkId);
  }
  if (depth === deepest || typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, replacedPart(name, part, replace, depth + 1)] as const);
  const kept = parts.filter(([, part]) => part !== undefined);
  if (Array.isArray(value)) return kept.map(([, part]) => part);
  const isCut = depth > 0 && parts.some(([name, part]) => part === undefined && typeof Reflect.get(value, name) === 'string');
  return isCut || (kept.length === 0 && parts.length > 0) ? undefined : Object.fromEntries(kept);
}

function replacedPart(name: string, part: unknown, replace: (bulkId: string) => string | undefined, depth: number): unknown {
  if (name.toLowerCase() !== 'path' || typeof part !== 'string') return replaced(part, replace, depth);
  return part.replaceAll(referenceInPath, (_whole, bulkId: string) => JSON.stringify(replace(bulkId) ?? ''));
}

export type Target = { readonly endpoint: string; readonly id: string | undefined };

/** `/Users` or `/Users/{id}`, below the address of the organization. */
export function targetOf({ method, path }: Pick<BulkOperation, 'method' | 'path'>): Target {
  const [, endpoint, id] = /^\/([A-Za-z]{1,40})(?:\/([^/?#]{1,300}))?$/.exec(path) ?? [];
  if (endpoint === undefined || (method === 'POST') !== (id === undefined)) {
    const wanted = method === 'POST' ? 'the path of a type, such as /Users' : 'the path of a resource, such as /Users/{id}';
    throw scimError('invalidPath', `The path of ${method} must be ${wanted}.`);
  }
  return { endpoint, id };
}

function referenceInTarget({ path }: Pick<BulkOperation, 'path'>): string | undefined {
  const at = path.lastIndexOf('/');
  return at > 0 ? referenceOf(path.slice(at + 1)) : undefined;
}

/** The bulkIds that an operation refers to, also those that no operation has. */
function referencesOf(operation: BulkOperation): ReadonlySet<string> {
  const found = new Set<string>();
  const inPath = referenceInTarget(operation);
  if (inPath !== undefined) found.add(inPath);
  replaced(operation.data, (bulkId) => {
    found.add(bulkId);
    return bulkId;
  });
  return found;
}

/** A POST that refers to no other operation. */
export function isAlone(operation: BulkOperation): boolean {
  return operation.method === 'POST' && referencesOf(operation).size === 0;
}

/**
 * One step. Operations that refer to each other in a circle cannot be made in any order: one of
 * them is made `without` the references that are not known yet, and completed later.
 */
export type Step = { readonly index: number; readonly without: ReadonlySet<string>; readonly isCompletion: boolean };

/** The order of the request. An operation that refers to a later one waits for it. */
export function planOf(operations: readonly BulkOperation[]): readonly Step[] {
  const makers = new Map<string, number>();
  for (const [index, { method, bulkId }] of operations.entries()) if (method === 'POST' && bulkId !== undefined) makers.set(bulkId, index);
  /** By operation: those that it refers to and that are not made yet. */
  const missing = operations.map((operation) => new Set([...referencesOf(operation)].flatMap((bulkId) => makers.get(bulkId) ?? [])));
  const left = new Set(operations.keys());
  const incomplete = new Set<number>();
  const steps: Step[] = [];

  function make(index: number): void {
    const without = new Set([...(missing[index] ?? [])].flatMap((needed) => operations[needed]?.bulkId ?? []));
    steps.push({ index, without, isCompletion: false });
    left.delete(index);
    if (without.size > 0) incomplete.add(index);
    for (const needed of missing) needed.delete(index);
    for (const one of incomplete)
      if (missing[one]?.size === 0) {
        incomplete.delete(one);
        steps.push({ index: one, without: new Set(), isCompletion: true });
      }
  }
  while (left.size > 0) {
    const all = [...left];
    make(all.find((index) => missing[index]?.size === 0) ?? all.find((index) => isInCircle(index, missing)) ?? all[0] ?? 0);
  }
  return steps;
}

function isInCircle(index: number, missing: readonly ReadonlySet<number>[]): boolean {
  const seen = new Set<number>();
  const waiting = [index];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (missing[at]?.has(index) === true) return true;
    for (const next of missing[at] ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(next);
      }
  }
  return false;
}

/** What is made by a bulkId so far: its id, or null for an operation that has failed. */
export type Made = ReadonlyMap<string, string | null>;

/** The id that a reference stands for. 409 when its operation has made nothing. */
function resolve(bulkId: string, made: Made): string {
  const id = made.get(bulkId);
  if (id === undefined) throw scimError('invalidValue', `No POST of this request has the bulkId ${JSON.stringify(bulkId.slice(0, 100))}.`);
  if (id === null) throw errors.scimReference({ params: { bulkId: bulkId.slice(0, 100) } });
  return id;
}

/** The path and data of an operation with ids in place of references. */
export function resolved(operation: BulkOperation, without: ReadonlySet<string>, made: Made): Pick<BulkOperation, 'path' | 'data'> {
  const inPath = referenceInTarget(operation);
  const path = inPath === undefined ? operation.path : operation.path.slice(0, operation.path.lastIndexOf('/') + 1) + resolve(inPath, made);
  const data = replaced(operation.data, (bulkId) => (without.has(bulkId) ? undefined : resolve(bulkId, made)));
  return { path, data };
}

const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A PATCH with the attributes that were left out or cut when the resource was made. */
export function completion({ data }: BulkOperation, made: Made): Json {
  const parts = Object.entries(isObject(data) ? data : {}).filter(([, part]) => {
    let refers = false;
    replaced(part, () => {
      refers = true;
      return undefined;
    });
    return refers;
  });
  const value = replaced(Object.fromEntries(parts), (bulkId) => resolve(bulkId, made));
  return { schemas: [patchSchema], Operations: [{ op: 'replace', value }] };
}

/** The address of a resource, or undefined where the path names none. */
export function idIn(path: string): string | undefined {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return isId(id) ? id : undefined;
}
