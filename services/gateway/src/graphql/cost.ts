import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** A page whose `limit` is a variable may have 100 rows, one without a limit 50. */
const longestPage = 100;
const usualPage = 50;
/** Lists without pages count as ten rows. What they really have is counted while answering. */
const usualList = 10;
/** Sums stop growing here, far beyond the bound. */
const ceiling = 1e15;

/** How many objects a valid operation asks for: nested lists multiply. */
export function costOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): number {
  const root = schema.getRootType(operation.operation);
  if (!root) return 0;
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );
  const known = new Map<string, number>();
  const ofFragment = (name: string, pageSize: number): number => {
    const key = `${name} ${pageSize}`;
    const fragment = fragments.get(name);
    const cost =
      known.get(key) ?? (fragment ? ofSet(fragment.selectionSet, typeNamed(schema, fragment.typeCondition.name.value), pageSize) : 0);
    known.set(key, cost);
    return cost;
  };
  const ofField = (field: FieldNode, output: GraphQLOutputType, pageSize: number): number => {
    const type = getNamedType(output);
    if (field.selectionSet === undefined || !isCompositeType(type)) return 0;
    const rows = isList(output) ? pageSize : 1;
    return rows * (1 + ofSet(field.selectionSet, type, isPage(type) ? pageOf(field) : usualList));
  };
  const ofSet = ({ selections }: SelectionSetNode, type: GraphQLCompositeType | undefined, pageSize: number): number => {
    let sum = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) sum += ofFragment(selection.name.value, pageSize);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const condition = selection.typeCondition?.name.value;
        sum += ofSet(selection.selectionSet, condition === undefined ? type : typeNamed(schema, condition), pageSize);
      } else {
        const fields = isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
        const output = fields[selection.name.value]?.type;
        if (output !== undefined) sum += ofField(selection, output, pageSize);
      }
    }
    return Math.min(sum, ceiling);
  };
  return ofSet(operation.selectionSet, root, usualList);
}

function typeNamed(schema: GraphQLSchema, name: string): GraphQLCompositeType | undefined {
  const type = schema.getType(name);
  return isCompositeType(type) ? type : undefined;
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function isPage(type: GraphQLCompositeType): boolean {
  return isObjectType(type) && 'hasNextPage' in type.getFields();
}

function pageOf({ arguments: given = [] }: FieldNode): number {
  const [input] = given;
  if (input?.value.kind !== Kind.OBJECT) return longestPage;
  const limit = input.value.fields.find(({ name }) => name.value === 'limit')?.value;
  if (limit === undefined) return usualPage;
  return limit.kind === Kind.INT ? Math.min(longestPage, Number(limit.value)) : longestPage;
}
