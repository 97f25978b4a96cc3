import { isDeepStrictEqual } from 'node:util';
import type { TesseraClient } from '@tessera/client';
import { Failure } from '../failure.ts';
import { oneLine } from '../output.ts';
import { type Kind, type KindName, kinds, type NameOf, type ProjectScope, type Standing } from './kinds.ts';
import type { Entry, Manifest } from './schema.ts';

/** All that stands in a project, by kind and then by name or slug. */
export type State = Readonly<Record<KindName, ReadonlyMap<string, Standing>>>;

export type Change = { readonly field: string; readonly before: unknown; readonly after: unknown };
export function describeChange({ field, before, after }: Change): string {
  return `    ${field}: ${oneLine(JSON.stringify(before ?? null))} → ${oneLine(JSON.stringify(after))}`;
}

export type Step =
  | { readonly action: 'create'; readonly kind: Kind; readonly name: string; readonly entry: Entry }
  | {
      readonly action: 'update';
      readonly kind: Kind;
      readonly name: string;
      readonly standing: Standing;
      readonly changes: readonly Change[];
    }
  | { readonly action: 'remove'; readonly kind: Kind; readonly name: string; readonly standing: Standing };
/** What stays because nothing is pruned: an entry, or values of one of its fields. */
export type Kept = {
  readonly kind: { readonly name: string };
  readonly name: string;
  readonly field?: string;
  readonly values?: readonly string[];
};
export type Plan = { readonly steps: readonly Step[]; readonly kept: readonly Kept[] };

/** `of`: in an organization there are no apps. */
export async function readState(client: TesseraClient, scope: ProjectScope, of: readonly Kind[] = kinds): Promise<State> {
  const state = Object.fromEntries(kinds.map(({ name }) => [name, new Map<string, Standing>()])) as Record<KindName, Map<string, Standing>>;
  const nameOf: NameOf = (kind, id) => [...state[kind]].find(([, standing]) => standing.id === id)?.[0] ?? id ?? undefined;
  for (const kind of of)
    for await (const standing of kind.list(client, scope, nameOf)) {
      const name = String(standing.entry[kind.key]);
      const other = state[kind.name].get(name);
      // A built-in one may have the name of one's own, which is then meant.
      if (other !== undefined && !other.isBuiltIn && !standing.isBuiltIn)
        throw new Failure(`Two ${kind.name} are named ${name}. Rename one in the console: a manifest refers to them by name.`);
      if (other === undefined || other.isBuiltIn) state[kind.name].set(name, standing);
    }
  return state;
}

/** Lists of names are sets; what is left out or empty is the same as nothing. */
export function comparable(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.toSorted();
  return typeof value === 'object' && Object.keys(value).length === 0 ? null : value;
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The names of a list, and the keys of a metadata, that the manifest leaves out. A condition is one
 * value.
 */
export function leftOut(field: string, before: unknown, after: unknown): readonly string[] {
  if (Array.isArray(before) && Array.isArray(after)) return before.filter((value) => !after.includes(value)).map(String);
  if (field === 'metadata' && isRecord(before) && isRecord(after)) return Object.keys(before).filter((key) => !(key in after));
  return [];
}

export function merged(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after)) return [...new Set([...before, ...after])];
  return isRecord(before) && isRecord(after) ? { ...before, ...after } : after;
}

type Difference = {
  readonly changes: readonly Change[];
  readonly kept: readonly { readonly field: string; readonly values: readonly string[] }[];
};

function differenceOf(entry: Entry, standing: Standing, isPruning: boolean): Difference {
  const changes: Change[] = [];
  const kept: { field: string; values: readonly string[] }[] = [];
  for (const [field, value] of Object.entries(entry)) {
    const before = standing.entry[field];
    const values = isPruning ? [] : leftOut(field, before, value);
    if (values.length > 0) kept.push({ field, values });
    const after = values.length > 0 ? merged(before, value) : value;
    if (!isDeepStrictEqual(comparable(before), comparable(after))) changes.push({ field, before, after });
  }
  return { changes, kept };
}

/**
 * The steps in their order. Fields that an entry leaves out stay as they are; without pruning
 * nothing is taken away.
 */
export function planSteps(manifest: Manifest, state: State, isPruning: boolean): Plan {
  const steps: Step[] = [];
  const removals: Step[] = [];
  const kept: Kept[] = [];
  const known = Object.fromEntries(kinds.map(({ name }) => [name, new Set(state[name].keys())])) as Record<KindName, Set<string>>;
  for (const kind of kinds) {
    const entries = new Map<string, Entry>();
    for (const entry of inOrder(kind, manifest[kind.name] ?? [], known[kind.name])) {
      const name = String(entry[kind.key]);
      if (entries.has(name)) throw new Failure(`The manifest has two ${kind.name} named ${name}.`);
      entries.set(name, entry);
      known[kind.name].add(name);
      assertReferences(kind, name, entry, known);
      const standing = state[kind.name].get(name);
      if (standing === undefined) steps.push({ action: 'create', kind, name, entry });
      else if (standing.isBuiltIn) throw new Failure(`${name} is built in and cannot be changed: take it out of ${kind.name}.`);
      else {
        const difference = differenceOf(entry, standing, isPruning);
        const fixed = difference.changes.find(({ field }) => kind.fixed.includes(field));
        if (fixed !== undefined) throw new Failure(`${name}: ${fixed.field} never changes. Give the new one another name.`);
        if (difference.changes.length > 0) steps.push({ action: 'update', kind, name, standing, changes: difference.changes });
        for (const { field, values } of difference.kept) kept.push({ kind, name, field, values });
      }
    }
    if (manifest[kind.name] === undefined) continue;
    for (const [name, standing] of state[kind.name])
      if (standing.isBuiltIn || entries.has(name)) continue;
      else if (isPruning) removals.unshift({ action: 'remove', kind, name, standing });
      else kept.push({ kind, name });
  }
  return { steps: [...steps, ...removals], kept };
}

/** What others of its kind refer to is made before them. */
function inOrder(kind: Kind, entries: readonly Entry[], standing: ReadonlySet<string>): readonly Entry[] {
  const fields = Object.keys(kind.references).filter((field) => kind.references[field]?.kind === kind.name);
  if (fields.length === 0) return entries;
  const nameOf = (entry: Entry) => String(entry[kind.key]);
  const [ordered, left] = [[] as Entry[], [...entries]];
  while (left.length > 0) {
    const isLater = (name: unknown) => !standing.has(String(name)) && left.some((entry) => nameOf(entry) === name);
    const next = left.findIndex((entry) => !fields.some((field) => [entry[field] ?? []].flat().some(isLater)));
    if (next === -1)
      throw new Failure(
        `${left.map(nameOf).join(', ')} name each other. Apply the ${kind.name} first without one of the names, then with it.`,
      );
    ordered.push(...left.splice(next, 1));
  }
  return ordered;
}

/** By what a thing is named in a request: of an app its client id. */
export function referenceOf(kind: Kind, made: Entry): string {
  return String(kind.name === 'apps' ? made['clientId'] : made['id']);
}

/** A thing of another scope, as a role of the organization, has no name here. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function assertReferences(kind: Kind, name: string, entry: Entry, known: Readonly<Record<KindName, ReadonlySet<string>>>): void {
  for (const [field, { kind: other }] of Object.entries(kind.references))
    for (const each of [entry[field] ?? []].flat())
      if (!known[other].has(String(each)) && !isId(String(each)))
        throw new Failure(`${name} refers to ${String(each)}, which is none of the ${other}.`);
}

/** Takes one step, and keeps the id of what it made for the steps after it. */
export async function takeStep(
  client: TesseraClient,
  scope: ProjectScope,
  step: Step,
  ids: (kind: KindName, name: string) => string,
): Promise<Entry> {
  const { kind } = step;
  const call = (method: keyof TesseraClient, input: object, options?: object) =>
    (client[method] as (input: object, options?: object) => Promise<Entry>)(input, options);
  if (step.action === 'remove') return call(kind.remove, { id: step.standing.id, scope });
  if (step.action === 'create') return call(kind.create, { scope, ...toInput(kind, step.entry, ids) });
  const changed = Object.fromEntries(step.changes.map(({ field, after }) => [field, after]));
  // What has changed since the plan was made is not overwritten: 412.
  return call(kind.update, { id: step.standing.id, scope, ...toInput(kind, changed, ids) }, { ifMatch: step.standing.version });
}

function toInput(kind: Kind, entry: Entry, ids: (kind: KindName, name: string) => string): Entry {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => {
      const reference = kind.references[name];
      if (reference === undefined) return [name, value];
      const idOf = (each: unknown) => ids(reference.kind, String(each));
      return [reference.field, Array.isArray(value) ? value.map(idOf) : idOf(value)];
    }),
  );
}

/** The state as a manifest, without what is built in, empty or left at nothing. */
export function toManifest(state: State): Manifest {
  const entriesOf = ({ name, key, usual = {} }: Kind): Entry[] =>
    [...state[name].values()]
      .filter(({ isBuiltIn }) => !isBuiltIn)
      .map(({ entry }) =>
        Object.fromEntries(Object.entries(entry).filter(([field, value]) => comparable(value) !== null && value !== usual[field])),
      )
      .toSorted((a, b) => String(a[key]).localeCompare(String(b[key]), 'en'));
  const parts = kinds.map((kind) => [kind.name, entriesOf(kind)] as const).filter(([, entries]) => entries.length > 0);
  return { version: 1, ...Object.fromEntries(parts) };
}
