import { expect, test } from '@jest/globals';
import { parse, print } from 'graphql';
import { allowNullAtBoundaries } from './boundaries.ts';

function opened(parts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    allowNullAtBoundaries(Object.entries(parts).map(([name, sdl]) => ({ name, document: parse(sdl) }))).map(({ name, document }) => [
      name,
      print(document).replace(/\s+/g, ' '),
    ]),
  );
}

test('null is allowed at the root, at fields on types of others and at references to them, and nowhere else', () => {
  const { identity, rbac } = opened({
    identity:
      'type Query { users: UserPage! } type UserPage { users: [User!]! totalCount: Int! } type User @key(fields: "id") { id: ID! name: String! friend: User! createdAt: String! }',
    rbac: 'type Query { roles: [Role!]! } type Role @key(fields: "id") { id: ID! name: String! users: [User!]! owner: User! } type User @key(fields: "id") { id: ID! roles: [Role!]! isOwner: Boolean! }',
  });
  expect(identity ?? '').toMatch(/users: UserPage }/);
  expect(identity ?? '').toMatch(/users: \[User!\]! totalCount: Int!/);
  expect(identity ?? '').toMatch(/id: ID! name: String! friend: User! createdAt: String!/);
  expect(rbac ?? '').toMatch(/roles: \[Role!\] }/);
  expect(rbac ?? '').toMatch(/name: String! users: \[User\] owner: User }/);
  expect(rbac ?? '').toMatch(/id: ID! roles: \[Role!\] isOwner: Boolean }/);
});
