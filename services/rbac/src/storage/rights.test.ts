import assert from 'node:assert/strict';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import { builtInResourceId } from '@tessera/proto/built-in-ids';
import fc from 'fast-check';
import { builtInResources } from '../domain/catalogue.ts';
import { listGrants } from '../domain/rights.ts';
import { startTestStack } from '../testing/service.ts';
import { createPlaces } from './places.ts';
import { createRightsReader } from './rights.ts';

/** Even if everything is linked across tenants, a scope reads only what its own pivots hold. */
const stack = await startTestStack();
const database = stack.openDatabase();
afterAll(() => stack.stop());

const count = 5;
const index = fc.nat(count - 1);
const placeIndex = fc.nat(3);
const pairs = fc.array(fc.tuple(index, index), { maxLength: 14 });
const actions = builtInResources.Role;
const chaos = fc.record({
  roles: fc.array(placeIndex, { minLength: count, maxLength: count }),
  groups: fc.array(placeIndex, { minLength: count, maxLength: count }),
  permissions: fc.array(fc.record({ place: placeIndex, action: fc.constantFrom(...actions), isDeleted: fc.boolean() }), {
    minLength: count,
    maxLength: count,
  }),
  roleGroups: pairs,
  groupPermissions: pairs,
  assignments: fc.array(fc.tuple(placeIndex, index), { maxLength: 8 }),
});
type Chaos = typeof chaos extends fc.Arbitrary<infer Value> ? Value : never;

/** A world in which every user has a role, so that the comparison is never empty. */
const plainWorld: Chaos = {
  roles: [0, 1, 2, 3, 0],
  groups: [0, 1, 2, 3, 0],
  permissions: [0, 1, 2, 3, 0].map((place) => ({ place, action: 'Query', isDeleted: false })),
  roleGroups: [0, 1, 2, 3].map((at): [number, number] => [at, at]),
  groupPermissions: [0, 1, 2, 3].map((at): [number, number] => [at, at]),
  assignments: [0, 1, 2, 3].map((at): [number, number] => [at, at]),
};

function pivotOf(kind: 'role' | 'group' | 'permission', place: Scope) {
  const { projectId, organizationId } = parseScope(place);
  return projectId === undefined
    ? { table: `organization_${kind}s`, column: 'organization_id', id: organizationId }
    : { table: `project_${kind}s`, column: 'project_id', id: projectId };
}

async function build(places: readonly Scope[], userId: string, world: Chaos) {
  const ids = { role: [] as string[], group: [] as string[], permission: [] as string[] };
  await database.transaction(async (tx) => {
    const add = async (kind: 'role' | 'group' | 'permission', placeAt: number, columns: string, values: readonly unknown[]) => {
      const id = newId();
      const places_ = values.map((_, at) => `, $${at + 2}`).join('');
      await tx.execute(sql(`INSERT INTO ${kind}s (id${columns}) VALUES ($1${places_})`), [id, ...values]);
      const place = places[placeAt];
      assert.ok(place);
      const pivot = pivotOf(kind, place);
      await tx.execute(sql(`INSERT INTO ${pivot.table} (${pivot.column}, ${kind}_id) VALUES ($1, $2)`), [pivot.id, id]);
      ids[kind].push(id);
    };
    for (const place of world.roles) await add('role', place, ', name', ['r']);
    for (const place of world.groups) await add('group', place, ', name', ['g']);
    for (const { place, action, isDeleted } of world.permissions)
      await add('permission', place, ', name, resource_id, action, deleted_at', [
        'p',
        builtInResourceId('Role'),
        action,
        isDeleted ? new Date() : null,
      ]);
    const link = (text: string, values: readonly unknown[]) => tx.execute(sql(`${text} ON CONFLICT DO NOTHING`), values);
    for (const [role, group] of world.roleGroups) await link('INSERT INTO role_groups VALUES ($1, $2)', [ids.role[role], ids.group[group]]);
    for (const [group, permission] of world.groupPermissions)
      await link('INSERT INTO group_permissions VALUES ($1, $2)', [ids.group[group], ids.permission[permission]]);
    for (const [place, role] of world.assignments) {
      const values = [places[place]?.tenant, places[place]?.id, userId, ids.role[role]];
      await link('INSERT INTO role_assignments (tenant, scope_id, user_id, role_id) VALUES ($1, $2, $3, $4)', values);
    }
  });
}

/** The same in plain logic. Places 0 and 1 are organizations, 2 and 3 their projects. */
function expected(at: number, world: Chaos): string[] {
  const visible = at >= 2 ? [at - 2, at] : [at];
  const held = world.assignments.filter(([place, role]) => visible.includes(place) && world.roles[role] === place).map(([, role]) => role);
  const groups = world.roleGroups
    .filter(([role, group]) => held.includes(role) && visible.includes(world.groups[group] ?? -1))
    .map(([, group]) => group);
  const found = world.groupPermissions.filter(([group]) => groups.includes(group)).map(([, permission]) => world.permissions[permission]);
  const live = found.flatMap((permission) =>
    permission && !permission.isDeleted && visible.includes(permission.place) ? [permission.action] : [],
  );
  return [...new Set(live)].sort();
}

describe('the rights reader', () => {
  test('never reads rights of another tenant, however rows are linked', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(chaos, async (world) => {
        const [acme, globex] = [await stack.makeOrganization(), await stack.makeOrganization()];
        const places = [acme.scope, globex.scope, await stack.makeProject(acme.scope), await stack.makeProject(globex.scope)];
        const userId = newId();
        await build(places, userId, world);
        // Asked together, they are read in one statement.
        const read = createRightsReader(database, createPlaces(database));
        const all = await Promise.all(places.map((place) => read(parseScope(place), { userId })));
        for (const [at, loaded] of all.entries()) {
          assert.ok(loaded);
          const found = [...new Set(listGrants(loaded.rights).map(({ action }) => action))].sort();
          expect(found).toStrictEqual(expected(at, world));
          seen += found.length;
        }
      }),
      { numRuns: 40, examples: [[plainWorld]] },
    );
    // Otherwise the generated worlds contain no rights at all.
    expect(seen).toBeGreaterThan(0);
  });
});
