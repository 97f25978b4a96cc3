/**
 * What a request of SCIM says about a group. Its members are kept as a change, because a group has
 * many thousands, which no PATCH reads.
 */
import { isId } from '@tessera/kernel/ids';
import { scimError } from '../../errors.ts';
import { type Filter, parsePath } from './filter.ts';
import { applyPatch, type PatchOperation } from './patch.ts';
import { assertComplete, isObject, type Json, type Resource, readResource } from './resource.ts';
import { groupType } from './schema.ts';

/** Of one request, added and removed. A larger group is sent in several. */
export const mostMembers = 20_000;

export type MembersChange = {
  /** Those that were members before and are not named leave. */
  readonly isWhole: boolean;
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
};

export type GroupChange = { readonly resource: Resource; readonly members: MembersChange };

/** The members of a request, operation after operation. */
class Members {
  #isWhole = false;
  readonly added = new Set<string>();
  readonly removed = new Set<string>();

  get isWhole(): boolean {
    return this.#isWhole;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.removed.delete(id);
      this.added.add(id);
    }
    this.#assertBound();
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.delete(id);
      if (!this.#isWhole) this.removed.add(id);
    }
    this.#assertBound();
  }

  replace(ids: readonly string[]): void {
    this.#isWhole = true;
    this.added.clear();
    this.removed.clear();
    this.add(ids);
  }

  #assertBound(): void {
    if (this.added.size + this.removed.size > mostMembers) throw tooMany();
  }
}

function tooMany() {
  return scimError('tooMany', `A request changes ${mostMembers} members at most. Send the group in several PATCH requests.`);
}

function unknownMember(id: string) {
  return scimError('invalidValue', `members: there is no User with the id ${JSON.stringify(id.slice(0, 100))}.`);
}

/** An id, as a text or as the `value` of an object. Groups inside groups are not served. */
function idOf(given: unknown): string {
  const entry = isObject(given) ? given : { value: given };
  const fields = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value]));
  const [value, type] = [fields.get('value'), fields.get('type')];
  if (typeof type === 'string' && type.toLowerCase() === 'group')
    throw scimError('invalidValue', 'members: a group has people as its members, and no groups.');
  if (typeof value !== 'string' && typeof value !== 'number')
    throw scimError('invalidValue', 'members: each value must be the id of a User.');
  const id = String(value).toLowerCase();
  if (!isId(id)) throw unknownMember(String(value));
  return id;
}

function idsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  const values = Array.isArray(value) ? value : [value];
  if (values.length > mostMembers) throw tooMany();
  return values.map(idOf);
}

/** 400 invalidValue for a member whom the organization's directory has not sent. */
export function assertKnown(ids: Iterable<string>, known: ReadonlySet<string>): void {
  for (const id of ids) if (!known.has(id)) throw unknownMember(id);
}

/** The parts of a body that are no members, and the members. Names are compared without case. */
function split(value: Json): { readonly rest: Json; readonly members: readonly unknown[] } {
  const entries = Object.entries(value);
  const isMembers = (name: string) => name.toLowerCase() === 'members';
  return {
    rest: Object.fromEntries(entries.filter(([name]) => !isMembers(name))),
    members: entries.filter(([name]) => isMembers(name)).map(([, given]) => given),
  };
}

/** The body of a POST or PUT. */
export function readGroup(body: unknown): GroupChange {
  if (!isObject(body)) throw scimError('invalidSyntax', 'The body must be a JSON object.');
  const { rest, members } = split(body);
  const change = new Members();
  change.replace(members.flatMap(idsOf));
  return { resource: readResource(groupType, rest), members: change };
}

/** The ids of `members[value eq "…"]`, also of several joined by `or`. */
function idsOfFilter(filter: Filter): readonly string[] {
  if (filter.op === 'or') return filter.parts.flatMap(idsOfFilter);
  if (filter.op === 'eq' && filter.target.sub?.name === 'value' && typeof filter.value === 'string') {
    const id = filter.value.toLowerCase();
    return isId(id) ? [id] : [];
  }
  throw scimError('invalidFilter', 'Members are named by their ids: members[value eq "…"].');
}

function changeMembers(change: Members, { op, value }: Pick<PatchOperation, 'op' | 'value'>, filter: Filter | undefined): void {
  if (filter !== undefined) {
    if (op !== 'remove') throw scimError('mutability', 'A member is added or removed, and never changed.');
    change.remove(idsOfFilter(filter));
  } else if (op === 'add') change.add(idsOf(value));
  else if (op === 'replace') change.replace(idsOf(value));
  else if (value === undefined || value === null) change.replace([]);
  // Entra removes by the value of the operation.
  else change.remove(idsOf(value));
}

/** The group after all operations. */
export function patchGroup(resource: Resource, operations: readonly PatchOperation[]): GroupChange {
  const members = new Members();
  const others = operations.flatMap((operation): PatchOperation[] => {
    const { op, path, value } = operation;
    if (path !== undefined) {
      if (!/^\s*(?:urn:[^[]*:)?members/i.test(path)) return [operation];
      const { target, filter } = parsePath(groupType, path);
      if (target.attribute?.name !== 'members') return [operation];
      if (target.sub !== undefined) throw scimError('mutability', 'A member is added or removed, and never changed.');
      changeMembers(members, { op, value }, filter);
      return [];
    }
    if (!isObject(value) || op === 'remove') return [operation];
    const { rest, members: given } = split(value);
    for (const one of given) changeMembers(members, { op, value: one }, undefined);
    return Object.keys(rest).length === 0 ? [] : [{ op, path, value: rest }];
  });
  const changed = others.length === 0 ? resource : applyPatch(groupType, resource, others);
  return { resource: assertComplete(groupType.schema, changed), members };
}
