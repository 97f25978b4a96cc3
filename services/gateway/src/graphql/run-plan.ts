import type { GraphQLFormattedError } from 'graphql';
import type { SubgraphAnswer } from './federation.ts';

/** A plan of fetches, as the planner writes it. What else it may write is for the framework. */
export type PlanNode =
  | { readonly kind: 'Sequence' | 'Parallel'; readonly nodes: readonly PlanNode[] }
  | { readonly kind: 'Flatten'; readonly path: readonly (string | number)[]; readonly node: PlanNode }
  | FetchNode;
export type FetchNode = {
  readonly kind: 'Fetch';
  readonly serviceName: string;
  readonly operation: string;
  readonly variableUsages?: readonly string[] | undefined;
  readonly requires?: readonly Selection[] | undefined;
};
type Selection =
  | { readonly kind: 'Field'; readonly alias?: string; readonly name: string; readonly selections?: readonly Selection[] }
  | { readonly kind: 'InlineFragment'; readonly typeCondition?: string; readonly selections: readonly Selection[] };

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a plan is nothing but fetches, each of which takes and gives data as they are. */
export function isPlainPlan(node: unknown): node is PlanNode {
  if (!isRecord(node)) return false;
  if (node.kind === 'Sequence' || node.kind === 'Parallel') return Array.isArray(node.nodes) && node.nodes.every(isPlainPlan);
  if (node.kind === 'Flatten') return isPlainPlan(node.node);
  const rewrites = [node.inputRewrites, node.outputRewrites, node.contextRewrites];
  return node.kind === 'Fetch' && rewrites.every((list) => list === undefined || (Array.isArray(list) && list.length === 0));
}

type Data = Record<string, unknown>;
type Path = readonly (string | number)[];
/** An object of the answer, and where it stands. */
type Spot = { readonly data: Data; readonly path: Path };

type Asking = {
  readonly variables: Readonly<Record<string, unknown>>;
  ask(service: string, query: string, variables: Readonly<Record<string, unknown>>): Promise<SubgraphAnswer>;
};
export type Fetched = { readonly data: Data; readonly errors: readonly GraphQLFormattedError[] };

/** Runs a plain plan: all that was fetched, merged, and the services' errors at their places in it. */
export async function runPlan(plan: PlanNode, asking: Asking): Promise<Fetched> {
  const data: Data = {};
  const errors: GraphQLFormattedError[] = [];
  await runNode(plan, [{ data, path: [] }], { ...asking, errors });
  return { data, errors };
}

type Run = Asking & { readonly errors: GraphQLFormattedError[] };

async function runNode(node: PlanNode, spots: readonly Spot[], run: Run): Promise<void> {
  switch (node.kind) {
    case 'Sequence':
      for (const next of node.nodes) await runNode(next, spots, run);
      return;
    case 'Parallel':
      await Promise.all(node.nodes.map((next) => runNode(next, spots, run)));
      return;
    case 'Flatten':
      return runNode(
        node.node,
        spots.flatMap(({ data, path }) => spotsAt(data, node.path, path)),
        run,
      );
    case 'Fetch':
      return node.requires === undefined ? fetchRoot(node, spots, run) : fetchEntities(node, node.requires, spots, run);
  }
}

function spotsAt(value: unknown, [head, ...rest]: Path, at: Path): Spot[] {
  if (value === null || value === undefined) return [];
  if (head === undefined) return isRecord(value) ? [{ data: value, path: at }] : [];
  if (head === '@') return Array.isArray(value) ? value.flatMap((item, index) => spotsAt(item, rest, [...at, index])) : [];
  return isRecord(value) && Object.hasOwn(value, head) ? spotsAt(value[head], rest, [...at, head]) : [];
}

function variablesOf({ variableUsages = [] }: FetchNode, { variables }: Run): Data {
  return Object.fromEntries(variableUsages.filter((name) => variables[name] !== undefined).map((name) => [name, variables[name]]));
}

/** A service's error, at its place in the whole answer. */
function errorOf(
  { serviceName }: FetchNode,
  { message, extensions }: GraphQLFormattedError,
  path: Path | undefined,
): GraphQLFormattedError {
  return {
    message,
    extensions: { ...extensions, serviceName },
    ...(path === undefined ? {} : { path }),
  };
}

async function fetchRoot(node: FetchNode, spots: readonly Spot[], run: Run): Promise<void> {
  const [spot] = spots;
  if (spot === undefined) return;
  const { data, errors = [] } = await run.ask(node.serviceName, node.operation, variablesOf(node, run));
  for (const error of errors) run.errors.push(errorOf(node, error, error.path && [...spot.path, ...error.path]));
  if (data) merge(spot.data, data);
}

async function fetchEntities(node: FetchNode, requires: readonly Selection[], spots: readonly Spot[], run: Run): Promise<void> {
  const asked = spots.flatMap((spot) => {
    const representation = representationOf(spot.data, requires);
    return typeof representation?.['__typename'] === 'string' ? [{ spot, representation }] : [];
  });
  if (asked.length === 0) return;
  const representations = asked.map(({ representation }) => representation);
  const { data, errors = [] } = await run.ask(node.serviceName, node.operation, { ...variablesOf(node, run), representations });
  for (const error of errors) {
    const [, index, ...rest] = error.path ?? [];
    const spot = typeof index === 'number' ? asked[index]?.spot : undefined;
    run.errors.push(errorOf(node, error, error.path && [...(spot?.path ?? []), ...rest]));
  }
  const entities = data?.['_entities'];
  if (!Array.isArray(entities)) return;
  for (const [index, { spot }] of asked.entries()) {
    const entity: unknown = entities[index];
    if (isRecord(entity)) merge(spot.data, entity);
  }
}

/** What another service needs to know an object by; undefined when something of it is not there. */
function representationOf(source: Data, selections: readonly Selection[]): Data | undefined {
  const result: Data = {};
  for (const selection of selections) {
    if (selection.kind === 'InlineFragment') {
      if (selection.typeCondition !== undefined && selection.typeCondition !== source['__typename']) continue;
      const own = representationOf(source, selection.selections);
      if (own === undefined) return undefined;
      merge(result, own);
      continue;
    }
    const { selections: nested } = selection;
    const key = selection.alias ?? selection.name;
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    if (value === undefined) return undefined;
    result[key] = nested === undefined ? value : partsOf(value, nested);
  }
  return result;
}

function partsOf(value: unknown, nested: readonly Selection[]): unknown {
  if (Array.isArray(value)) return value.map((item) => partsOf(item, nested));
  return isRecord(value) ? (representationOf(value, nested) ?? null) : null;
}

/** Takes over what is new; objects that both have are merged, lists item by item. */
function merge(target: Data, source: Readonly<Data>): void {
  for (const key of Object.keys(source)) {
    if (key === '__proto__') continue;
    const [own, given] = [Object.hasOwn(target, key) ? target[key] : undefined, source[key]];
    if (isRecord(own) && isRecord(given)) merge(own, given);
    else if (Array.isArray(own) && Array.isArray(given) && own.length === given.length) mergeLists(own, given);
    else target[key] = given;
  }
}

function mergeLists(target: unknown[], source: readonly unknown[]): void {
  for (const [index, given] of source.entries()) {
    const own = target[index];
    if (isRecord(own) && isRecord(given)) merge(own, given);
    else target[index] = given;
  }
}
