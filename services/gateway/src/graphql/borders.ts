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

/** A service's schema, parsed. */
export type Part = { readonly name: string; readonly document: DocumentNode };

type Fielded = ObjectTypeDefinitionNode | ObjectTypeExtensionNode | InterfaceTypeDefinitionNode;

/**
 * Null may stand wherever an answer crosses from one service to another: at the root, at a field that a service adds to another's
 * type, and at a reference to another's type. So a service that is away empties what it was asked for and nothing around it,
 * whatever its own schema promises. (A service may promise more than the graph does; composition takes the weaker word.)
 */
export function openBorders(parts: readonly Part[]): readonly Part[] {
  const homes = homesOf(parts);
  return parts.map(({ name, document }) => ({
    name,
    document: { ...document, definitions: document.definitions.map((definition) => openedDefinition(definition, name, homes)) },
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

function openedDefinition(definition: DefinitionNode, service: string, homes: ReadonlyMap<string, string>): DefinitionNode {
  if (!isFielded(definition)) return definition;
  const home = homes.get(definition.name.value);
  const isForeign = roots.has(definition.name.value) || (home !== undefined && home !== service);
  const keys = keyFieldsOf(definition);
  const fields = (definition.fields ?? []).map((field) => {
    if (field.name.value.startsWith('_') || keys.has(field.name.value)) return field;
    const target = homes.get(nameOf(field.type));
    if (target !== undefined && target !== service) return { ...field, type: open(field.type) };
    return isForeign ? { ...field, type: outermost(field.type) } : field;
  });
  return { ...definition, fields };
}

/** Where an entity lives: in the service that resolves most of its fields. Of types of one service alone, and shared values, nothing is said. */
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

function outermost(type: TypeNode): TypeNode {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type;
}

function open(type: TypeNode): TypeNode {
  const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
  return nullable.kind === Kind.LIST_TYPE ? { ...nullable, type: open(nullable.type) } : nullable;
}
