import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

export type Step = { readonly type: string; readonly field: string; readonly isList: boolean };

/** The fields of a type that return objects. */
export function stepsOf(type: GraphQLObjectType): readonly (Step & { readonly to: GraphQLObjectType })[] {
  return Object.values(type.getFields()).flatMap(({ name, type: output }) => {
    const to = getNamedType(output);
    return isObjectType(to) ? [{ type: type.name, field: name, isList: isList(output), to }] : [];
  });
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Every way from a type back to itself that passes no type twice. */
export function cyclesOf(schema: GraphQLSchema): readonly (readonly Step[])[] {
  const types = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'));
  const cycles: (readonly Step[])[] = [];
  const follow = (start: GraphQLObjectType, at: GraphQLObjectType, path: readonly Step[], passed: ReadonlySet<string>): void => {
    for (const { to, ...step } of stepsOf(at)) {
      if (to === start) cycles.push([...path, step]);
      else if (to.name > start.name && !passed.has(to.name)) follow(start, to, [...path, step], new Set([...passed, to.name]));
    }
  };
  for (const type of types) follow(type, type, [], new Set([type.name]));
  return cycles;
}

/** The shortest way from the query type to each type. */
export function waysTo(schema: GraphQLSchema): ReadonlyMap<string, readonly Step[]> {
  const ways = new Map<string, readonly Step[]>();
  let level = [{ type: schema.getQueryType(), way: [] as readonly Step[] }];
  while (level.length > 0) {
    level = level.flatMap(({ type, way }) =>
      (type ? stepsOf(type) : []).flatMap(({ to, ...step }) => {
        if (ways.has(to.name)) return [];
        ways.set(to.name, [...way, step]);
        return { type: to, way: [...way, step] };
      }),
    );
  }
  return ways;
}
