import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';

/** The size of an operation with its fragments expanded. */
export type OperationSize = {
  readonly depth: number;
  /** Each field counts as often as it is selected. */
  readonly fields: number;
  readonly rootFields: number;
  readonly aliases: number;
  /** How often each root field is selected, by its name and not its alias. */
  readonly rootCounts: ReadonlyMap<string, number>;
};

/**
 * The size of a document as it is written, unused fragments included: validation reads all of it.
 */
export type DocumentSize = {
  readonly fields: number;
  readonly fragments: number;
  readonly variables: number;
  /**
   * How often one name is selected in one place at most: validation compares each of them with
   * each.
   */
  readonly repeats: number;
  /** The nesting of list and object values. */
  readonly values: number;
  /** A service would lose the key or refuse the document. */
  readonly hasPrototypeKey: boolean;
};

export function measureDocument(document: DocumentNode): DocumentSize {
  const size = { fields: 0, fragments: 0, variables: 0, repeats: 0, values: 0, hasPrototypeKey: false };
  let depth = 0;
  const value = {
    enter: () => {
      depth += 1;
      size.values = Math.max(size.values, depth);
    },
    leave: () => {
      depth -= 1;
    },
  };
  visit(document, {
    ListValue: value,
    ObjectValue: value,
    ObjectField: ({ name }) => {
      size.hasPrototypeKey ||= name.value === '__proto__';
    },
    VariableDefinition: () => {
      size.variables += 1;
    },
    SelectionSet: ({ selections }) => {
      const names = new Map<string, number>();
      for (const selection of selections) {
        if (selection.kind !== Kind.FIELD) {
          size.fragments += 1;
          continue;
        }
        size.fields += 1;
        const name = (selection.alias ?? selection.name).value;
        const count = (names.get(name) ?? 0) + 1;
        names.set(name, count);
        size.repeats = Math.max(size.repeats, count);
      }
    },
  });
  return size;
}

type Totals = { depth: number; fields: number; aliases: number };

/** Sums stop growing here, far beyond any limit: nested fragments would make them overflow. */
const ceiling = 1_000_000;

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

export function measureOperation(document: DocumentNode, operation: OperationDefinitionNode): OperationSize {
  const fragments = fragmentsOf(document);
  const totals = createTotals(fragments)(operation.selectionSet);
  const rootCounts = new Map<string, number>();
  countRoots(operation.selectionSet, fragments, new Set(), rootCounts, { left: 10_000 });
  const rootFields = [...rootCounts.values()].reduce((sum, count) => sum + count, 0);
  return { ...totals, rootFields: Math.min(rootFields, ceiling), rootCounts };
}

/**
 * Each fragment is measured once. A fragment inside itself counts nothing: validation refuses it.
 */
function createTotals(fragments: ReadonlyMap<string, FragmentDefinitionNode>): (set: SelectionSetNode) => Totals {
  const known = new Map<string, Totals>();
  const ofFragment = (name: string): Totals => {
    const fragment = fragments.get(name);
    const measured = known.get(name);
    if (measured !== undefined || fragment === undefined) return measured ?? nothing;
    known.set(name, nothing);
    const totals = ofSet(fragment.selectionSet);
    known.set(name, totals);
    return totals;
  };
  const ofSet = (set: SelectionSetNode): Totals => {
    const sum = { ...nothing };
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const isIntrospection = selection.name.value.startsWith('__');
        const below = selection.selectionSet === undefined ? nothing : ofSet(selection.selectionSet);
        // Introspection is exempt from the depth limit; its size counts.
        add(sum, {
          depth: isIntrospection ? 0 : below.depth + 1,
          fields: below.fields + 1,
          aliases: below.aliases + (selection.alias ? 1 : 0),
        });
      } else add(sum, selection.kind === Kind.INLINE_FRAGMENT ? ofSet(selection.selectionSet) : ofFragment(selection.name.value));
    }
    return sum;
  };
  return ofSet;
}

const nothing: Totals = { depth: 0, fields: 0, aliases: 0 };

function add(sum: Totals, { depth, fields, aliases }: Totals): void {
  sum.depth = Math.max(sum.depth, depth);
  sum.fields = Math.min(sum.fields + fields, ceiling);
  sum.aliases = Math.min(sum.aliases + aliases, ceiling);
}

/**
 * Counts the root fields, a fragment as often as it is spread. The budget is far beyond any limit.
 */
function countRoots(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  enclosing: Set<string>,
  counts: Map<string, number>,
  budget: { left: number },
): void {
  for (const selection of set.selections) {
    budget.left -= 1;
    if (budget.left < 0) return;
    if (selection.kind === Kind.FIELD) counts.set(selection.name.value, (counts.get(selection.name.value) ?? 0) + 1);
    else if (selection.kind === Kind.INLINE_FRAGMENT) countRoots(selection.selectionSet, fragments, enclosing, counts, budget);
    else {
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (fragment === undefined || enclosing.has(name)) continue;
      enclosing.add(name);
      countRoots(fragment.selectionSet, fragments, enclosing, counts, budget);
      enclosing.delete(name);
    }
  }
}
