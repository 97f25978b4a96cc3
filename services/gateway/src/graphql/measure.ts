import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode, visit } from 'graphql';

/** What an operation asks for, fragments expanded, read from the document alone. */
export type Measure = {
  readonly depth: number;
  /** Fields, each as often as it is asked for. */
  readonly fields: number;
  readonly rootFields: number;
  readonly aliases: number;
  /** How often each field of the root is asked for, by its name and not its alias. */
  readonly rootCounts: ReadonlyMap<string, number>;
};

/** What must be read to validate a document, used or not, as it is written. */
export type Writing = {
  readonly fields: number;
  readonly fragments: number;
  readonly variables: number;
  /** The most that one name is asked for in one place: validation compares each of them with each. */
  readonly repeats: number;
  /** How deep lists and objects are written into each other. */
  readonly values: number;
};

export function measureWriting(document: DocumentNode): Writing {
  const writing = { fields: 0, fragments: 0, variables: 0, repeats: 0, values: 0 };
  let depth = 0;
  const value = {
    enter: () => {
      depth += 1;
      writing.values = Math.max(writing.values, depth);
    },
    leave: () => {
      depth -= 1;
    },
  };
  visit(document, {
    ListValue: value,
    ObjectValue: value,
    VariableDefinition: () => {
      writing.variables += 1;
    },
    SelectionSet: ({ selections }) => {
      const names = new Map<string, number>();
      for (const selection of selections) {
        if (selection.kind !== Kind.FIELD) {
          writing.fragments += 1;
          continue;
        }
        writing.fields += 1;
        const name = (selection.alias ?? selection.name).value;
        const count = (names.get(name) ?? 0) + 1;
        names.set(name, count);
        writing.repeats = Math.max(writing.repeats, count);
      }
    },
  });
  return writing;
}

type Totals = { depth: number; fields: number; aliases: number };

/** Beyond any limit: sums stop growing here, so that nested fragments can't make them overflow. */
const ceiling = 1_000_000;

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return fragments;
}

export function measure(document: DocumentNode, operation: OperationDefinitionNode): Measure {
  const fragments = fragmentsOf(document);
  const totals = createTotals(fragments)(operation.selectionSet);
  const rootCounts = new Map<string, number>();
  countRoots(operation.selectionSet, fragments, new Set(), rootCounts, { left: 10_000 });
  const rootFields = [...rootCounts.values()].reduce((sum, count) => sum + count, 0);
  return { ...totals, rootFields: Math.min(rootFields, ceiling), rootCounts };
}

/** Each fragment is measured once; a fragment inside itself counts nothing here and is refused by validation. */
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

/** Counts the fields of the root through fragments, each fragment as often as it is spread, within a budget beyond any limit. */
function countRoots(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  onTheWay: Set<string>,
  counts: Map<string, number>,
  budget: { left: number },
): void {
  for (const selection of set.selections) {
    budget.left -= 1;
    if (budget.left < 0) return;
    if (selection.kind === Kind.FIELD) counts.set(selection.name.value, (counts.get(selection.name.value) ?? 0) + 1);
    else if (selection.kind === Kind.INLINE_FRAGMENT) countRoots(selection.selectionSet, fragments, onTheWay, counts, budget);
    else {
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (fragment === undefined || onTheWay.has(name)) continue;
      onTheWay.add(name);
      countRoots(fragment.selectionSet, fragments, onTheWay, counts, budget);
      onTheWay.delete(name);
    }
  }
}
