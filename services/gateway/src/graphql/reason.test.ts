import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildSchema, getVariableValues, type OperationDefinitionNode, parse, validate } from 'graphql';
import { assertWithin } from '../../../../tools/testing/until.ts';
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

it('names the field of a refused variable and never its value', () => {
  assert.deepEqual(refused({ password: ['hunter2; at "x"; y'], amount: 1 }), ['input.password: the value is not valid.']);
  assert.deepEqual(refused({ password: 'hunter2', amount: 'hunter2' }), ['input.amount: the value is not valid.']);
  assert.deepEqual(refused({ password: 'hunter2', amount: 1, list: [1, 'hunter2'] }), ['input.list[1]: the value is not valid.']);
  assert.deepEqual(refused({ password: 'hunter2', amount: 1, kind: 'FIRTS' }), ['input.kind: the value is not valid.']);
  assert.deepEqual(refused('hunter2'), ['input: the value is not valid.']);
});

it('says which field is missing or unknown', () => {
  assert.deepEqual(refused({ password: 'hunter2' }), ['input: Field "amount" of required type "Int!" was not provided.']);
  assert.deepEqual(refused({ password: 'hunter2', amount: 1, amuont: 1 }), ['input: Field "amuont" is not defined by type "Secret".']);
});

it('neither suggests names nor repeats literals', () => {
  const faults = (source: string) => validate(schema, parse(source)).map(({ message }) => reasonOf(message));
  assert.deepEqual(faults('{ rolse }'), ['Cannot query field "rolse" on type "Query".']);
  assert.deepEqual(faults('{ roles(input: { password: ["hunter2"], amount: 1 }) }'), ['String cannot represent a non string value.']);
  assert.deepEqual(faults('{ roles(input: ["hunter2"]) }'), ['Expected value of type "Secret".']);
});

it('is quick with long values', async () => {
  await assertWithin(1_000, () => {
    refused({ password: [' at "a"; '.repeat(100_000)], amount: 1 });
    reasonOf(`Variable "$i" got invalid value ${' at "aaaaaaaa'.repeat(80_000)}`);
    reasonOf(`${' Did you mean '.repeat(80_000)}`);
  });
});
