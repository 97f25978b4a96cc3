import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new GraphQLError('a Date is an ISO 8601 text');
  return value;
}

export const scalars = {
  Date: new GraphQLScalarType({
    name: 'Date',
    serialize: asText,
    parseValue: asText,
    parseLiteral: (node) => asText(node.kind === Kind.STRING ? node.value : undefined),
  }),
  JSON: new GraphQLScalarType({
    name: 'JSON',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  }),
};
