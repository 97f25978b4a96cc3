import { describe, expect, test } from '@jest/globals';
import type { Json } from '@tessera/rules/condition';
import { parseCondition } from '@tessera/rules/condition';
import fc from 'fast-check';
import { organizationRoles, rankOf } from './catalogue.ts';
import { decide, type Question } from './decision.ts';
import { compileRights, type HeldPath, type HeldRole, listGrants } from './rights.ts';

/** Properties of every decision, over generated worlds. */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const resourceName = fc.constantFrom('Doc', 'Page', 'Role', 'User');
const actionName = fc.constantFrom('Read', 'Write', 'Create', 'Update');
const condition: fc.Arbitrary<Json> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  fc.record({ Equals: fc.record({ 'resource.x': fc.integer({ min: 0, max: 2 }) }) }) as fc.Arbitrary<Json>,
  fc.record({ Not: fc.record({ In: fc.record({ 'resource.x': fc.array(fc.integer({ min: 0, max: 2 })) }) }) }) as fc.Arbitrary<Json>,
  fc.constant({ Equals: { 'resource.createdBy': '{{user.id}}' } }),
);
const role: fc.Arbitrary<HeldRole> = fc.oneof(
  name.map((id) => ({ id, name: `custom ${id}`, description: null, metadata: {}, isBuiltIn: false, rank: null })),
  fc
    .constantFrom(...organizationRoles)
    .map((builtIn) => ({ id: builtIn, name: builtIn, description: null, metadata: {}, isBuiltIn: true, rank: rankOf(builtIn) })),
);
const path: fc.Arbitrary<HeldPath> = fc.record({
  role,
  group: name.map((id) => ({ id, name: id, description: null, metadata: {} })),
  permission: fc.record({ id: name, name, resource: resourceName, action: actionName, condition }),
});
const held = fc.record({ roles: fc.array(role, { maxLength: 4 }), paths: fc.array(path, { maxLength: 8 }) });
const question: fc.Arbitrary<Question> = fc.record({
  resource: resourceName,
  action: actionName,
  userId: fc.constant('me'),
  target: fc.record({ x: fc.integer({ min: 0, max: 2 }), createdBy: fc.constantFrom('me', 'you') }, { requiredKeys: [] }),
  cap: fc.option(fc.array(fc.tuple(resourceName, actionName).map(([resource, action]) => `${resource}:${action}`)), { nil: undefined }),
  nowMs: fc.constant(0),
});
function check(property: fc.IRawProperty<unknown>) {
  return fc.assert(property as fc.IProperty<unknown>, { numRuns: 500 });
}

describe('decisions', () => {
  test('one more permission, group or role never revokes a decision', () => {
    check(
      fc.property(held, held, question, (before, more, asked) => {
        const { authorized } = decide(compileRights(before.roles, before.paths), asked);
        const after = decide(compileRights([...before.roles, ...more.roles], [...before.paths, ...more.paths]), asked);
        return !authorized || after.authorized;
      }),
    );
  });

  test('decisions and their explanations do not depend on the order of roles and permissions', () => {
    check(
      fc.property(held, question, fc.infiniteStream(fc.nat()), ({ roles, paths }, asked, random) => {
        const shuffled = <Item>(items: readonly Item[]) =>
          items
            .map((item) => ({ item, at: Number(random.next().value) }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item);
        const unique = [...new Map(paths.map((one) => [`${one.role.id}/${one.group.id}/${one.permission.id}`, one])).values()];
        const answer = (heldRoles: readonly HeldRole[], heldPaths: readonly HeldPath[]) => {
          const { grant, ...decision } = decide(compileRights(heldRoles, heldPaths), asked);
          return { ...decision, grant: grant && { ...grant, predicate: undefined } };
        };
        expect(answer(shuffled(roles), shuffled(unique))).toStrictEqual(answer(roles, unique));
        return true;
      }),
    );
  });

  test('a capped decision authorizes only what the uncapped one does and the cap lists', () => {
    check(
      fc.property(held, question, ({ roles, paths }, asked) => {
        const rights = compileRights(roles, paths);
        const free = decide(rights, { ...asked, cap: undefined });
        const capped = decide(rights, asked);
        const isListed = asked.cap === undefined || asked.cap.includes(`${asked.resource}:${asked.action}`);
        expect(capped.authorized).toBe(free.authorized && isListed);
        expect(capped.reason === 'SCOPE_NOT_GRANTED').toBe(free.authorized && !isListed);
        return true;
      }),
    );
  });

  test('decisions agree with the list of grants', () => {
    check(
      fc.property(held, question, ({ roles, paths }, asked) => {
        const rights = compileRights(roles, paths);
        const { authorized, reason } = decide(rights, { ...asked, cap: undefined });
        const listed = listGrants(rights).filter(({ resource, action }) => resource === asked.resource && action === asked.action);
        expect(listed.length === 0).toBe(reason === 'NO_MATCHING_PERMISSION_FOUND');
        expect(!authorized || listed.length > 0).toBe(true);
        return true;
      }),
    );
  });
});

describe('conditions', () => {
  const plain = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

  test('every condition is either refused or answers every question', () => {
    check(
      fc.property(plain, plain, (written, resource) => {
        let holds: (context: never) => boolean;
        try {
          ({ holds } = parseCondition(written));
        } catch {
          return true;
        }
        return typeof holds({ user: { id: 'me' }, role: {}, group: {}, resource } as never) === 'boolean';
      }),
    );
  });

  test('Equals and NotEquals are opposites on existing paths and both false on missing ones', () => {
    check(
      fc.property(plain, plain, fc.boolean(), (actual, wanted, isThere) => {
        if (/\{\{|\$ref/.test(JSON.stringify(wanted))) return true;
        const context = { user: { id: 'me' }, role: {}, group: {}, resource: isThere ? { x: actual } : {} };
        const equals = parseCondition({ Equals: { 'resource.x': wanted } }).holds(context);
        const differs = parseCondition({ NotEquals: { 'resource.x': wanted } }).holds(context);
        return isThere ? equals !== differs : !equals && !differs;
      }),
    );
  });
});
