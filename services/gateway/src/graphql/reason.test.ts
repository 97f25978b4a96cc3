import { expect, test } from '@jest/globals';
import { buildSchema, getVariableValues, type OperationDefinitionNode, parse, validate } from 'graphql';
import { assertWithin } from '../../../../test/support/until.ts';
import { reasonOf } from './reason.ts';

const schema = buildSchema(`
  type Query { roles(input: Secret!): [String!] groups: Int }
  input Secret { password: String! amount: Int! kind: Kind list: [Int!] }
  enum Kind { FIRST SECOND }
`);
function refused(input: unknown): readonly string[] {
  const [operation] = parse('query ($input: Secret!) { roles(input: $input) }').definitions as OperationDefinitionNode[];
  return (getVariableValues(schema, operation?.variableDefinitions ?? [], { input }).errors ?? []).map(({ message }) => reasonOf(message));
}

test('reasonOf names the field of a refused variable and never its value', () => {
  expect(refused({ password: ['hunter2; at "x"; y'], amount: 1 })).toStrictEqual(['input.password: the value is not valid.']);
  expect(refused({ password: 'hunter2', amount: 'hunter2' })).toStrictEqual(['input.amount: the value is not valid.']);
  expect(refused({ password: 'hunter2', amount: 1, list: [1, 'hunter2'] })).toStrictEqual(['input.list[1]: the value is not valid.']);
  expect(refused({ password: 'hunter2', amount: 1, kind: 'FIRTS' })).toStrictEqual(['input.kind: the value is not valid.']);
  expect(refused('hunter2')).toStrictEqual(['input: the value is not valid.']);
});

test('reasonOf names a missing or unknown field', () => {
  expect(refused({ password: 'hunter2' })).toStrictEqual(['input: Field "amount" of required type "Int!" was not provided.']);
  expect(refused({ password: 'hunter2', amount: 1, amuont: 1 })).toStrictEqual(['input: Field "amuont" is not defined by type "Secret".']);
});

test('reasonOf neither suggests names nor repeats literals', () => {
  const faults = (source: string) => validate(schema, parse(source)).map(({ message }) => reasonOf(message));
  expect(faults('{ rolse }')).toStrictEqual(['Cannot query field "rolse" on type "Query".']);
  expect(faults('{ roles(input: { password: ["hunter2"], amount: 1 }) }')).toStrictEqual(['String cannot represent a non string value.']);
  expect(faults('{ roles(input: ["hunter2"]) }')).toStrictEqual(['Expected value of type "Secret".']);
});

test('reasonOf takes no longer for long values', async () => {
  await assertWithin(1_000, () => {
    refused({ password: [' at "a"; '.repeat(100_000)], amount: 1 });
    reasonOf(`Variable "$i" got invalid value ${' at "aaaaaaaa'.repeat(80_000)}`);
    reasonOf(`${' Did you mean '.repeat(80_000)}`);
  });
});
