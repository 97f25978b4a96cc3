import { failures } from '@tessera/kernel/errors';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped, visit } from 'graphql';

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new GraphQLError('a Date is an ISO 8601 text');
  return value;
}

/** As a key of an object that is built by assignment, it would be lost without a word. */
function refusePrototype(node: ValueNode): void {
  const reason = { en: 'is not known here', de: 'ist hier nicht bekannt' };
  visit(node, {
    ObjectField: ({ name: { value } }) => {
      if (value === '__proto__') throw failures.validation(value, reason);
    },
  });
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
    parseLiteral: (node, variables) => {
      refusePrototype(node);
      return valueFromASTUntyped(node, variables);
    },
  }),
};
