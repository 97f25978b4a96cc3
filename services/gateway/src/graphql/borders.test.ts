import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, print } from 'graphql';
import { openBorders } from './borders.ts';

function opened(parts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    openBorders(Object.entries(parts).map(([name, sdl]) => ({ name, document: parse(sdl) }))).map(({ name, document }) => [
      name,
      print(document).replace(/\s+/g, ' '),
    ]),
  );
}

test('null may stand at the root, at fields on the types of others and at references to them; nowhere else', () => {
  const { identity, rbac } = opened({
    identity:
      'type Query { users: UserPage! } type UserPage { users: [User!]! totalCount: Int! } type User @key(fields: "id") { id: ID! name: String! friend: User! createdAt: String! }',
    rbac: 'type Query { roles: [Role!]! } type Role @key(fields: "id") { id: ID! name: String! users: [User!]! owner: User! } type User @key(fields: "id") { id: ID! roles: [Role!]! isOwner: Boolean! }',
  });
  assert.match(identity ?? '', /users: UserPage }/);
  assert.match(identity ?? '', /users: \[User!\]! totalCount: Int!/);
  assert.match(identity ?? '', /id: ID! name: String! friend: User! createdAt: String!/);
  assert.match(rbac ?? '', /roles: \[Role!\] }/);
  assert.match(rbac ?? '', /name: String! users: \[User\] owner: User }/);
  assert.match(rbac ?? '', /id: ID! roles: \[Role!\] isOwner: Boolean }/);
});
