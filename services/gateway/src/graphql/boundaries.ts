import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  type TypeNode,
} from 'graphql';

/** The parsed schema of one service. */
export type Part = { readonly name: string; readonly document: DocumentNode };

type Fielded = ObjectTypeDefinitionNode | ObjectTypeExtensionNode | InterfaceTypeDefinitionNode;

/**
 * Makes types nullable where a response crosses from one service to another: at the root, at a
 * field that a service adds to another's type, and at a reference to another's type. A service that
 * is down then empties only its own fields, even where its schema says non-null: composition takes
 * the weaker of two types.
 */
export function allowNullAtBoundaries(parts: readonly Part[]): readonly Part[] {
  const homes = homesOf(parts);
  return parts.map(({ name, document }) => ({
    name,
    document: { ...document, definitions: document.definitions.map((definition) => relaxedDefinition(definition, name, homes)) },
  }));
}

const roots = new Set(['Query', 'Mutation']);

function isFielded(definition: DefinitionNode): definition is Fielded {
  return (
    definition.kind === Kind.OBJECT_TYPE_DEFINITION ||
    definition.kind === Kind.OBJECT_TYPE_EXTENSION ||
    definition.kind === Kind.INTERFACE_TYPE_DEFINITION
  );
}

function relaxedDefinition(definition: DefinitionNode, service: string, homes: ReadonlyMap<string, string>): DefinitionNode {
  if (!isFielded(definition)) return definition;
  const home = homes.get(definition.name.value);
  const isForeign = roots.has(definition.name.value) || (home !== undefined && home !== service);
  const keys = keyFieldsOf(definition);
  const fields = (definition.fields ?? []).map((field) => {
    if (field.name.value.startsWith('_') || keys.has(field.name.value)) return field;
    const target = homes.get(nameOf(field.type));
    if (target !== undefined && target !== service) return { ...field, type: withoutNonNull(field.type) };
    return isForeign ? { ...field, type: withoutOuterNonNull(field.type) } : field;
  });
  return { ...definition, fields };
}

/**
 * The home of an entity is the service that resolves most of its fields. Types without a key have
 * none.
 */
function homesOf(parts: readonly Part[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { name, document } of parts) {
    for (const definition of document.definitions.filter(isFielded)) {
      if (keyFieldsOf(definition).size === 0) continue;
      const resolved = (definition.fields ?? []).filter((field) => !isMarked(field, 'external')).length;
      const ofType = counts.get(definition.name.value) ?? new Map<string, number>();
      counts.set(definition.name.value, ofType.set(name, (ofType.get(name) ?? 0) + resolved));
    }
  }
  const homes = new Map<string, string>();
  for (const [type, byService] of counts) {
    const [first] = [...byService].sort(([, left], [, right]) => right - left);
    if (first !== undefined) homes.set(type, first[0]);
  }
  return homes;
}

function isMarked({ directives = [] }: FieldDefinitionNode, name: string): boolean {
  return directives.some((directive) => directive.name.value === name || directive.name.value === `federation__${name}`);
}

function keyFieldsOf({ directives = [] }: Fielded): ReadonlySet<string> {
  const keys = directives.filter(({ name }) => name.value === 'key' || name.value === 'federation__key');
  const selections = keys.flatMap((key) => key.arguments?.find(({ name }) => name.value === 'fields')?.value ?? []);
  return new Set(selections.flatMap((value) => (value.kind === Kind.STRING ? value.value.split(/[\s{}]+/) : [])));
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

function withoutOuterNonNull(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type;
}

function withoutNonNull(type: TypeNode): TypeNode {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return nullable.kind === Kind.LIST_TYPE ? { ...nullable, type: withoutNonNull(nullable.type) } : nullable;
}
