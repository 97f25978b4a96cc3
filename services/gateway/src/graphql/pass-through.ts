import {
  BREAK,
  buildASTSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';

/**
 * The service that can answer a document as it is, without a plan. It can if it resolves every
 * selected field by itself on every object that it returns: by the federation contract its response
 * is then the same as the plan's. Fields that depend on data of others (`external`, `requires`,
 * `override`) and introspection are in no service's part of the graph. Documents with them do not
 * validate against a part, and are planned.
 */
export type PassThrough = (document: DocumentNode) => string | undefined;

export function createPassThrough(supergraphSdl: string): PassThrough {
  const supergraph = parse(supergraphSdl);
  const parts = graphsOf(supergraph).map(({ value, service }) => ({ service, schema: partOf(supergraph, value) }));
  return (document) => parts.find(({ schema }) => schema !== undefined && isWithin(schema, document))?.service;
}

function isWithin(schema: GraphQLSchema, document: DocumentNode): boolean {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    // Validation reports nothing for a root type that does not exist.
    if (schema.getRootType(definition.operation) === undefined) return false;
  }
  return !asksForIntrospection(document) && validate(schema, document, undefined, { maxErrors: 1 }).length === 0;
}

function asksForIntrospection(document: DocumentNode): boolean {
  let asks = false;
  visit(document, {
    Field: ({ name }) => {
      if (name.value === '__schema' || name.value === '__type') asks = true;
      return asks ? BREAK : undefined;
    },
  });
  return asks;
}

type Graph = { readonly value: string; readonly service: string };

/** The values of `join__Graph` and the services that they stand for. */
function graphsOf(supergraph: DocumentNode): readonly Graph[] {
  return supergraph.definitions.flatMap((definition) =>
    definition.kind === Kind.ENUM_TYPE_DEFINITION && definition.name.value === 'join__Graph'
      ? (definition.values ?? []).map(({ name, directives }) => ({ value: name.value, service: argument(directives?.[0], 'name') ?? '' }))
      : [],
  );
}

function argument(directive: ConstDirectiveNode | undefined, name: string): string | undefined {
  const value = directive?.arguments?.find((given) => given.name.value === name)?.value;
  if (value === undefined) return undefined;
  return value.kind === Kind.STRING || value.kind === Kind.ENUM
    ? value.value
    : value.kind === Kind.BOOLEAN
      ? String(value.value)
      : undefined;
}

function applied(node: { readonly directives?: readonly ConstDirectiveNode[] | undefined }, name: string): readonly ConstDirectiveNode[] {
  return node.directives?.filter((directive) => directive.name.value === name) ?? [];
}

function isIn(node: { readonly directives?: readonly ConstDirectiveNode[] | undefined }, name: string, graph: string): boolean {
  return applied(node, name).some((directive) => argument(directive, 'graph') === graph);
}

/** The part of the graph that one service resolves alone. Undefined if it has no Query. */
function partOf(supergraph: DocumentNode, graph: string): GraphQLSchema | undefined {
  const definitions = supergraph.definitions.flatMap((definition) => definitionIn(definition, graph) ?? []);
  const names = new Set(
    definitions.flatMap((definition) => ('name' in definition && definition.name !== undefined ? [definition.name.value] : [])),
  );
  if (!names.has('Query')) return undefined;
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: true });
}

function definitionIn(definition: DefinitionNode, graph: string): DefinitionNode | undefined {
  if ('name' in definition && definition.name !== undefined && /^(?:join|link|core)__/.test(definition.name.value)) return undefined;
  switch (definition.kind) {
    case Kind.SCALAR_TYPE_DEFINITION:
    case Kind.ENUM_TYPE_DEFINITION:
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return isIn(definition, 'join__type', graph) ? { ...definition, directives: [] } : undefined;
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      if (!isIn(definition, 'join__type', graph)) return undefined;
      const fields = (definition.fields ?? []).filter((field) => resolvesAlone(field, graph));
      return {
        ...definition,
        fields: fields.length === 0 ? [placeholder] : fields,
        interfaces: interfacesIn(definition, graph),
        directives: [],
      };
    }
    case Kind.UNION_TYPE_DEFINITION: {
      const members = applied(definition, 'join__unionMember').filter((directive) => argument(directive, 'graph') === graph);
      const names = members.map((directive) => argument(directive, 'member'));
      const types = (definition.types ?? []).filter(({ name }) => names.includes(name.value));
      return types.length === 0 ? undefined : { ...definition, types, directives: [] };
    }
    default:
      return undefined;
  }
}

/** A type must have a field: this one stands in types of which a service resolves nothing alone. */
const placeholder: FieldDefinitionNode = {
  kind: Kind.FIELD_DEFINITION,
  name: { kind: Kind.NAME, value: '_nothing' },
  type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'Boolean' } },
};

function resolvesAlone(field: FieldDefinitionNode, graph: string): boolean {
  const joins = applied(field, 'join__field');
  if (joins.length === 0) return true;
  const own = joins.find((directive) => argument(directive, 'graph') === graph);
  if (own === undefined) return false;
  const dependsOnOthers = ['external', 'requires', 'override', 'usedOverridden', 'provides', 'contextArguments'];
  return own.arguments?.every(({ name }) => !dependsOnOthers.includes(name.value)) ?? true;
}

function interfacesIn({ interfaces = [], ...definition }: Pick<ObjectTypeDefinitionNode, 'interfaces' | 'directives'>, graph: string) {
  const names = applied(definition, 'join__implements')
    .filter((directive) => argument(directive, 'graph') === graph)
    .map((directive) => argument(directive, 'interface'));
  return interfaces.filter(({ name }) => names.includes(name.value));
}
