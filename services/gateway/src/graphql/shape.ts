import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** What an answer looks like: each field by its key, in the order in which the document asks for them. */
type Shape = { readonly typeName: string; readonly fields: readonly Field[] };
type Field = { readonly key: string; readonly type: Typed | 'typename' };
type Typed = { readonly isNullable: boolean } & (
  | { readonly kind: 'leaf'; readonly accepts: (value: unknown) => boolean }
  | { readonly kind: 'list'; readonly item: Typed }
  | { readonly kind: 'object'; readonly shape: Shape }
);

/** Gives what was fetched the shape that was asked for; undefined where null had to rise to the top. */
export type Shaper = (fetched: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | null;

/**
 * Made once for a document. Undefined for one that is not plain: directives, introspection, interfaces and unions are for the framework.
 */
export function createShaper(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Shaper | undefined {
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const root = schema.getRootType(operation.operation);
  const shape = root ? shapeOf(root, [operation.selectionSet], fragments) : undefined;
  return shape && ((fetched) => shaped(shape, fetched) ?? null);
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function shapeOf(type: GraphQLObjectType, sets: readonly SelectionSetNode[], fragments: Fragments): Shape | undefined {
  const byKey = new Map<string, { name: string; sets: SelectionSetNode[] }>();
  if (!sets.every((set) => collect(type, set.selections, fragments, byKey))) return undefined;
  const fields: Field[] = [];
  for (const [key, { name, sets: own }] of byKey) {
    if (name === '__typename') {
      fields.push({ key, type: 'typename' });
      continue;
    }
    const definition = type.getFields()[name];
    const typed = definition && typedOf(definition.type, own, fragments);
    if (typed === undefined) return undefined;
    fields.push({ key, type: typed });
  }
  return { typeName: type.name, fields };
}

/** False where something is not plain. */
function collect(
  type: GraphQLObjectType,
  selections: readonly SelectionNode[],
  fragments: Fragments,
  byKey: Map<string, { name: string; sets: SelectionSetNode[] }>,
): boolean {
  return selections.every((selection) => {
    if (selection.directives !== undefined && selection.directives.length > 0) return false;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      if (key === '__proto__') return false;
      const known = byKey.get(key) ?? { name: selection.name.value, sets: [] };
      if (selection.selectionSet) known.sets.push(selection.selectionSet);
      byKey.set(key, known);
      return true;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
    if (fragment === undefined || (fragment.directives !== undefined && fragment.directives.length > 0)) return false;
    const isSame = fragment.typeCondition === undefined || fragment.typeCondition.name.value === type.name;
    return isSame && collect(type, fragment.selectionSet.selections, fragments, byKey);
  });
}

function typedOf(type: GraphQLOutputType, sets: readonly SelectionSetNode[], fragments: Fragments): Typed | undefined {
  if (isNonNullType(type)) {
    const typed = typedOf(type.ofType, sets, fragments);
    return typed && { ...typed, isNullable: false };
  }
  if (isListType(type)) {
    const item = typedOf(type.ofType, sets, fragments);
    return item && { isNullable: true, kind: 'list', item };
  }
  if (isObjectType(type)) {
    const shape = shapeOf(type, sets, fragments);
    return shape && { isNullable: true, kind: 'object', shape };
  }
  if (isEnumType(type))
    return { isNullable: true, kind: 'leaf', accepts: (value) => typeof value === 'string' && type.getValue(value) != null };
  return isScalarType(type) ? { isNullable: true, kind: 'leaf', accepts: scalars[type.name] ?? (() => true) } : undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  Boolean: (value) => typeof value === 'boolean',
  Int: (value) => typeof value === 'number' && Number.isInteger(value),
  Float: (value) => typeof value === 'number' && Number.isFinite(value),
  String: isText,
  ID: (value) => isText(value) || Number.isInteger(value),
};

/** Undefined: a field that may not be null is. */
function shaped({ typeName, fields }: Shape, fetched: object): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  for (const { key, type } of fields) {
    const value = type === 'typename' ? typeName : completed(type, Object.hasOwn(fetched, key) ? Reflect.get(fetched, key) : null);
    if (value === undefined) return undefined;
    result[key] = value;
  }
  return result;
}

/** Undefined: null, where it may not stand. */
function completed(typed: Typed, value: unknown): unknown {
  const found = value === null || value === undefined ? null : presentOf(typed, value);
  return found === null && !typed.isNullable ? undefined : found;
}

function presentOf(typed: Typed, value: unknown): unknown {
  if (typed.kind === 'leaf') return typed.accepts(value) ? value : null;
  if (typed.kind === 'object') return typeof value === 'object' && value !== null ? (shaped(typed.shape, value) ?? null) : null;
  if (!Array.isArray(value)) return null;
  const items = value.map((item) => completed(typed.item, item));
  return items.includes(undefined) ? null : items;
}
