import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, Kind, parse } from 'graphql';
import { createPlains, plainOf } from './plains.ts';

const schema = buildSchema('type Query { me: User } type User { id: ID friend: User }');
const fetchOf = { kind: 'Fetch', serviceName: 'identity', operation: '{ me { id } }' };

function plainFor(query: string) {
  const document = parse(query);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const plain = operation && plainOf(fetchOf, schema, { document, operation });
  assert.ok(plain !== undefined);
  return plain;
}

test('plain plans are remembered within bounds: large documents push each other out, small ones stay', () => {
  const plains = createPlains();
  const small = plainFor('{ me { id } }');
  for (let index = 0; index < 2_000; index += 1) plains.set(`small ${index}`, small);
  assert.ok(plains.has('small 0'));
  const large = plainFor(
    `{ me { ${'...F '.repeat(50)} } } fragment F on User { ${Array.from({ length: 19 }, (_, at) => `a${at}: id`).join(' ')} }`,
  );
  assert.equal(large.fields, 951);
  for (let index = 0; index < 250; index += 1) plains.set(`large ${index}`, large);
  assert.ok(plains.has('large 249'));
  assert.ok(!plains.has('large 0'));
});
