import { type FieldNode, Kind, parse, type SelectionSetNode } from 'graphql';

/**
 * The response keys of a fetch: those of its root fields, or of its entities if it fetches
 * entities.
 */
export function rootKeys(query: string): readonly string[] {
  const document = parse(query, { noLocation: true });
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) return [];
  const fields = fieldsOf(operation.selectionSet);
  const entities = fields.find(({ name }) => name.value === '_entities')?.selectionSet;
  const keys = (entities === undefined ? fields : fieldsOf(entities)).map(({ alias, name }) => (alias ?? name).value);
  return [...new Set(keys)].filter((key) => key !== '__typename');
}

function fieldsOf(set: SelectionSetNode): FieldNode[] {
  return set.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection] : selection.kind === Kind.INLINE_FRAGMENT ? fieldsOf(selection.selectionSet) : [],
  );
}
